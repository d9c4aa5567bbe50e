//! The gateway itself: its sources, who may use them, and what waits to be fetched.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Error, ErrorKind, Options, Result, Source};
use bowshot_gateway_access::{Access, Now};
use bowshot_gateway_admission::{Admission, AdmissionLimits};
use bowshot_gateway_catalog::{Catalog, Dialect};
use bowshot_gateway_monitor::{Monitor, MonitorOptions};
use bowshot_gateway_route::Router;
use bowshot_gateway_share::ShareLimits;

use crate::cursors::Cursors;
use crate::drain::Draining;
use crate::engine::Engine;
use crate::own;
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
    /// How many bytes of Arrow a result may have, over all endpoints; `None`: any number.
    pub result_bytes: Option<u64>,
    /// How long a statement may take from its turn to its last byte; `None`: any time.
    pub query_time: Option<Duration>,
    /// How many statements run and wait.
    pub admission: AdmissionLimits,
    /// How much of a result that is executed once for several endpoints may wait for them.
    pub share: ShareLimits,
    /// How much is remembered of statements that ended.
    pub history: MonitorOptions,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            ticket_lifetime: Duration::from_secs(60),
            endpoint_bytes: 4 << 20,
            endpoints: 64,
            message_bytes: 16 << 20,
            drain: Duration::from_secs(30),
            result_bytes: None,
            query_time: None,
            admission: AdmissionLimits::default(),
            share: ShareLimits::default(),
            history: MonitorOptions::default(),
        }
    }
}

/// A Flight SQL server in front of some sources.
#[derive(Clone)]
pub struct Gateway(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) sources: Vec<Served>,
    pub(crate) catalogs: Vec<Catalog>,
    pub(crate) router: Router,
    /// What answers where no source can.
    pub(crate) engine: Option<Arc<dyn Engine>>,
    pub(crate) access: Access,
    pub(crate) limits: Limits,
    pub(crate) admission: Admission,
    pub(crate) monitor: Monitor,
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
    /// What makes its sessions read and not write.
    pub(crate) before: Vec<String>,
}

impl Gateway {
    /// A gateway without a source.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where the limits let nothing run.
    pub fn new(access: Access, limits: Limits) -> Result<Self> {
        let mut admission = limits.admission;
        if access.login().is_open() {
            // Everybody is the same user there.
            admission.per_user_running = admission.running;
        }
        Ok(Gateway(Arc::new(Inner {
            sources: Vec::new(),
            catalogs: Vec::new(),
            router: Router::new(Vec::new()),
            engine: None,
            admission: Admission::new(admission)?,
            monitor: Monitor::new(limits.history),
            access,
            limits,
            results: Arc::default(),
            statements: Statements::default(),
            draining: Draining::default(),
            cursors: Cursors::default(),
        })))
    }

    /// Serves one more source, under a name of its own.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where the name is taken, or the gateway is in use already.
    pub fn with_source(self, name: &str, source: Arc<dyn Source>, dialect: Dialect) -> Result<Self> {
        let before: Vec<String> = read_only(dialect).iter().map(|&statement| statement.to_owned()).collect();
        let options = Options { before: before.clone(), ..Options::default() };
        let catalog = Catalog::new(name, Arc::clone(&source), dialect).with_options(options);
        let dialect = written(dialect);
        let served = Served { name: name.to_owned(), source, dialect, before };
        self.with(served, catalog, bowshot_gateway_route::Served::database(name, dialect))
    }

