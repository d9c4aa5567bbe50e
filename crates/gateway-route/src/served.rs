//! What the gateway serves, as far as names go.

use bowshot_sql::{Dialect, NamePart};

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A database: it answers queries itself.
    Database,
    /// Files: the engine reads them.
    Files,
    /// The gateway's own tables, such as `bowshot.queries`: the engine reads them too, and they are never meant by a name
    /// without their schema.
    Own,
}

/// A source under the name that clients know it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) dialect: Dialect,
    pub(crate) default_schema: Option<String>,
    pub(crate) own_tables: Vec<String>,
    pub(crate) writable: bool,
}

impl Served {
    /// A database that is written to in this dialect.
    pub fn database(name: impl Into<String>, dialect: Dialect) -> Self {
        let own_tables = Vec::new();
        Served { name: name.into(), kind: Kind::Database, dialect, default_schema: None, own_tables, writable: false }
    }

    /// Files. Their catalog says which tables they are.
    pub fn files(name: impl Into<String>) -> Self {
        Served { kind: Kind::Files, ..Served::database(name, Dialect::Postgres) }
    }

    /// The gateway's own schema and its tables, which no catalog lists.
    pub fn own(name: impl Into<String>, tables: impl IntoIterator<Item = String>) -> Self {
        let own_tables = tables.into_iter().collect();
        Served { kind: Kind::Own, own_tables, ..Served::database(name, Dialect::Postgres) }
    }

    /// The only schema in which the database looks for names without one, such as the database of MySQL's URI. Where it is
    /// not known, such a name counts as a name of every schema.
    #[must_use]
    pub fn with_default_schema(mut self, schema: impl Into<String>) -> Self {
        self.default_schema = Some(schema.into());
        self
    }

    /// A source that may be changed.
    #[must_use]
    pub fn writable(mut self) -> Self {
        self.writable = true;
        self
    }

    /// The name that clients see.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether it may be changed.
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// Whether a part of a name is this source's name.
    pub(crate) fn is_named(&self, part: &NamePart) -> bool {
        if part.quoted { part.text == self.name } else { part.text.eq_ignore_ascii_case(&self.name) }
    }
}
