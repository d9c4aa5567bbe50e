//! One query, its user, and the sources that this user may know of.

use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_gateway_access::{Rights, TablePath};
use bowshot_gateway_catalog::{Catalog, Dialect};

use crate::listing::Listing;
use crate::refused::Refused;
use crate::route::{Route, Router};
use crate::served::{Kind, Served};
use crate::system::is_named;

/// The way out where a source has to be named.
pub(crate) const NAME_ONE: &str = "name one with the session option or the header \"catalog\"";
/// How old a listing must be before a name that it does not hold has it read again. Only without rules: else the time that it
/// takes would tell.
const YOUNG: Duration = Duration::from_secs(1);

/// What one query is routed with.
pub(crate) struct Asking<'a> {
    pub(crate) router: &'a Router,
    pub(crate) rights: &'a Rights,
    catalogs: &'a [Catalog],
    cancel: &'a Cancel,
    /// Whether the user has rules.
    pub(crate) strict: bool,
    /// The sources that the user may know of, with their indexes, the preferred one first.
    pub(crate) sources: Vec<(usize, &'a Served)>,
    /// The source that names without a source are looked for in first: the preferred one, or the only one.
    pub(crate) home: Option<usize>,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(
        router: &'a Router,
        preferred: Option<&str>,
        rights: &'a Rights,
        catalogs: &'a [Catalog],
        cancel: &'a Cancel,
    ) -> std::result::Result<Self, Refused> {
        let all = router.served.iter().enumerate();
        let mut sources: Vec<_> = all.filter(|(_, served)| rights.may_see_source(&served.name)).collect();
        let named = |name: &str| sources.iter().position(|(_, served)| served.name == name);
        let foreign = |(_, served): &&(usize, &Served)| served.kind != Kind::Own;
        let home = match preferred {
            Some(name) => {
                let Some(at) = named(name) else {
                    let names = names(&sources);
                    let hint = format!("the sources are {names}");
                    return Err(Refused::failed(ErrorKind::Config, format!("no source is named \"{name}\""), hint));
                };
                let first = sources.remove(at);
                sources.insert(0, first);
                Some(first.0)
            }
            None if sources.iter().filter(foreign).count() == 1 => {
                sources.iter().find(foreign).map(|(index, _)| *index)
            }
            None => None,
        };
        // Whoever has rules is told nothing of what they leave out.
        let strict = *rights != Rights::all();
        Ok(Asking { router, rights, catalogs, cancel, strict, sources, home })
    }

    /// Where the query goes.
    fn route_among(&self, sql: &str) -> std::result::Result<Route, Refused> {
        let mut foreign = self.sources.iter().filter(|(_, served)| served.kind != Kind::Own);
        match (foreign.next(), foreign.next()) {
            (Some((index, served)), None) if served.kind == Kind::Database => self.single(sql, *index, served),
            _ => self.several(sql),
        }
    }

    pub(crate) fn route(&self, sql: &str) -> std::result::Result<Route, Refused> {
        if self.sources.is_empty() {
            return Err(Refused::failed(
                ErrorKind::Config,
                "there is no source that this user may read",
                "ask who runs the gateway for a rule that allows one",
            ));
        }
        self.route_among(sql)
    }

    /// What a source lists; `None` where its kind of database is not known, and nobody can ask it.
    pub(crate) fn listing(&self, served: &Served, age: Duration) -> Result<Option<Arc<Listing>>> {
        let catalog = self.catalogs.iter().find(|catalog| catalog.name() == served.name).ok_or_else(|| {
            Error::new(
                ErrorKind::Internal,
                format!("the source \"{}\" has no catalog; please report this", served.name),
            )
        })?;
        if served.kind == Kind::Database && catalog.dialect() == Dialect::Other {
            return Ok(None);
        }
        self.router.listings.get(catalog, age, self.cancel).map(Some)
    }

    /// The same; without rules, one that does not hold `table` is read again, since the table may be new.
    pub(crate) fn listing_with(&self, served: &Served, table: &str) -> Result<Option<Arc<Listing>>> {
        let listing = self.listing(served, self.router.age)?;
        match &listing {
            Some(known) if !self.strict && known.named(table).is_empty() => self.listing(served, YOUNG),
            _ => Ok(listing),
        }
    }

    /// Whether the user may read a table.
    pub(crate) fn may_read(&self, path: &TablePath, system: bool, served: &Served) -> bool {
        !self.strict || (self.rights.may_read(path) && (!system || is_named(self.rights, path, served.dialect)))
    }

    /// The names of the sources that the user may know of.
    pub(crate) fn names(&self) -> String {
        names(&self.sources)
    }
}

fn names(sources: &[(usize, &Served)]) -> String {
    sources.iter().map(|(_, served)| served.name.as_str()).collect::<Vec<_>>().join(", ")
}
