//! The gateway itself: its sources, who may use them, and what waits to be fetched.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Error, ErrorKind, Result, Source};
use bowshot_gateway_access::{Access, Now};
use bowshot_gateway_catalog::{Catalog, Dialect};

use crate::cursors::Cursors;
use crate::drain::Draining;
use crate::prepared::Statements;
use crate::results::Results;

/// What a gateway gives at most.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long a result waits for its first fetch, and an endpoint for its own; then its snapshot is let go.
    pub ticket_lifetime: Duration,
    /// How many bytes of batches may wait for the client of one endpoint.
    pub endpoint_bytes: usize,
    /// How many endpoints a result has at most.
    pub endpoints: usize,
    /// The longest message that a client may send, in bytes.
    pub message_bytes: usize,
    /// How long what is running may go on when the gateway ends.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            ticket_lifetime: Duration::from_secs(60),
            endpoint_bytes: 4 << 20,
            endpoints: 64,
            message_bytes: 16 << 20,
            drain: Duration::from_secs(30),
        }
    }
}

/// A Flight SQL server in front of some sources.
#[derive(Clone)]
pub struct Gateway(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) sources: Vec<Served>,
    pub(crate) catalogs: Vec<Catalog>,
    pub(crate) access: Access,
    pub(crate) limits: Limits,
    pub(crate) results: Arc<Results>,
    pub(crate) statements: Statements,
    pub(crate) cursors: Cursors,
    /// Whether new work is refused.
    pub(crate) draining: Draining,
}

/// A source under the name that clients know it by.
pub(crate) struct Served {
    pub(crate) name: String,
    pub(crate) source: Arc<dyn Source>,
    /// How it writes SQL.
    pub(crate) dialect: bowshot_sql::Dialect,
}

impl Gateway {
    /// A gateway without a source.
    pub fn new(access: Access, limits: Limits) -> Self {
        Gateway(Arc::new(Inner {
            sources: Vec::new(),
            catalogs: Vec::new(),
            access,
            limits,
            results: Arc::default(),
            statements: Statements::default(),
            draining: Draining::default(),
            cursors: Cursors::default(),
        }))
    }

    /// Serves one more source, under a name of its own.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where the name is taken, or the gateway is in use already.
    pub fn with_source(mut self, name: &str, source: Arc<dyn Source>, dialect: Dialect) -> Result<Self> {
        let inner = Arc::get_mut(&mut self.0)
            .ok_or_else(|| Error::new(ErrorKind::Config, "sources are named before the gateway serves"))?;
        if inner.sources.iter().any(|served| served.name == name) {
            return Err(Error::new(ErrorKind::Config, format!("two sources are named \"{name}\""))
                .with_hint("give each source a name of its own"));
        }
        inner.catalogs.push(Catalog::new(name, Arc::clone(&source), dialect));
        inner.sources.push(Served { name: name.to_owned(), source, dialect: written(dialect) });
        Ok(self)
    }
}

/// How a kind of database writes SQL, as far as its placeholders go.
fn written(dialect: Dialect) -> bowshot_sql::Dialect {
    match dialect {
        Dialect::Postgres => bowshot_sql::Dialect::Postgres,
        Dialect::MySql => bowshot_sql::Dialect::MySql,
        Dialect::Sqlite => bowshot_sql::Dialect::Sqlite,
        Dialect::SqlServer => bowshot_sql::Dialect::SqlServer,
        Dialect::Oracle => bowshot_sql::Dialect::Oracle,
        Dialect::ClickHouse | Dialect::Trino | Dialect::DuckDb | Dialect::Other => bowshot_sql::Dialect::Standard,
    }
}

/// Lets go of what nobody fetched in time, for ever.
pub(crate) async fn sweep(inner: Arc<Inner>) {
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let inner = Arc::clone(&inner);
        // Closing connections may block.
        let swept = tokio::task::spawn_blocking(move || {
            inner.results.expire(Instant::now());
            inner.statements.expire(Instant::now());
            inner.access.sessions().expire(Now::read());
        });
        if swept.await.is_err() {
            return;
        }
    }
}

impl Inner {
    /// The source that a call asks for by name, or the only one.
    pub(crate) fn source(&self, name: Option<&str>) -> Result<&Served> {
        let names = || self.sources.iter().map(|served| served.name.as_str()).collect::<Vec<_>>().join(", ");
        match (name, self.sources.as_slice()) {
            (Some(name), sources) => sources.iter().find(|served| served.name == name).ok_or_else(|| {
                Error::new(ErrorKind::Config, format!("no source is named \"{name}\""))
                    .with_hint(format!("the sources are {}", names()))
            }),
            (None, [only]) => Ok(only),
            (None, []) => Err(Error::new(ErrorKind::Config, "this gateway has no source")),
            (None, _) => {
                Err(Error::new(ErrorKind::Config, "this gateway has several sources, and the call names none")
                    .with_hint(format!("name one of {} with the session option or the header \"catalog\"", names())))
            }
        }
    }
}
