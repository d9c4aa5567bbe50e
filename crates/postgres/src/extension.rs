//! Whether the server has Bowshot's extension, which sends results as Arrow: a quarter of the work of COPY BINARY.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bowshot_core::Result;
use parking_lot::Mutex;

use crate::catalog::cell;
use crate::connect::Session;
use crate::savepoint::attempt;
use crate::uri::Config;

/// Tells the extension's version, and has a session that has not done so load it: without it the server knows no
/// `FORMAT arrow`.
pub(crate) const LOAD: &str = "SELECT bowshot.version()";

/// How long a server that has no extension is not asked again.
const REMEMBERED: Duration = Duration::from_secs(60);

/// Databases without the extension, by who looked where, and until when that is taken for granted.
static WITHOUT: Mutex<BTreeMap<String, Instant>> = Mutex::new(BTreeMap::new());

/// The version of the extension in the session's database; `None` where there is none that the user may use.
pub(crate) fn version(session: &mut Session, config: &Config) -> Result<Option<String>> {
    let place = place(session, config);
    if WITHOUT.lock().get(&place).is_some_and(|until| Instant::now() < *until) {
        return Ok(None);
    }
    let known = session.query("SELECT 1 FROM pg_catalog.pg_extension WHERE extname = 'bowshot'")?;
    let version = if known.is_empty() { None } else { load(session)? };
    if version.is_none() {
        let now = Instant::now();
        let mut without = WITHOUT.lock();
        without.retain(|_, until| now < *until);
        without.insert(place, now + REMEMBERED);
    }
    Ok(version)
}

/// Loads it. A server where it is half installed, or another one's for whom it is, is read as if it had none.
fn load(session: &mut Session) -> Result<Option<String>> {
    let loaded = attempt(session, |session| session.query(LOAD))?;
    Ok(loaded.ok().and_then(|rows| rows.first().map(|row| cell(row, 0).to_owned())))
}

/// Who looks where. It holds no secret.
fn place(session: &Session, config: &Config) -> String {
    let host = session.host();
    format!("{:?} {} {} {}", host.place, host.port, config.database, config.user)
}
