//! The bytes that a query yields, piece by piece.

use std::time::Duration;

use bowshot_core::{Cancel, Registration, Result};
use bytes::Bytes;
use clickhouse::query::BytesCursor;

use crate::connect::Session;
use crate::input::Feed;
use crate::kill;

/// The answer to a query. A cancel ends the query in the database too.
pub(crate) struct Answer<'a> {
    session: &'a Session,
    cursor: BytesCursor,
    cancel: &'a Cancel,
    begun: bool,
    /// How long to wait for a piece.
    limit: Option<Duration>,
    _killing: Registration,
}

impl<'a> Answer<'a> {
    /// Of the query with this number.
    pub(crate) fn new(
        session: &'a Session,
        cursor: BytesCursor,
        number: String,
        limit: Option<Duration>,
        cancel: &'a Cancel,
    ) -> Self {
        let killing = kill::on_cancel(&session.location, number, cancel);
        Answer { session, cursor, cancel, begun: false, limit, _killing: killing }
    }
}

impl Feed for Answer<'_> {
    fn piece(&mut self) -> Result<Option<Bytes>> {
        let Answer { session, cursor, cancel, begun, limit, .. } = self;
        let next = async { cursor.next().await.map_err(|error| session.error(error, *begun)) };
        let piece = match limit {
            None => session.runtime.wait(cancel, next),
            Some(limit) => {
                let what = format!("the login to {}", session.location.host);
                session.runtime.wait_for(cancel, *limit, &what, next)
            }
        }?;
        *begun = true;
        Ok(piece)
    }
}
