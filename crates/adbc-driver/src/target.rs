//! The source that a database object names, and what is known of it before it is asked.

use std::sync::Arc;

use bowshot_catalog::{Dialect, Lister, table_of_files};
use bowshot_core::{Address, Error, ErrorKind, Options, Result, Secrets, Source};

use bowshot_connect::Login;

/// A source by its address.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) source: Arc<dyn Source>,
    /// As people may see it.
    pub(crate) shown: String,
    /// How it writes SQL, for its text.
    pub(crate) sql: bowshot_sql::Dialect,
    /// Which catalog it has.
    pub(crate) catalog: Dialect,
    /// The table of a source of files.
    files: Option<String>,
    secrets: Secrets,
}

impl Target {
    /// The source that an address names; nothing is sent yet.
    pub(crate) fn new(uri: &str, login: &Login) -> Result<Self> {
        let address = login.written_into(uri)?;
        let uri = address.expose();
        let mut secrets = address.secrets();
        if let Some(password) = &login.password {
            secrets.add(password.expose());
        }
        let source = bowshot_connect::connect(uri).map_err(|error| secrets.hide_in(error))?;
        let scheme = bowshot_connect::scheme(uri).unwrap_or_default();
        let catalog = match uri.split_once(':') {
            Some((written, _)) if written.eq_ignore_ascii_case("duckdb") => Dialect::DuckDb,
            _ => Dialect::of_scheme(scheme),
        };
        Ok(Target {
            source,
            shown: Address::new(uri).to_string(),
            sql: bowshot_connect::dialect(uri),
            catalog,
            files: (scheme == "file").then(|| table_of_files(uri)),
            secrets,
        })
    }

    /// What asks the source for what it holds.
    pub(crate) fn lister(&self, options: Options) -> Lister {
        let lister = Lister::new(Arc::clone(&self.source), self.catalog).with_options(options);
        match &self.files {
            Some(table) => lister.with_tables([table.clone()]),
            None => lister,
        }
    }

    /// The lister, where it has something to tell.
    pub(crate) fn listing(&self, options: Options) -> Result<Lister> {
        let lister = self.lister(options);
        if lister.knows_tables() {
            return Ok(lister);
        }
        Err(Error::new(ErrorKind::Unsupported, "Bowshot does not know how this kind of source lists its tables")
            .with_hint("query its own catalog, such as information_schema.tables"))
    }

    /// The error without what nobody may see.
    pub(crate) fn hide(&self, error: Error) -> Error {
        self.secrets.hide_in(error)
    }
}