    /// Lets a source be changed that is served already: by those whose rights say so, or who have no rules.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where there is no such source, of kind [`Unsupported`](ErrorKind::Unsupported) where
    /// Bowshot does not write to its kind.
    pub fn with_writable(mut self, name: &str) -> Result<Self> {
        let inner = self.unserved()?;
        let served = inner.sources.iter().find(|served| served.name == name);
        let served = served.ok_or_else(|| {
            Error::new(ErrorKind::Config, format!("no source is named \"{name}\", so it cannot be writable"))
        })?;
        served.source.writer().map(drop)?;
        let writable = |served: &bowshot_gateway_route::Served| match served.name() == name {
            true => served.clone().writable(),
            false => served.clone(),
        };
        inner.router = Router::new(inner.router.served().iter().map(writable).collect());
        inner.catalogs.iter_mut().filter(|catalog| catalog.name() == name).for_each(Catalog::make_writable);
        Ok(self)
    }

    /// Serves files, which the engine reads: the table is called as
    /// [`table_of_files`](bowshot_gateway_catalog::table_of_files) says.
    ///
    /// # Errors
    /// As [`with_source`](Self::with_source).
    pub fn with_files(self, name: &str, source: Arc<dyn Source>, table: String) -> Result<Self> {
        let catalog = Catalog::new(name, Arc::clone(&source), Dialect::Other).with_tables([table]);
        let served =
            Served { name: name.to_owned(), source, dialect: bowshot_sql::Dialect::Postgres, before: Vec::new() };
        self.with(served, catalog, bowshot_gateway_route::Served::files(name))
    }

    /// Has an engine answer what no single source can: files, joins across sources, and the gateway's own tables.
    ///
    /// # Errors
    /// As [`with_source`](Self::with_source).
    pub fn with_engine(mut self, engine: Arc<dyn Engine>) -> Result<Self> {
        let inner = self.unserved()?;
        inner.engine = Some(engine);
        inner.catalogs.push(own::catalog());
        inner.route_to(own::served());
        Ok(self)
    }

    /// What the gateway knows of its own work.
    pub fn monitor(&self) -> &Monitor {
        &self.0.monitor
    }

    fn with(mut self, served: Served, catalog: Catalog, routed: bowshot_gateway_route::Served) -> Result<Self> {
        let inner = self.unserved()?;
        let name = served.name.clone();
        if inner.sources.iter().any(|served| served.name == name) {
            return Err(Error::new(ErrorKind::Config, format!("two sources are named \"{name}\""))
                .with_hint("give each source a name of its own"));
        }
        inner.catalogs.push(catalog);
        inner.sources.push(served);
        inner.route_to(routed);
        Ok(self)
    }

    fn unserved(&mut self) -> Result<&mut Inner> {
        Arc::get_mut(&mut self.0)
            .ok_or_else(|| Error::new(ErrorKind::Config, "sources are named before the gateway serves"))
    }
}

impl Inner {
    fn route_to(&mut self, served: bowshot_gateway_route::Served) {
        let mut all = self.router.served().to_vec();
        all.push(served);
        // The gateway's own tables come last: the others have the indexes of the sources.
        all.sort_by_key(|served| served.kind() == bowshot_gateway_route::Kind::Own);
        self.router = Router::new(all);
    }
}

/// What keeps a session of a source from writing. Where there is no such statement, the login's rights must do.
fn read_only(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Postgres => &["SET default_transaction_read_only = on"],
        Dialect::MySql => &["SET SESSION TRANSACTION READ ONLY"],
        Dialect::Sqlite => &["PRAGMA query_only = ON"],
        _ => &[],
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
            inner.results.end_late(Instant::now());
            inner.monitor.set_sessions(inner.access.sessions().len());
            inner.statements.expire(Instant::now());
            inner.access.sessions().expire(Now::read());
        });
        if swept.await.is_err() {
            return;
        }
    }
}

impl Inner {
    /// How a call writes SQL: as the source that it names, or as the only one; else as the engine.
    pub(crate) fn dialect(&self, preferred: Option<&str>) -> bowshot_sql::Dialect {
        let named = self.sources.iter().find(|served| Some(served.name.as_str()) == preferred);
        let only = || self.sources.first().filter(|_| self.sources.len() == 1);
        named.or_else(only).map_or(bowshot_sql::Dialect::Postgres, |served| served.dialect)
    }
}
