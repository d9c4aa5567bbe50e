//! The state of the database that a plan's tickets name: its system change number (SCN).
//!
//! The number is all that a reader needs: the database finds the rows of then in its undo, for as long as it keeps that. So no
//! connection waits for readers, and nothing is lost where the plan's process ends.

use bowshot_core::{Error, ErrorKind, Hold, Result, Ticket, gone, write_state};

use crate::error::code;
use crate::snapshot::{Snapshot, is_number};

/// What tickets of this source are called.
const KIND: &str = "oracle";

/// The number, and whether sessions are set to it; else the query names it.
type State = (String, bool);

/// Why nobody else can see the state that one connection sees.
pub(crate) const OBSTACLE: &str = "the state that they see is that of a transaction of one connection";

struct Holding(Vec<u8>);

impl Hold for Holding {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn state(&self, _: usize) -> Result<Vec<u8>> {
        Ok(self.0.clone())
    }
}

/// What the tickets of a plan say of its state.
pub(crate) fn hold(snapshot: &Snapshot) -> Result<Box<dyn Hold>> {
    let state: State = match snapshot {
        Snapshot::Named(number) => (number.clone(), false),
        Snapshot::Session(number) => (number.clone(), true),
        Snapshot::Own => return Err(Error::new(ErrorKind::Unsupported, format!("nobody can join: {OBSTACLE}"))),
    };
    Ok(Box::new(Holding(write_state(&state)?)))
}

/// The state that a ticket names; `None` where its query is executed anew.
pub(crate) fn snapshot(ticket: &Ticket) -> Result<Option<Snapshot>> {
    let Some((number, session)) = ticket.state::<State>(KIND)? else { return Ok(None) };
    if !is_number(&number) {
        return Err(Error::new(ErrorKind::Config, "the ticket is damaged: it names no SCN")
            .with_hint("a ticket is read as it was written: get it again from the plan"));
    }
    Ok(Some(if session { Snapshot::Session(number) } else { Snapshot::Named(number) }))
}

/// The error of a read on a ticket's state, which the database may no longer be able to show.
pub(crate) fn lost(error: Error) -> Error {
    match (error.kind(), code(error.message())) {
        (ErrorKind::Sql, Some(1466 | 1555 | 8180 | 8181 | 8186)) => gone(error.message()).with_hint(
            "plan the query again; UNDO_RETENTION says for how long the database can show a state of the past, and only \
             until its tables are altered",
        ),
        _ => error,
    }
}
