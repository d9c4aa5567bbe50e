//! Which table of a source a name means.

use bowshot_core::Result;
use bowshot_gateway_access::TablePath;
use bowshot_sql::{Dialect, Name, NamePart};

use crate::asking::Asking;
use crate::listing::{Listed, Listing};
use crate::served::{Kind, Served};
use crate::system::is_system;

/// A name's place in one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The source's own name stands before it, and is no part of what the source knows it by.
    pub(crate) cut: bool,
    /// The tables that it can mean, the likeliest first; at least one. The user may read all of them.
    pub(crate) paths: Vec<TablePath>,
    /// Whether the source lists them, as opposed to: they may be there.
    pub(crate) listed: bool,
}

impl Placed {
    /// The table that it means, as far as anybody knows.
    pub(crate) fn path(&self) -> Option<&TablePath> {
        self.paths.first()
    }
}

impl Asking<'_> {
    /// What a name means in a source, if the user may read all that it can mean there.
    ///
    /// `a.b` in a source `a` that has a schema `a` with a table `b` is that table: what the source itself would say goes first.
    pub(crate) fn place(&self, served: &Served, name: &Name) -> Result<Option<Placed>> {
        let parts = name.0.as_slice();
        let Some((first, rest)) = parts.split_first() else { return Ok(None) };
        let named = !rest.is_empty() && served.is_named(first);
        if served.kind == Kind::Own {
            return Ok(if named { self.own(served, rest) } else { None });
        }
        if !named {
            return self.local(served, parts, false);
        }
        if parts.len() == 2
            && let Some(placed) = self.local(served, parts, false)?
            && placed.listed
        {
            return Ok(Some(placed));
        }
        self.local(served, rest, true)
    }

    /// A table of the gateway's own.
    fn own(&self, served: &Served, parts: &[NamePart]) -> Option<Placed> {
        let table = match parts {
            [table] => table,
            // As it is listed: its catalog is called like its schema.
            [schema, table] if served.is_named(schema) => table,
            _ => return None,
        };
        let known = served.own_tables.iter().find(|known| known.eq_ignore_ascii_case(&table.text))?;
        let path = TablePath::new(&served.name, &served.name, known);
        self.may_read(&path, false, served).then(|| Placed { cut: false, paths: vec![path], listed: true })
    }

    /// A name as the source itself knows it. `cut`: the source's name stood before it.
    fn local(&self, served: &Served, parts: &[NamePart], cut: bool) -> Result<Option<Placed>> {
        let (schema, table) = match parts {
            [table] => (None, table),
            [schema, table] => (Some(schema), table),
            // A database of the server's, a catalog of the source's: nobody lists it.
            [.., schema, table] if cut && !self.strict => {
                let path = TablePath::new(&served.name, &schema.text, &table.text);
                return Ok(Some(Placed { cut, paths: vec![path], listed: false }));
            }
            _ => return Ok(None),
        };
        let Some(listing) = self.listing_with(served, &table.text)? else {
            return Ok(self.unlisted(served, schema, table, cut));
        };
        let found = find(&listing, served, schema, table);
        if found.is_empty() {
            // Whoever names the source means it; it will say itself that there is no such table.
            let path = written(served, schema, table);
            let assumed = cut && !self.strict && served.kind == Kind::Database;
            return Ok(assumed.then(|| Placed { cut, paths: vec![path], listed: false }));
        }
        let mut paths = Vec::with_capacity(found.len());
        for listed in found {
            let path = TablePath::new(&served.name, listed.schema.clone().unwrap_or_default(), &listed.table);
            if !self.may_read(&path, listed.system, served) {
                return Ok(None);
            }
            paths.push(path);
        }
        Ok(Some(Placed { cut, paths, listed: true }))
    }

    /// A name in a source that cannot be asked for its tables. With rules, only a plain one: others may be files, or what the
    /// server takes for another name.
    fn unlisted(&self, served: &Served, schema: Option<&NamePart>, table: &NamePart, cut: bool) -> Option<Placed> {
        let path = written(served, schema, table);
        if !self.strict {
            return cut.then(|| Placed { cut, paths: vec![path], listed: false });
        }
        let plain = schema.is_none_or(is_plain) && is_plain(table);
        let system = is_system(path.schema.as_deref(), &path.table);
        let allowed = plain && self.may_read(&path, system, served);
        allowed.then(|| Placed { cut, paths: vec![path], listed: false })
    }
}

/// The table that a name says, without asking anybody.
pub(crate) fn written(served: &Served, schema: Option<&NamePart>, table: &NamePart) -> TablePath {
    let schema = schema.map(|schema| schema.text.clone()).or_else(|| served.default_schema.clone());
    TablePath { source: served.name.clone(), schema, table: table.text.clone() }
}

fn is_plain(part: &NamePart) -> bool {
    let letters = part.text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    letters && part.text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

/// The listed tables that a name can mean: those of exactly this name, or else, where the server may not tell capital letters
/// apart, those of the same letters.
fn find<'a>(listing: &'a Listing, served: &Served, schema: Option<&NamePart>, table: &NamePart) -> Vec<&'a Listed> {
    let default = served.default_schema.clone().map(|text| NamePart { text, quoted: true });
    let schema = schema.or(default.as_ref());
    let fold = |part: &NamePart| if part.quoted { part.text.clone() } else { fold(&part.text, served.dialect) };
    let (table, schema) = (fold(table), schema.map(fold));
    // `data` always means the files of a source.
    if served.kind == Kind::Files
        && schema.is_none()
        && table.eq_ignore_ascii_case("data")
        // A pattern of files is called so itself.
        && listing.named("data").is_empty()
    {
        return listing.only().into_iter().collect();
    }
    let exact = |one: &str, other: &str| one == other;
    let alike = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
    let matching = |same: &dyn Fn(&str, &str) -> bool| -> Vec<&Listed> {
        let in_schema = |listed: &Listed| match (&schema, &listed.schema) {
            (None, _) => true,
            (Some(schema), Some(listed)) => same(schema, listed),
            (Some(_), None) => false,
        };
        listing.named(&table).iter().filter(|listed| same(&table, &listed.table) && in_schema(listed)).collect()
    };
    let tells = matches!(served.dialect, Dialect::Postgres | Dialect::Oracle) && served.kind == Kind::Database;
    let found = matching(&exact);
    let mut found = if found.is_empty() && !tells { matching(&alike) } else { found };
    // Where databases look first for a name without a schema.
    found.sort_by_key(|listed| !matches!(listed.schema.as_deref(), Some("public" | "dbo" | "main" | "default")));
    found
}

/// An unquoted name as the source folds it: the query may have been read as another dialect's.
fn fold(name: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Postgres => name.to_ascii_lowercase(),
        Dialect::Oracle => name.to_ascii_uppercase(),
        Dialect::Sqlite | Dialect::MySql | Dialect::SqlServer | Dialect::Standard => name.to_owned(),
    }
}
