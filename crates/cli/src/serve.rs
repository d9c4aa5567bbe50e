//! `bowshot serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use bowshot_connect::connect;
use bowshot_core::{Error, ErrorKind, Result};
use bowshot_gateway::{Gateway, Limits};
use bowshot_gateway_access::{Access, Login, LoginLimits, SessionLimits, Tickets, UserEntry, Users};
use bowshot_gateway_catalog::Dialect;

use crate::config::{self, Config, Source};
use crate::{name, say};

/// Where the gateway listens unless it is told.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 31337);

/// Serve sources over Arrow Flight SQL.
///
/// Each query goes to its source as it is written; its result becomes endpoints on one snapshot, which clients read side by
/// side. Clients: ADBC's Flight SQL driver, pyarrow.flight, the Flight SQL JDBC driver (with useEncryption=false), Bowshot itself.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  bowshot serve postgresql://ann@db.example/shop\n  \
    bowshot serve sqlite:///shop.db ./lake/ --listen 127.0.0.1:31337\n  bowshot serve --config bowshot.toml --check")]
pub(crate) struct Serve {
    /// Addresses of databases and files, as for bowshot.read_sql; NAME=ADDRESS gives one a name.
    #[arg(value_name = "ADDRESS")]
    sources: Vec<String>,
    /// A configuration file (TOML): listen, [[source]], [[user]], [limits].
    #[arg(long, value_name = "FILE", env = "BOWSHOT_CONFIG")]
    config: Option<PathBuf>,
    /// Where to listen; port 0 is a free one.
    #[arg(long, value_name = "HOST:PORT", env = "BOWSHOT_LISTEN")]
    listen: Option<SocketAddr>,
    /// Listen beyond this machine although nothing is encrypted or nobody has to log in.
    #[arg(long)]
    insecure: bool,
    /// Check the configuration and the addresses, and end.
    #[arg(long)]
    check: bool,
}

impl Serve {
    pub(crate) fn run(self) -> Result<()> {
        let mut config = self.config.as_deref().map(config::read).transpose()?.unwrap_or_default();
        config.sources.extend(self.sources.iter().map(|source| given(source)));
        let listen = self.listen.or(config.listen).unwrap_or(LISTEN);
        if !listen.ip().is_loopback() && !self.insecure {
            return Err(Error::new(
                ErrorKind::Config,
                format!("{listen} is open to other machines, and nothing is encrypted"),
            )
            .with_hint("listen on 127.0.0.1 behind a proxy that speaks TLS, or say --insecure"));
        }
        let is_open = config.users.is_empty();
        let gateway = gateway(config)?;
        if self.check {
            say("the configuration is right");
            return Ok(());
        }
        if is_open {
            say("no users are configured: everybody who reaches this address may read");
        }
        serve(&gateway, listen)
    }
}

/// A source of the command line: its address, or its name and its address.
fn given(text: &str) -> Source {
    // libpq's keywords have equal signs too: host=/tmp dbname=shop.
    let is_address = |rest: &str| rest.contains("://") || (rest.contains(['/', ':', '.']) && !rest.contains('='));
    let named = text.split_once('=').filter(|(name, rest)| {
        let is_word = name.chars().all(|character| character.is_alphanumeric() || character == '_');
        !name.is_empty() && is_word && is_address(rest)
    });
    match named {
        Some((name, uri)) => Source { name: Some(name.to_owned()), uri: uri.to_owned() },
        None => Source { name: None, uri: text.to_owned() },
    }
}

/// The gateway of a configuration.
fn gateway(config: Config) -> Result<Gateway> {
    if config.sources.is_empty() {
        return Err(Error::new(ErrorKind::Config, "there is nothing to serve")
            .with_hint("give the address of a database or files: bowshot serve postgresql://user@host/db"));
    }
    // A protection that only half holds would be none: metadata obey rules, queries do not.
    if let Some(user) = config.users.iter().find(|user| !user.rules.is_empty()) {
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!("user \"{}\" has rules, which queries do not obey yet", user.name),
        )
        .with_hint("leave the rules out, and give the source's own login no more rights than all users may have"));
    }
    let entries: Vec<UserEntry> = config
        .users
        .into_iter()
        .map(|user| UserEntry { name: user.name, password_hash: user.password_hash, rules: user.rules })
        .collect();
    let users = if entries.is_empty() { Users::none() } else { Users::new(&entries)? };
    let login = Login::new(users, None, LoginLimits::default())?;
    let access = Access::new(login, SessionLimits::default(), Tickets::random()?)?;
    let standard = Limits::default();
    let limits = Limits {
        ticket_lifetime: config.limits.ticket_seconds.map_or(standard.ticket_lifetime, Duration::from_secs),
        endpoint_bytes: config.limits.endpoint_bytes.unwrap_or(standard.endpoint_bytes),
        endpoints: config.limits.endpoints.unwrap_or(standard.endpoints).max(1),
        ..standard
    };
    let mut gateway = Gateway::new(access, limits);
    for Source { name, uri } in config.sources {
        let name = name.unwrap_or_else(|| name::of_address(&uri));
        let scheme = uri.split(':').next().unwrap_or_default();
        gateway = gateway.with_source(&name, connect(&uri)?, Dialect::of_scheme(scheme))?;
    }
    Ok(gateway)
}

fn serve(gateway: &Gateway, listen: SocketAddr) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(ErrorKind::Io, format!("cannot start threads: {error}")))?;
    runtime.block_on(async {
        let listener = Gateway::listen(listen).await?;
        let address = listener.local_addr().map_or_else(|_| listen.to_string(), |address| address.to_string());
        say(&format!("listening on grpc://{address}"));
        gateway.serve(listener, asked_to_stop()).await
    })
}

/// Waits for Ctrl-C or SIGTERM.
async fn asked_to_stop() {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).ok();
    let terminated = async {
        match &mut terminate {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = terminated => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    say("ending: what is being read goes on to its end");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_have_a_name() {
        for (text, name, uri) in [
            ("shop=postgresql://h/db?a=b", Some("shop"), "postgresql://h/db?a=b"),
            ("lake=./lake/", Some("lake"), "./lake/"),
            ("postgresql://h/db?sslmode=require", None, "postgresql://h/db?sslmode=require"),
            ("host=/tmp dbname=shop", None, "host=/tmp dbname=shop"),
            ("dbname=shop", None, "dbname=shop"),
            ("odbc:DSN=shop", None, "odbc:DSN=shop"),
        ] {
            let source = given(text);
            assert_eq!((source.name.as_deref(), source.uri.as_str()), (name, uri));
        }
    }
}
