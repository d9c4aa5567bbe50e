//! A statement that changes something.

use bowshot_core::ErrorKind;
use bowshot_gateway_access::TablePath;
use bowshot_sql::{ChangeKind, Changes, Name, TableName, changes};

use crate::asking::{Asking, NAME_ONE};
use crate::cut::without_source;
use crate::refused::Refused;
use crate::served::{Kind, Served};
use crate::several::Owner;
use crate::strict;

/// Where a statement goes that changes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRoute {
    /// Which of the sources that are served.
    pub index: usize,
    /// The user's text, without the source's name in front of qualified names.
    pub sql: String,
}

/// Where the tables of a statement are.
enum Place {
    /// In this source.
    Here,
    /// In another one, if anybody knows.
    Elsewhere(Option<usize>),
    /// In this source and in another one.
    Two(String),
}

impl Asking<'_> {
    /// Sends a statement to the one database that has all of its tables.
    pub(crate) fn change(&self, sql: &str) -> Result<ChangeRoute, Refused> {
        let (mut reason, home) = (None, self.home_of_changes());
        for (index, served) in self.sources.iter().filter(|(_, served)| served.kind == Kind::Database) {
            let found = match changes(sql, served.dialect) {
                Ok(found) => found,
                Err(unreadable) if self.strict => {
                    reason = reason.or_else(|| Some(Refused::doubt(unreadable.reason())));
                    continue;
                }
                // The source will know it.
                Err(_) if home == Some(*index) => return writable(*index, served, sql.to_owned()),
                Err(_) => continue,
            };
            match self.place_of(*index, &found)? {
                Place::Here => return self.send_change(sql, *index, served, &found),
                Place::Elsewhere(other) => {
                    let other = other.and_then(|other| self.served(other));
                    let unchanging = other.filter(|other| other.kind != Kind::Database);
                    reason = reason.or_else(|| unchanging.map(|other| Refused::read_only(&other.name)));
                }
                Place::Two(other) => {
                    let message = format!("the statement names tables of two sources, {} and {other}", served.name);
                    let hint =
                        "a statement goes to one source as it is written: query the one, and ingest into the other";
                    reason = Some(Refused::failed(ErrorKind::Unsupported, message, hint));
                }
            }
        }
        Err(reason.unwrap_or_else(|| self.nowhere()))
    }

    /// The source of what names none: the one of all queries, else the only one that is writable.
    pub(crate) fn home_of_changes(&self) -> Option<usize> {
        let mut writable = self.sources.iter().filter(|(_, served)| served.writable).map(|(index, _)| *index);
        self.home.or_else(|| writable.next().filter(|_| writable.next().is_none()))
    }

    pub(crate) fn served(&self, index: usize) -> Option<&Served> {
        self.sources.iter().find(|(known, _)| *known == index).map(|(_, served)| *served)
    }

    /// Whether a name begins with the name of another source than this one.
    fn names_other(&self, index: usize, name: &Name) -> bool {
        self.served(index).is_some_and(|served| self.names_another(served, name))
    }

    /// What keeps a statement from going anywhere.
    fn nowhere(&self) -> Refused {
        match self.home_of_changes().and_then(|home| self.served(home)) {
            Some(served) if !served.writable => Refused::read_only(&served.name),
            _ => Refused::failed(ErrorKind::Config, "nobody can tell which source the statement changes", NAME_ONE),
        }
    }

    fn place_of(&self, index: usize, found: &Changes) -> Result<Place, Refused> {
        let is_home = self.home_of_changes() == Some(index);
        let (mut here, mut elsewhere) = (found.tables.tables.is_empty() && is_home, None);
        for table in &found.tables.tables {
            // What changes something never goes where a listing, which may be old, happens to have such a name.
            if let Some(home) = self.home.filter(|home| !self.names_other(*home, &table.name)) {
                if home == index {
                    here = true
                } else {
                    elsewhere = elsewhere.or(Some(home))
                }
                continue;
            }
            match self.owner(&table.name)? {
                Owner::One(owner, _) if owner == index => here = true,
                Owner::One(owner, _) => elsewhere = elsewhere.or(Some(owner)),
                // It will be made, or the database will say itself that there is no such table.
                Owner::Nobody(_) if is_home => here = true,
                Owner::Nobody(_) if self.strict => return Err(Refused::table(&table.name)),
                Owner::Nobody(Some(error)) => return Err(error.into()),
                Owner::Nobody(None) => {}
            }
        }
        Ok(match (here, elsewhere) {
            (true, None) => Place::Here,
            (true, Some(other)) => Place::Two(self.served(other).map(|it| it.name.clone()).unwrap_or_default()),
            (false, other) => Place::Elsewhere(other),
        })
    }

    fn send_change(&self, sql: &str, index: usize, served: &Served, found: &Changes) -> Result<ChangeRoute, Refused> {
        if self.strict {
            strict::check(&found.tables)?;
            if found.kind == ChangeKind::Definition {
                return Err(Refused::definition());
            }
        }
        let mut cut = Vec::with_capacity(found.tables.tables.len());
        for table in &found.tables.tables {
            let (is_cut, path) = self.table(served, table)?;
            let is_target = found.targets.iter().any(|target| target.range == table.range);
            if is_target && !self.may_change(served, table, &path)? {
                return Err(Refused::target(&table.name.to_string()));
            }
            cut.push(is_cut);
        }
        if found.returns_rows {
            return Err(Refused::failed(
                ErrorKind::Unsupported,
                "the statement returns rows (RETURNING), which a change does not hand on",
                "leave RETURNING out, and query the rows",
            ));
        }
        let again = |text: &str, dialect| changes(text, dialect).ok().map(|found| found.tables);
        let sql = without_source(sql, &found.tables, &cut, served.dialect, again)?;
        writable(index, served, sql)
    }

    /// Whether the user may change all that a name can mean.
    fn may_change(&self, served: &Served, table: &TableName, path: &TablePath) -> Result<bool, Refused> {
        if !self.strict {
            return Ok(true);
        }
        let placed = self.place(served, &table.name)?;
        let paths = placed.map(|placed| placed.paths).unwrap_or_default();
        Ok(self.rights.may_write(path) && paths.iter().all(|path| self.rights.may_write(path)))
    }
}

fn writable(index: usize, served: &Served, sql: String) -> Result<ChangeRoute, Refused> {
    if served.writable { Ok(ChangeRoute { index, sql }) } else { Err(Refused::read_only(&served.name)) }
}
