//! From a location to a session that is ready for queries.

use std::time::Instant;

use bowshot_core::{Cancel, Error, ErrorKind, Result};

use crate::session::Session;
use crate::uri::Location;
use crate::{listener, login};

/// What every session is told first, so that text in parameters means the same everywhere: dates in ISO form, a point in
/// numbers. The session's time zone, UTC, was set with the login.
const FORMATS: &str = "ALTER SESSION SET NLS_DATE_FORMAT='YYYY-MM-DD HH24:MI:SS' \
    NLS_TIMESTAMP_FORMAT='YYYY-MM-DD HH24:MI:SSXFF' NLS_TIMESTAMP_TZ_FORMAT='YYYY-MM-DD HH24:MI:SSXFF TZH:TZM' \
    NLS_NUMERIC_CHARACTERS='.,'";

/// Connects, logs in and runs the user's statements.
pub(crate) fn connect(location: &Location, before: &[String], cancel: &Cancel) -> Result<Session> {
    let deadline = Instant::now() + location.timeout;
    let mut session = log_in(location, deadline, cancel).map_err(|error| match error.kind() {
        _ if cancel.is_cancelled() => Error::cancelled(),
        ErrorKind::Timeout if error.hint().is_none() => error.with_hint("connect_timeout=… sets the limit"),
        _ => error,
    })?;
    session.execute(FORMATS)?;
    for sql in before {
        session.execute(sql)?;
    }
    Ok(session)
}

fn log_in(location: &Location, deadline: Instant, cancel: &Cancel) -> Result<Session> {
    let (mut wire, info) = listener::reach(location, deadline, cancel)?;
    let capabilities = login::log_in(&mut wire, location, &info)?;
    // Queries take as long as they take.
    wire.deadline = None;
    wire.what = "the query";
    Ok(Session::new(wire, capabilities, info.supports_end_of_response))
}
