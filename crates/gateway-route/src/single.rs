//! A query to the only database that its user may know of.

use bowshot_gateway_access::TablePath;
use bowshot_sql::{Name, TableName, Tables, Unreadable, tables};

use crate::asking::Asking;
use crate::cut::without_source;
use crate::place::written;
use crate::refused::Refused;
use crate::route::{Route, RoutedTable};
use crate::served::{Kind, Served};
use crate::strict;

impl Asking<'_> {
    /// Sends a query to the only database, unless it reads the gateway's own tables. Without rules it asks nobody for tables.
    pub(crate) fn single(&self, sql: &str, index: usize, served: &Served) -> Result<Route, Refused> {
        let read = match tables(sql, served.dialect) {
            Ok(read) => read,
            Err(unreadable) => return self.verbatim(sql, index, &unreadable),
        };
        for table in &read.tables {
            if self.is_own(&table.name)? {
                return self.engine(sql);
            }
        }
        self.send(sql, index, served, &read)
    }

    /// A query that the parser does not know, to a source that will know it.
    pub(crate) fn verbatim(&self, sql: &str, index: usize, unreadable: &Unreadable) -> Result<Route, Refused> {
        if self.strict {
            return Err(Refused::doubt(unreadable.reason()));
        }
        Ok(Route::Source { index, sql: sql.to_owned(), tables: Vec::new(), ordered: true })
    }

    /// A query that was read, to a source that has all of its tables.
    pub(crate) fn send(&self, sql: &str, index: usize, served: &Served, read: &Tables) -> Result<Route, Refused> {
        if self.strict {
            strict::check(read)?;
        }
        let mut routed = Vec::with_capacity(read.tables.len());
        let mut cut = Vec::with_capacity(read.tables.len());
        for table in &read.tables {
            let (is_cut, path) = self.table(served, table)?;
            cut.push(is_cut);
            routed.push(RoutedTable { written: table.name.clone(), range: table.range.clone(), index, path });
        }
        let sql = without_source(sql, read, &cut, served.dialect, |text, dialect| tables(text, dialect).ok())?;
        Ok(Route::Source { index, sql, tables: routed, ordered: read.ordered })
    }

    /// Whether the source's name is to be cut out of a table's, and which table it is.
    pub(crate) fn table(&self, served: &Served, table: &TableName) -> Result<(bool, TablePath), Refused> {
        let parts = table.name.0.as_slice();
        let named = parts.len() > 1 && parts.first().is_some_and(|first| served.is_named(first));
        if self.strict || named {
            match self.place(served, &table.name)? {
                Some(placed) => {
                    let path = placed.path().cloned().ok_or_else(|| Refused::table(&table.name))?;
                    return Ok((placed.cut, path));
                }
                None if self.strict => return Err(Refused::table(&table.name)),
                None => {}
            }
        }
        let path = match parts {
            [.., schema, name] => written(served, Some(schema), name),
            [name] => written(served, None, name),
            [] => return Err(Refused::table(&table.name)),
        };
        Ok((false, path))
    }

    /// Whether a name is that of a table of the gateway's own.
    pub(crate) fn is_own(&self, name: &Name) -> Result<bool, Refused> {
        for (_, served) in self.sources.iter().filter(|(_, served)| served.kind == Kind::Own) {
            if self.place(served, name)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
