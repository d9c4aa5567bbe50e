//! Results that a user's connections share by name: `DECLARE name CURSOR FOR query INTO n`, and `FETCH ALL FROM i OF name`
//! (the ConnectorX paper, section 5.2).
//!
//! The name stands for a result whose endpoints are fetched by number, from whatever connection; the result itself, its
//! snapshot and its end are those of any other one ([`Results`](crate::results::Results)).

use std::collections::HashMap;

use arrow_schema::SchemaRef;
use bowshot_core::{Error, ErrorKind, Result};
use parking_lot::Mutex;

use crate::results::Id;

/// How many names a user may have at the same time.
const MOST: usize = 100;

/// The names, each of one user.
#[derive(Default)]
pub(crate) struct Cursors(Mutex<HashMap<(String, String), Cursor>>);

/// What a name stands for.
#[derive(Clone)]
pub(crate) struct Cursor {
    pub(crate) result: Id,
    pub(crate) schema: SchemaRef,
    /// How many endpoints it has.
    pub(crate) endpoints: usize,
    /// How many were asked for; those beyond `endpoints` have no rows.
    pub(crate) count: usize,
}

impl Cursors {
    /// Gives a result a name. `is_known` says whether an older result is still to be had.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where the name stands for another result, or there are too many.
    pub(crate) fn declare(&self, user: &str, name: &str, cursor: Cursor, is_known: impl Fn(Id) -> bool) -> Result<()> {
        let mut cursors = self.0.lock();
        cursors.retain(|_, cursor| is_known(cursor.result));
        let key = (user.to_owned(), name.to_owned());
        if cursors.contains_key(&key) {
            return Err(Error::new(ErrorKind::Config, format!("a cursor \"{name}\" is declared already"))
                .with_hint(format!("fetch it to its end, or say CLOSE {name}")));
        }
        if cursors.keys().filter(|(owner, _)| owner == user).count() >= MOST {
            return Err(Error::new(ErrorKind::Config, format!("{MOST} cursors are declared: close some")));
        }
        cursors.insert(key, cursor);
        Ok(())
    }

    /// What a name stands for.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where the user has no such name.
    pub(crate) fn get(&self, user: &str, name: &str) -> Result<Cursor> {
        self.0.lock().get(&(user.to_owned(), name.to_owned())).cloned().ok_or_else(|| gone(name))
    }

    /// Takes a name away.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub(crate) fn close(&self, user: &str, name: &str) -> Result<Cursor> {
        self.0.lock().remove(&(user.to_owned(), name.to_owned())).ok_or_else(|| gone(name))
    }
}

/// The error about a name that stands for nothing, or for nothing any more.
pub(crate) fn gone(name: &str) -> Error {
    Error::new(ErrorKind::Config, format!("there is no cursor \"{name}\"")).with_hint(
        "it was fetched to its end, closed, or not fetched in time: DECLARE it again (names belong to a user)",
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::Schema;

    use super::*;

    fn cursor(id: u8) -> Cursor {
        Cursor { result: [id; 16], schema: Arc::new(Schema::empty()), endpoints: 2, count: 2 }
    }

    #[test]
    fn a_name_belongs_to_its_user_and_stands_for_one_result() {
        let cursors = Cursors::default();
        cursors.declare("ann", "c", cursor(1), |_| true).unwrap();
        cursors.declare("bob", "c", cursor(2), |_| true).unwrap();
        assert_eq!(cursors.get("ann", "c").unwrap().result, [1; 16]);
        let error = cursors.declare("ann", "c", cursor(3), |_| true).unwrap_err();
        assert!(error.to_string().contains("CLOSE c"), "{error}");
        assert_eq!(cursors.close("ann", "c").unwrap().result, [1; 16]);
        assert!(cursors.get("ann", "c").is_err() && cursors.close("ann", "c").is_err());
        assert_eq!(cursors.get("bob", "c").unwrap().result, [2; 16]);
    }

    #[test]
    fn the_name_of_a_result_that_is_gone_is_free() {
        let cursors = Cursors::default();
        cursors.declare("ann", "c", cursor(1), |_| true).unwrap();
        cursors.declare("ann", "c", cursor(2), |id| id != [1; 16]).unwrap();
        assert_eq!(cursors.get("ann", "c").unwrap().result, [2; 16]);
    }

    #[test]
    fn a_user_cannot_fill_the_memory_with_names() {
        let cursors = Cursors::default();
        for at in 0..MOST {
            cursors.declare("ann", &at.to_string(), cursor(1), |_| true).unwrap();
        }
        assert!(cursors.declare("ann", "more", cursor(1), |_| true).is_err());
        cursors.declare("bob", "more", cursor(1), |_| true).unwrap();
    }
}
