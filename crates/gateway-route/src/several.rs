//! A query where several sources may have its tables.

use bowshot_core::{Error, ErrorKind};
use bowshot_sql::{Name, Tables, tables};

use crate::asking::{Asking, NAME_ONE};
use crate::place::Placed;
use crate::refused::Refused;
use crate::route::Route;
use crate::served::{Kind, Served};

/// Who has a table.
pub(crate) enum Owner {
    /// One source.
    One(usize, Placed),
    /// Nobody. A source that did not answer may have it.
    Nobody(Option<Error>),
}

/// A table of a query that a database does not have.
enum Stranger {
    /// It has them all.
    None,
    /// Another source has it, or the query has no table.
    Anothers,
    /// Nobody has it.
    Nobodys(Name),
}

impl Asking<'_> {
    /// Sends a query to the one database that has all of its tables, or to the engine.
    pub(crate) fn several(&self, sql: &str) -> Result<Route, Refused> {
        let databases: Vec<_> = self.sources.iter().filter(|(_, served)| served.kind == Kind::Database).collect();
        let mut stranger = None;
        for (index, served) in databases {
            let read = match tables(sql, served.dialect) {
                Ok(read) => read,
                Err(unreadable) if self.home == Some(*index) && !self.strict => {
                    return self.verbatim(sql, *index, &unreadable);
                }
                Err(_) => continue,
            };
            match self.stranger(*index, served, &read)? {
                Stranger::None => return self.send(sql, *index, served, &read),
                Stranger::Nobodys(name) => stranger = stranger.or(Some(name)),
                Stranger::Anothers => {}
            }
        }
        // What only a database's own parser can read is nothing for the engine: better to say what is wrong with it there.
        match (self.engine(sql), stranger) {
            (Err(_), Some(name)) if self.strict => Err(Refused::table(&name)),
            (route, _) => route,
        }
    }

    /// A table of a query that is not this database's; a query without tables is for the preferred source.
    fn stranger(&self, index: usize, served: &Served, read: &Tables) -> Result<Stranger, Refused> {
        let is_home = self.home == Some(index);
        if read.tables.is_empty() {
            return Ok(if is_home { Stranger::None } else { Stranger::Anothers });
        }
        for table in &read.tables {
            match self.owner(&table.name)? {
                Owner::One(owner, _) if owner == index => {}
                Owner::One(..) => return Ok(Stranger::Anothers),
                // Some servers take it for the query's own name.
                Owner::Nobody(_) if table.perhaps_with && !self.strict => {}
                // The preferred database will say itself that it does not have it, or find it where nobody lists.
                Owner::Nobody(_) if is_home && !self.strict && !self.names_another(served, &table.name) => {}
                Owner::Nobody(_) => return Ok(Stranger::Nobodys(table.name.clone())),
            }
        }
        Ok(Stranger::None)
    }

    /// Whether a name begins with the name of another source.
    pub(crate) fn names_another(&self, served: &Served, name: &Name) -> bool {
        let [first, _, ..] = name.0.as_slice() else { return false };
        self.sources.iter().any(|(_, other)| other.name != served.name && other.is_named(first))
    }

    /// Who has a table: the source that its name begins with, else the preferred one, else the only one.
    pub(crate) fn owner(&self, name: &Name) -> Result<Owner, Refused> {
        let mut silent = None;
        let mut found: Vec<(usize, &Served, Placed)> = Vec::new();
        for (index, served) in &self.sources {
            match self.place(served, name) {
                Ok(Some(placed)) => found.push((*index, served, placed)),
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error.into()),
                Err(error) => silent = silent.or(Some(error)),
            }
        }
        let begins = |served: &Served| matches!(name.0.as_slice(), [first, _, ..] if served.is_named(first));
        let rank = |index: usize, served: &Served| (!begins(served), self.home != Some(index));
        found.sort_by_key(|(index, served, _)| rank(*index, served));
        let mut found = found.into_iter();
        match (found.next(), found.next()) {
            (None, _) => Ok(Owner::Nobody(silent)),
            (Some((index, one, _)), Some((other, two, placed))) if rank(index, one) == rank(other, two) => {
                let hint = match placed.path() {
                    Some(path) => format!("write {path}, or {NAME_ONE}"),
                    None => NAME_ONE.to_owned(),
                };
                let (one, two) = (&one.name, &two.name);
                Err(Refused::failed(
                    ErrorKind::Config,
                    format!("\"{name}\" is a table of two sources, {one} and {two}"),
                    hint,
                ))
            }
            (Some((index, _, placed)), _) => Ok(Owner::One(index, placed)),
        }
    }
}
