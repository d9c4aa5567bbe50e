//! `bowshot serve`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_gateway::{Gateway, Tls};

use crate::access::{Door, check_listen, is_open, tls};
use crate::config::{Config, Given, Origin, Setting, Source};
use crate::gateway::{Named, gateway, sources};
use crate::key_set::{Published, published};
use crate::{check, console, demo, logs, say, signals};

/// How long what is cut off may take to close its connections.
const CLOSING: Duration = Duration::from_secs(2);

/// Serve sources over Arrow Flight SQL.
///
/// Each query goes to its source as it is written; its result becomes endpoints on one snapshot, which clients read side by
/// side. Clients: ADBC's Flight SQL driver, pyarrow.flight, the Flight SQL JDBC driver, Bowshot itself.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// Addresses of databases and files, as for bowshot.read_sql; NAME=ADDRESS gives one a name. They stand in the place of
    /// the file's [[source]].
    #[arg(value_name = "ADDRESS")]
    sources: Vec<String>,
    /// Lets the source of this name be changed: by those whose rules say so, or who have none. May stand several times.
    #[arg(long, value_name = "NAME")]
    writable: Vec<String>,
    /// The configuration file (TOML).
    #[arg(long, value_name = "FILE", env = "BOWSHOT_CONFIG")]
    config: Option<PathBuf>,
    /// Where to listen [default: 127.0.0.1:31337]; port 0 is a free one.
    #[arg(long, value_name = "IP:PORT")]
    listen: Option<String>,
    /// Where the web console, the metrics and the health checks are [default: off].
    #[arg(long, value_name = "IP:PORT")]
    console: Option<String>,
    /// The gateway's certificate with its chain (PEM); with it the gateway speaks TLS only.
    #[arg(long, value_name = "FILE")]
    tls_certificate: Option<String>,
    /// The key of the certificate (PEM).
    #[arg(long, value_name = "FILE")]
    tls_key: Option<String>,
    /// The authorities that sign certificates of clients (PEM); with it every client needs one.
    #[arg(long, value_name = "FILE")]
    tls_client_ca: Option<String>,
    /// Lines for people, or one JSON object a line [default: text].
    #[arg(long, value_name = "text|json")]
    log_format: Option<String>,
    /// Any setting of the file, such as --set limits.endpoints=8.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Listen beyond this machine although nothing is encrypted or nobody has to log in.
    #[arg(long)]
    insecure: bool,
    /// Check the configuration, print what is in effect and where it comes from, and end.
    #[arg(long)]
    check: bool,
    /// With --check: ask each source whether it answers.
    #[arg(long, requires = "check")]
    probe: bool,
}

const EXAMPLES: &str = "\
Examples:
  bowshot serve postgresql://ann@db.example/shop
  bowshot serve shop=sqlite:///shop.db lake=./lake/ --listen 127.0.0.1:31337
  bowshot serve --config bowshot.toml --check --probe

