//! A query for the gateway's engine.

use bowshot_core::ErrorKind;
use bowshot_sql::{Dialect, tables};

use crate::asking::{Asking, NAME_ONE};
use crate::refused::Refused;
use crate::route::{Route, RoutedTable};
use crate::several::Owner;
use crate::strict;

/// Whose SQL the engine's is most like: it folds unquoted names to small letters.
const DIALECT: Dialect = Dialect::Postgres;

impl Asking<'_> {
    /// Finds the source of each table of a query for the engine.
    pub(crate) fn engine(&self, sql: &str) -> Result<Route, Refused> {
        let read = tables(sql, DIALECT).map_err(|unreadable| {
            if self.strict {
                return Refused::doubt(unreadable.reason());
            }
            let message = format!("the query {unreadable}; so nobody can tell which source it is for");
            Refused::failed(ErrorKind::Config, message, NAME_ONE)
        })?;
        if self.strict {
            strict::check(&read)?;
        }
        let mut routed = Vec::with_capacity(read.tables.len());
        for table in &read.tables {
            let (written, range) = (table.name.clone(), table.range.clone());
            match self.owner(&written)? {
                Owner::One(index, placed) => match placed.paths.as_slice() {
                    [path] => routed.push(RoutedTable { written, range, index, path: path.clone() }),
                    [path, other, ..] => {
                        let message = format!("\"{written}\" is a table of two schemas");
                        let hint = format!("write {path} or {other}");
                        return Err(Refused::failed(ErrorKind::Config, message, hint));
                    }
                    [] => return Err(Refused::table(&written)),
                },
                Owner::Nobody(_) if table.perhaps_with && !self.strict => {}
                Owner::Nobody(_) if self.strict => return Err(Refused::table(&written)),
                Owner::Nobody(Some(error)) => return Err(error.into()),
                Owner::Nobody(None) => {
                    let hint = format!("write source.schema.table; the sources are {}", self.names());
                    return Err(Refused::failed(
                        ErrorKind::Config,
                        format!("no source has a table \"{written}\""),
                        hint,
                    ));
                }
            }
        }
        Ok(Route::Engine { tables: routed, ordered: read.ordered })
    }
}
