//! What runs, so that another thread can end it.

use std::collections::BTreeMap;
use std::sync::Arc;

use adbc_core::CancelHandle;
use adbc_core::error::{Error as AdbcError, Result as AdbcResult, Status};
use bowshot_core::Cancel;
use parking_lot::Mutex;

/// The work of a connection or of a statement that has not ended. Clones stand for the same.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// By numbers that are not used again; the next one comes first.
    work: Mutex<(u64, BTreeMap<u64, Cancel>)>,
    /// The connection's, of a statement.
    whole: Option<Running>,
}

impl Running {
    /// That of a statement: what it does, the connection does.
    pub(crate) fn part(&self) -> Running {
        Running(Arc::new(Inner { work: Mutex::default(), whole: Some(self.clone()) }))
    }

    /// Begins some work.
    pub(crate) fn begin(&self) -> Work {
        let cancel = Cancel::new();
        Work { places: self.enter(&cancel), cancel }
    }

    fn enter(&self, cancel: &Cancel) -> Vec<(Running, u64)> {
        let mut places = self.0.whole.as_ref().map(|whole| whole.enter(cancel)).unwrap_or_default();
        let mut work = self.0.work.lock();
        work.0 += 1;
        let number = work.0;
        work.1.insert(number, cancel.clone());
        places.push((self.clone(), number));
        places
    }
}

impl CancelHandle for Running {
    /// Ends what runs. Nothing is locked meanwhile that a call holds while it works.
    fn try_cancel(&self) -> AdbcResult<()> {
        let running: Vec<Cancel> = self.0.work.lock().1.values().cloned().collect();
        if running.is_empty() {
            return Err(AdbcError::with_message_and_status(
                "nothing runs that could be cancelled",
                Status::InvalidState,
            ));
        }
        for cancel in running {
            cancel.cancel();
        }
        Ok(())
    }
}

/// Some work that can be cancelled, until it is dropped.
pub(crate) struct Work {
    pub(crate) cancel: Cancel,
    places: Vec<(Running, u64)>,
}

impl Drop for Work {
    fn drop(&mut self) {
        for (running, number) in &self.places {
            running.0.work.lock().1.remove(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_ends_what_its_statements_do_and_they_only_their_own() {
        let connection = Running::default();
        let (one, two) = (connection.part(), connection.part());
        let (first, second) = (one.begin(), two.begin());
        one.try_cancel().unwrap();
        assert!(first.cancel.is_cancelled() && !second.cancel.is_cancelled());
        connection.try_cancel().unwrap();
        assert!(second.cancel.is_cancelled());
        drop((first, second));
        for idle in [connection, one, two] {
            assert_eq!(idle.try_cancel().unwrap_err().status, Status::InvalidState);
        }
    }
}
