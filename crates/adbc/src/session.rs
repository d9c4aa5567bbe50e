//! A thread of its own for a driver's objects, so that nobody has to wait for foreign code.
//!
//! A call into a driver may hang: while a server is unreachable, or because the driver has no way to be interrupted. Such
//! a call cannot be ended from outside, but whoever waits for it can: the objects belong to the thread, which releases
//! them when the call returns at last, whoever still listens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use adbc_core::{CancelHandle, Connection, Statement};
use adbc_driver_manager::{ManagedConnection, ManagedDatabase, ManagedStatement};
use arrow_array::RecordBatchReader;
use bowshot_core::{Cancel, Error, ErrorKind, Result, contained};
use parking_lot::Mutex;

/// How long a driver may take to heed a cancellation, and a session to close.
const GRACE: Duration = Duration::from_millis(700);

/// How often a driver is asked to stop: the first request may come before the call that it is meant for.
const REQUESTS: u32 = 8;

type Job = Box<dyn FnOnce(&mut Objects) + Send>;
type Handles = Arc<Mutex<Vec<Arc<dyn CancelHandle>>>>;

/// A driver's objects, dropped in the order that ADBC asks for.
#[derive(Default)]
pub(crate) struct Objects {
    /// The batches of the statement.
    pub(crate) stream: Option<Box<dyn RecordBatchReader + Send>>,
    pub(crate) statement: Option<ManagedStatement>,
    pub(crate) connection: Option<ManagedConnection>,
    pub(crate) database: Option<ManagedDatabase>,
    /// A batch that was read ahead.
    pub(crate) ahead: Option<arrow_array::RecordBatch>,
    handles: Handles,
}

impl Objects {
    /// Keeps the connection, and what interrupts it.
    pub(crate) fn keep_connection(&mut self, connection: ManagedConnection) {
        self.handles.lock().push(Arc::from(connection.get_cancel_handle()));
        self.connection = Some(connection);
    }

    /// Replaces the statement, and what interrupts it; the earlier one's stream ends.
    pub(crate) fn keep_statement(&mut self, statement: ManagedStatement) {
        self.finish();
        self.handles.lock().insert(0, Arc::from(statement.get_cancel_handle()));
        self.statement = Some(statement);
    }

    /// Ends the stream and the statement.
    pub(crate) fn finish(&mut self) {
        self.ahead = None;
        if self.stream.take().is_some() || self.statement.is_some() {
            self.statement = None;
            let mut handles = self.handles.lock();
            let connection = handles.pop();
            handles.clear();
            handles.extend(connection);
        }
    }
}

/// A thread that owns a driver's objects.
pub(crate) struct Session {
    jobs: Option<Sender<Job>>,
    /// Closed when the thread has ended. Locked, so that readers of the session may go from thread to thread; only the end waits for it.
    ended: Mutex<Receiver<()>>,
    handles: Handles,
    /// A call did not return when it was given up.
    abandoned: AtomicBool,
}

