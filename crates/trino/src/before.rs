//! The statements that the user wants to run before anything else.

use bowshot_core::{Cancel, Result};

use crate::statement::{Cluster, Statement};

/// Runs the statements once; what they change in the session, every query takes along.
pub(crate) fn run(cluster: &mut Cluster, statements: &[String], cancel: &Cancel) -> Result<()> {
    for sql in statements {
        let sql = bowshot_sql::strip_end(sql, bowshot_sql::Dialect::Standard);
        let mut statement = Statement::start(cluster, sql, sql, cancel)?;
        statement.finish(cancel)?;
        cluster.session = statement.session.clone();
    }
    Ok(())
}
