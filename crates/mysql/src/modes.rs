//! The session's `sql_mode`, as far as it decides what text is a literal.

use bowshot_core::{ErrorKind, Result};
use bowshot_sql::{Modes, Permit, Prepared, depends_on_modes};

use crate::connect::Session;

/// Checks once more what a session with another mode than the default reads in another way.
pub(crate) fn check(session: &mut Session, permit: Permit, queries: &[Prepared]) -> Result<()> {
    if !queries.iter().any(|query| depends_on_modes(&query.sql)) {
        return Ok(());
    }
    let mode = match session.query("SELECT @@sql_mode") {
        Ok(rows) => rows.into_iter().flatten().flatten().next().unwrap_or_default(),
        // Not every server that speaks MySQL's protocol has modes.
        Err(error) if error.kind() == ErrorKind::Sql => return Ok(()),
        Err(error) => return Err(error),
    };
    let modes = Modes::of_mysql(&mode);
    if modes == Modes::default() {
        return Ok(());
    }
    queries.iter().try_for_each(|query| permit.with_modes(modes).check(&query.sql))
}