impl Session {
    /// A thread without objects yet.
    pub(crate) fn start() -> Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let (end, ended) = channel();
        let handles = Handles::default();
        let mut objects = Objects { handles: Arc::clone(&handles), ..Objects::default() };
        thread::Builder::new()
            .name("bowshot-adbc".into())
            .spawn(move || {
                for job in queue {
                    job(&mut objects);
                }
                // What still runs would have to be read to its end by some drivers.
                if objects.stream.is_some() {
                    interrupt(&objects.handles);
                }
                objects.finish();
                drop(objects);
                let _ = end.send(());
            })
            .map_err(|error| Error::new(ErrorKind::Io, format!("no thread can be started: {error}")))?;
        Ok(Session { jobs: Some(jobs), ended: Mutex::new(ended), handles, abandoned: AtomicBool::new(false) })
    }

    /// Runs `work` on the thread and waits for it: at most for `limit`, and no longer than [`GRACE`] after a
    /// cancellation.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        limit: Option<Duration>,
        work: impl FnOnce(&mut Objects) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        cancel.check()?;
        let (reply, replies) = channel();
        let done = Arc::new(AtomicBool::new(false));
        let _registration = {
            let (wake, handles, done) = (reply.clone(), Arc::clone(&self.handles), Arc::clone(&done));
            cancel.on_cancel(move || {
                let _ = wake.send(None);
                keep_interrupting(Arc::clone(&handles), Arc::clone(&done));
            })
        };
        let job: Job = Box::new(move |objects| {
            // What a driver returns may break a rule that Arrow's import asserts.
            let result = contained(|| work(objects)).unwrap_or_else(|_| {
                Err(Error::new(ErrorKind::Protocol, "the driver returned what is no Arrow data")
                    .with_hint("the driver is at fault: another version of it may do better"))
            });
            done.store(true, Ordering::SeqCst);
            let _ = reply.send(Some(result));
        });
        let lost = || Error::new(ErrorKind::Internal, "the thread of an ADBC driver ended early; please report this");
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or_else(lost)?;
        let mut deadline = limit.map(|limit| Instant::now() + limit);
        loop {
            let message = match deadline {
                Some(deadline) => replies.recv_timeout(deadline.saturating_duration_since(Instant::now())),
                None => replies.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match message {
                Ok(Some(result)) => return if cancel.is_cancelled() { Err(Error::cancelled()) } else { result },
                Ok(None) => deadline = Some(Instant::now() + GRACE),
                Err(RecvTimeoutError::Timeout) => {
                    self.abandoned.store(true, Ordering::SeqCst);
                    cancel.check()?;
                    let seconds = limit.unwrap_or_default().as_secs_f64();
                    return Err(Error::new(
                        ErrorKind::Timeout,
                        format!("the driver did not connect within {seconds} s"),
                    )
                    .with_hint("check the host, or wait longer: connect_timeout=SECONDS in the URI"));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(lost()),
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.jobs = None;
        // A file is closed when its reader is gone, except where the driver does not come back.
        if !self.abandoned.load(Ordering::SeqCst) {
            let _ = self.ended.get_mut().recv_timeout(GRACE);
        }
    }
}

/// Asks the driver to stop, until the call has returned or there is no hope.
fn keep_interrupting(handles: Handles, done: Arc<AtomicBool>) {
    // On a thread of its own: a driver may need the network for it. Where none can be started, the call is just left.
    let _ = thread::Builder::new().name("bowshot-adbc-cancel".into()).spawn(move || {
        let mut pause = Duration::from_millis(20);
        for _ in 0..REQUESTS {
            if done.load(Ordering::SeqCst) {
                return;
            }
            interrupt(&handles);
            thread::sleep(pause);
            pause *= 2;
        }
    });
}

/// Asks the driver to stop: the statement, and where that cannot be told, the connection.
fn interrupt(handles: &Handles) {
    let handles = handles.lock().clone();
    for handle in handles {
        if handle.try_cancel().is_ok() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_is_free_again_although_the_call_hangs() {
        let session = Session::start().unwrap();
        let cancel = Cancel::new();
        let (hang, released) = channel::<()>();
        let stopper = cancel.clone();
        let stop = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            stopper.cancel();
        });
        let begin = Instant::now();
        let error = session.call(&cancel, None, move |_| Ok(released.recv().is_ok())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        drop(session);
        assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
        // Only now may the thread end.
        drop(hang);
        stop.join().unwrap();
    }

    #[test]
    fn a_limit_holds_and_a_panic_is_an_error() {
        let session = Session::start().unwrap();
        let cancel = Cancel::new();
        let slow = session.call(&cancel, Some(Duration::from_millis(20)), |_| {
            thread::sleep(Duration::from_millis(200));
            Ok(())
        });
        assert_eq!(slow.unwrap_err().kind(), ErrorKind::Timeout);
        let session = Session::start().unwrap();
        let broken: Result<()> = session.call(&cancel, None, |_| panic!("as Arrow's import would"));
        assert_eq!(broken.unwrap_err().kind(), ErrorKind::Protocol);
        assert_eq!(session.call(&cancel, None, |_| Ok(7)).unwrap(), 7);
    }
}
