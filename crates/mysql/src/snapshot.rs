//! One state of the database for several connections.

use std::sync::Arc;

use bowshot_core::{Cancel, Options, Result};
use bowshot_sql::Prepared;

use crate::connect::Session;
use crate::uri::Config;

/// Connections that see the same.
pub(crate) struct Snapshot {
    pub(crate) sessions: Vec<Session>,
    /// What names the state that they see.
    pub(crate) name: Option<String>,
    /// Why there are fewer connections than were asked for.
    pub(crate) note: Option<String>,
}

/// Opens up to `count` connections that see the same as the first one will see.
pub(crate) fn open(
    first: Session,
    _config: &Arc<Config>,
    _options: &Options,
    _count: usize,
    _queries: &[Prepared],
    _cancel: &Cancel,
) -> Result<Snapshot> {
    Ok(Snapshot { sessions: vec![first], name: None, note: Some("the connections share no snapshot".into()) })
}
