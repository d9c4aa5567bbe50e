//! A connection: the driver, what waits for it, and what every query of it is sent with.

use std::collections::hash_map::RandomState;
use std::fmt::Write;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bowshot_core::{Cancel, Result};
use bowshot_runtime::Runtime;
use clickhouse::{Client, Compression};
use hyper_util::client::legacy::Client as Http;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::answer::Answer;
use crate::error;
use crate::input::Input;
use crate::login::{self, Facts};
use crate::uri::Location;

/// A connection; its queries run one after the other.
pub(crate) struct Session {
    pub(crate) runtime: Runtime,
    client: Client,
    pub(crate) location: Arc<Location>,
    pub(crate) facts: Arc<Facts>,
    /// Under which the server keeps what `before` set; `None` where there is nothing to keep.
    name: Option<String>,
}

impl Session {
    /// Connects, logs in and runs the user's statements.
    pub(crate) fn open(location: &Arc<Location>, before: &[String], cancel: &Cancel) -> Result<Self> {
        let mut session = Session::silent(location, Arc::default())?;
        session.facts = Arc::new(login::login(&session, cancel)?);
        session.begin(before, cancel)?;
        Ok(session)
    }

    /// One more connection to a server that is known.
    pub(crate) fn another(
        location: &Arc<Location>,
        facts: &Arc<Facts>,
        before: &[String],
        cancel: &Cancel,
    ) -> Result<Self> {
        let mut session = Session::silent(location, Arc::clone(facts))?;
        session.begin(before, cancel)?;
        Ok(session)
    }

    /// Nothing is sent yet.
    fn silent(location: &Arc<Location>, facts: Arc<Facts>) -> Result<Self> {
        let runtime = Runtime::new()?;
        let client = client(location)?;
        Ok(Session { runtime, client, location: Arc::clone(location), facts, name: None })
    }

    fn begin(&mut self, before: &[String], cancel: &Cancel) -> Result<()> {
        if before.is_empty() {
            return Ok(());
        }
        self.name = Some(unique());
        for statement in before {
            // These may write, such as a temporary table: they are the user's own word.
            let mut query = self.client.query_raw(statement);
            for (name, value) in self.kept().chain(self.user_settings()) {
                query = query.with_setting(name, value);
            }
            let mut cursor = query.fetch_bytes("Null").map_err(|error| self.error(error, false))?;
            self.runtime.wait(cancel, async {
                while cursor.next().await.map_err(|error| self.error(error, false))?.is_some() {}
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The answer to a query that only reads, with these settings too; each piece of it within the limit.
    pub(crate) fn query<'a>(
        &'a self,
        sql: &str,
        settings: &[(&str, String)],
        limit: Option<Duration>,
        cancel: &'a Cancel,
    ) -> Result<Input<Answer<'a>>> {
        let number = unique();
        let mut query = self.client.query_raw(sql).with_setting("query_id", &number);
        let facts = self.facts.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let ours = settings.iter().map(|(name, value)| (*name, value.as_str()));
        let ours = ours.filter(|(name, _)| self.facts.may_set(name));
        // The user's own come last and count.
        for (name, value) in facts.chain(ours).chain(self.user_settings()).chain(self.kept()) {
            query = query.with_setting(name, value);
        }
        let cursor = query.fetch_bytes("Native").map_err(|error| self.error(error, false))?;
        Ok(Input::new(Answer::new(self, cursor, number, limit, cancel)))
    }

    fn user_settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.location.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// What keeps this session on the server.
    fn kept(&self) -> impl Iterator<Item = (&str, &str)> {
        // As long as servers allow: a consumer may take its time.
        self.name.iter().flat_map(|name| [("session_id", name.as_str()), ("session_timeout", "3600")])
    }

    pub(crate) fn error(&self, error: clickhouse::error::Error, begun: bool) -> bowshot_core::Error {
        error::of_driver(error, &self.location.host.to_string(), begun)
    }
}

/// The driver, with a limit for connecting.
pub(crate) fn client(location: &Location) -> Result<Client> {
    let mut tcp = HttpConnector::new();
    tcp.set_connect_timeout(Some(location.connect_timeout));
    tcp.set_keepalive(Some(Duration::from_secs(60)));
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let http = Http::builder(TokioExecutor::new());
    let client = match &location.tls {
        None => Client::with_http_client(http.build(tcp)),
        Some(options) => {
            let config = options.config()?.as_ref().clone();
            let tls = hyper_rustls::HttpsConnectorBuilder::new().with_tls_config(config).https_only().enable_http1();
            Client::with_http_client(http.build(tls.wrap_connector(tcp)))
        }
    };
    let mut client = client.with_url(location.url()).with_user(&location.user);
    if let Some(password) = &location.password {
        client = client.with_password(password.expose());
    }
    if let Some(database) = &location.database {
        client = client.with_database(database);
    }
    client = client.with_product_info("bowshot", env!("CARGO_PKG_VERSION"));
    Ok(client.with_compression(if location.compress { Compression::Lz4 } else { Compression::None }))
}

/// A name that nothing else on the server has.
fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut name = "bowshot-".to_owned();
    for _ in 0..2 {
        // Each state is seeded by the operating system.
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(COUNT.fetch_add(1, Ordering::Relaxed));
        hasher.write_u32(std::process::id());
        // Writing to a string never fails.
        let _ = write!(name, "{:016x}", hasher.finish());
    }
    name
}
