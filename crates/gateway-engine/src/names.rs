//! Which table a name means.
//!
//! A name is `member.schema.table`, `member.table`, `schema.table` or `table`; letters of another case are taken where
//! nothing is spelled exactly so. What the user may not read is not there.

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_gateway_catalog::TablePath;
use datafusion::common::TableReference;

use crate::member::{Kind, Member, System, Visible};
use crate::tables::{Directory, Listing};

/// Schemas in which the tables of people are, where they did not say otherwise.
const USUAL: [&str; 3] = ["public", "main", "dbo"];

/// Schemas of the database's own tables, which nobody means who does not name them.
const OWN: [&str; 5] = ["pg_catalog", "information_schema", "mysql", "sys", "performance_schema"];

/// The table that always means all files of a member.
const ALL_FILES: &str = "data";

/// A table that a name means.
pub(crate) enum Found<'a> {
    Member(&'a Member, TablePath),
    System(&'a System),
}

/// Looks names up for one query.
pub(crate) struct Names<'a> {
    pub(crate) members: &'a [Member],
    pub(crate) system: &'a [System],
    pub(crate) directory: &'a Directory,
    /// The member whose tables need no prefix.
    pub(crate) default_member: Option<&'a str>,
    pub(crate) visible: Visible<'a>,
    pub(crate) cancel: &'a Cancel,
}

impl<'a> Names<'a> {
    /// The one table that a name means.
    ///
    /// # Errors
    /// Of kind [`Sql`](ErrorKind::Sql) where none or several are meant.
    pub(crate) fn resolve(&self, name: &TableReference) -> Result<Found<'a>> {
        let (first, schema, table) = (name.catalog(), name.schema(), name.table());
        let own = |schema: &str| {
            let is_meant = |system: &&System| same(&system.schema, schema) && same(&system.name, table);
            self.system.iter().find(is_meant).filter(|system| (self.visible)(&system.path()))
        };
        match (first, schema) {
            (Some(member), schema) => {
                let system = schema.filter(|schema| same(member, schema)).and_then(own);
                if let (Some(system), None) = (system, self.member(member)) {
                    return Ok(Found::System(system));
                }
                let found = self.find(self.member(member), schema, table)?;
                self.one(found, name)
            }
            (None, Some(prefix)) => {
                if let Some(system) = own(prefix) {
                    return Ok(Found::System(system));
                }
                let of_member = self.find(self.member(prefix), None, table)?;
                if !of_member.is_empty() {
                    return self.one(of_member, name);
                }
                self.unqualified(Some(prefix), table, name)
            }
            (None, None) => self.unqualified(None, table, name),
        }
    }

    /// A table without the name of its member: the default member's, or else the one of any member.
    fn unqualified(&self, schema: Option<&str>, table: &str, name: &TableReference) -> Result<Found<'a>> {
        if let Some(default) = self.default_member {
            let found = self.find(self.member(default), schema, table)?;
            if !found.is_empty() {
                return self.one(found, name);
            }
        }
        let mut found = Vec::new();
        for member in self.members {
            let tables = self.find(Some(member), schema, table).map_err(|error| {
                let message =
                    format!("nobody knows whether \"{}\" has a table \"{name}\": {}", member.name, error.message());
                Error::new(error.kind(), message).with_hint(format!("name the source that is meant: source.{table}"))
            })?;
            // Within one member the usual schema goes first, between members nothing does.
            found.extend(prefer(tables));
        }
        self.one(found, name)
    }

    fn member(&self, name: &str) -> Option<&'a Member> {
        let exact = self.members.iter().find(|member| member.name == name);
        exact.or_else(|| self.members.iter().find(|member| same(&member.name, name)))
    }

    /// The tables of a member with this name that the user may see.
    fn find(
        &self,
        member: Option<&'a Member>,
        schema: Option<&str>,
        table: &str,
    ) -> Result<Vec<(&'a Member, TablePath)>> {
        let Some(member) = member else { return Ok(Vec::new()) };
        let (listing, fresh) = self.directory.list(member, false, self.cancel)?;
        let found = self.matching(member, &listing, schema, table);
        if !found.is_empty() || fresh {
            return Ok(found);
        }
        let (listing, _) = self.directory.list(member, true, self.cancel)?;
        Ok(self.matching(member, &listing, schema, table))
    }

    fn matching(
        &self,
        member: &'a Member,
        listing: &Listing,
        schema: Option<&str>,
        table: &str,
    ) -> Vec<(&'a Member, TablePath)> {
        let fits = |path: &&TablePath, exact: bool| {
            let equal = |one: &str, other: &str| if exact { one == other } else { same(one, other) };
            let schema = schema.is_none_or(|schema| path.schema.as_deref().is_some_and(|own| equal(own, schema)));
            schema && equal(&path.table, table) && (self.visible)(path)
        };
        let mut found: Vec<_> = listing.iter().filter(|path| fits(path, true)).cloned().collect();
        if found.is_empty() {
            found = listing.iter().filter(|path| fits(path, false)).cloned().collect();
        }
        let is_all = matches!(member.kind, Kind::Files(_)) && schema.is_none() && same(table, ALL_FILES);
        if let ([only], true, true) = (listing.as_slice(), found.is_empty(), is_all) {
            found = Some(only).filter(|path| (self.visible)(path)).cloned().into_iter().collect();
        }
        found.into_iter().map(|path| (member, path)).collect()
    }

    fn one(&self, found: Vec<(&'a Member, TablePath)>, name: &TableReference) -> Result<Found<'a>> {
        let members: Vec<&str> = found.iter().map(|(member, _)| member.name.as_str()).collect();
        let of_one = members.first().is_some_and(|first| members.iter().all(|member| member == first));
        let mut found = if of_one { prefer(found) } else { found };
        if let (Some((member, path)), true) = (found.pop(), found.is_empty()) {
            return Ok(Found::Member(member, path));
        }
        Err(self.not_one(name))
    }

    /// Why a name means nothing, or too much.
    fn not_one(&self, name: &TableReference) -> Error {
        let mut meant: Vec<String> = Vec::new();
        for member in self.members {
            if let Ok(tables) = self.find(Some(member), None, name.table()) {
                meant.extend(prefer(tables).into_iter().map(|(_, path)| path.to_string()));
            }
        }
        meant.sort();
        let members: Vec<&str> = self.members.iter().map(|member| member.name.as_str()).collect();
        if meant.len() > 1 && name.catalog().is_none() {
            return Error::new(ErrorKind::Sql, format!("the name \"{name}\" may mean {}", meant.join(" or ")))
                .with_sqlstate("42P09")
                .with_hint("write the one that is meant with the name of its source");
        }
        Error::new(ErrorKind::Sql, format!("there is no table \"{name}\"")).with_sqlstate("42P01").with_hint(format!(
            "tables are named source.schema.table or source.table; the sources are {}",
            members.join(", ")
        ))
    }
}

/// Of several tables with the same name in one member, the one that is meant without saying.
fn prefer(found: Vec<(&Member, TablePath)>) -> Vec<(&Member, TablePath)> {
    let is = |path: &TablePath, schemas: &[&str]| path.schema.as_deref().is_some_and(|own| schemas.contains(&own));
    if found.len() < 2 {
        return found;
    }
    let of_people: Vec<_> = found.iter().filter(|(_, path)| !is(path, &OWN)).cloned().collect();
    let found = if of_people.is_empty() { found } else { of_people };
    let usual: Vec<_> = found.iter().filter(|(_, path)| is(path, &USUAL)).cloned().collect();
    if usual.len() == 1 { usual } else { found }
}

fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

#[cfg(test)]
mod tests;