A configuration file:
  listen = \"0.0.0.0:31337\"
  tls = { certificate = \"server.crt\", key = \"server.key\" }
  [[source]]
  name = \"shop\"
  uri = \"postgresql://gateway:${file:/run/secrets/shop}@db.example/shop\"
  [[user]]
  name = \"ann\"
  password_hash = \"$argon2id$…\"   # printf %s \"$PASSWORD\" | bowshot hash-password
  [limits]
  endpoints = 8

Every setting has a variable too: BOWSHOT_LISTEN, BOWSHOT_LIMITS_ENDPOINTS, …; BOWSHOT_SOURCES, BOWSHOT_USERS and
BOWSHOT_WRITABLE are lists with white space between. The command line stands before the environment, that before the file.

Read from it:
  bowshot.read_sql(\"SELECT …\", \"grpc://127.0.0.1:31337\")                        Python, all endpoints side by side
  adbc_driver_flightsql.dbapi.connect(\"grpc://127.0.0.1:31337\")                Python, ADBC
  jdbc:arrow-flight-sql://127.0.0.1:31337?useEncryption=false                  Java, DBeaver, Tableau";

impl Serve {
    pub(crate) fn run(self) -> Result<ExitCode> {
        // A variable that is no text cannot be a setting, nor be meant in an address.
        let environment =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let mut config = Config::load(self.config.as_deref(), &environment.collect(), self.given()?)?;
        if config.sources.is_empty() {
            config.sources = demo::sources()?;
        }
        let listen = config.settings.address("listen")?;
        let tls = tls(&config.settings)?.map(Tls::read).transpose()?;
        check_listen(&config, Door::Gateway, listen, tls.is_some())?;
        let console = console::configured(&config)?;
        let sources = sources(&config)?;
        let published = published(&config.settings)?;
        let gateway = gateway(&config, &sources, published.as_ref())?;
        if self.check {
            return checked(&config, &sources, self.probe);
        }
        logs::start(&config.settings)?;
        for Named { name, address, writable, .. } in &sources {
            let rights = if *writable { ", writable" } else { "" };
            tracing::info!("source {name}: {address}{rights}");
        }
        if is_open(&config) {
            let and_write = if sources.iter().any(|named| named.writable) { " and write" } else { "" };
            tracing::warn!("no users are configured: everybody who reaches this address may read{and_write}");
        }
        bowshot_memory::reuse();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::new(ErrorKind::Io, format!("cannot start threads: {error}")))?;
        let ended = runtime.block_on(serve(&gateway, &sources, listen, tls, console, published));
        // Calls that are cut off cancel their queries.
        runtime.shutdown_timeout(CLOSING);
        Ok(ended.unwrap_or_else(|error| {
            tracing::error!("{error}");
            ExitCode::from(2)
        }))
    }

    /// What the command line says.
    fn given(&self) -> Result<Given> {
        let mut given = Given::default();
        let flags = [
            ("listen", &self.listen, "--listen"),
            ("console", &self.console, "--console"),
            ("tls.certificate", &self.tls_certificate, "--tls-certificate"),
            ("tls.key", &self.tls_key, "--tls-key"),
            ("tls.client_ca", &self.tls_client_ca, "--tls-client-ca"),
            ("log.format", &self.log_format, "--log-format"),
        ];
        for text in &self.set {
            let (key, value) = text.split_once('=').ok_or_else(|| {
                Error::new(ErrorKind::Config, format!("--set {text} has no value"))
                    .with_hint("write --set KEY=VALUE, such as --set limits.endpoints=8")
            })?;
            let items = Setting::of(key).map_or_else(|| vec![value.to_owned()], |setting| setting.items(value));
            given.settings.push((key.to_owned(), items, Origin::Flag(format!("--set {key}"))));
        }
        for (key, value, flag) in flags {
            let origin = Origin::Flag(flag.to_owned());
            given.settings.extend(value.iter().map(|value| (key.to_owned(), vec![value.clone()], origin.clone())));
        }
        if self.insecure {
            given.settings.push(("insecure".into(), vec!["true".into()], Origin::Flag("--insecure".into())));
        }
        let origin = || Origin::Flag("the command line".to_owned());
        given.writable = self.writable.iter().map(|name| (name.clone(), Origin::Flag("--writable".into()))).collect();
        given.sources = self.sources.iter().map(|source| Source::of_text(source, origin())).collect();
        Ok(given)
    }
}

/// Answers until a signal asks to end: with 0 after a drain, with the number of the second signal where one came.
async fn serve(
    gateway: &Gateway,
    sources: &[Named],
    listen: std::net::SocketAddr,
    tls: Option<Tls>,
    console: Option<console::Configured>,
    published: Option<Published>,
) -> Result<ExitCode> {
    let certificates = tls.iter().chain(console.as_ref().and_then(console::Configured::tls)).cloned().collect();
    let mut asked = signals::listen(certificates, published.clone())?;
    let mut again = asked.clone();
    if let Some(published) = published {
        tokio::spawn(published.keep_fresh());
    }
    let listener = Gateway::listen(listen).await?;
    let address = listener.local_addr().map_or_else(|_| listen.to_string(), |address| address.to_string());
    let scheme = if tls.is_some() { "grpc+tls" } else { "grpc" };
    tracing::info!("listening on {scheme}://{address}");
    let console = match console {
        Some(console) => Some(console.start(gateway, sources).await?),
        None => None,
    };
    let stop = async move {
        asked.times(1).await;
        tracing::info!("ending: new work is refused, what is being read goes on; another signal ends at once");
    };
    let serving = async {
        match tls {
            Some(tls) => gateway.serve_tls(listener, tls, stop).await,
            None => gateway.serve(listener, stop).await,
        }
    };
    tokio::select! {
        served = serving => {
            if let Some(console) = console {
                console.end(false).await;
            }
            served?;
            tracing::info!("ended");
            Ok(ExitCode::SUCCESS)
        }
        signal = again.times(2) => {
            if let Some(console) = console {
                console.end(true).await;
            }
            let cut = gateway.cancel_all();
            tracing::warn!(results = cut, "ended at once: what was being read is cut off");
            // As shells count the ends by signals.
            Ok(u8::try_from(128 + signal).map_or(ExitCode::FAILURE, ExitCode::from))
        }
    }
}

/// Prints what is in effect and, where that is asked for, what the sources answer.
fn checked(config: &Config, sources: &[Named], probe: bool) -> Result<ExitCode> {
    // What nobody reads need not be written.
    let _ = std::io::stdout().write_all(check::effective(config).as_bytes());
    let mut silent = 0;
    if probe {
        for (named, answer) in sources.iter().zip(check::probe(sources)) {
            match answer {
                Ok(time) => say(&format!("source {}: answers after {} ms", named.name, time.as_millis())),
                Err(error) => {
                    silent += 1;
                    say(&format!("source {}: {error}", named.name));
                }
            }
        }
    }
    if silent > 0 {
        say(&format!("error: {silent} of {} sources did not answer", sources.len()));
        return Ok(ExitCode::from(2));
    }
    say("the configuration is right");
    Ok(ExitCode::SUCCESS)
}
