//! The web console beside the gateway, with the pages that operators' tools read.

mod encrypted;
mod host;
mod logins;
mod reach;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bowshot_core::Result;
use bowshot_gateway::{Gateway, Tls};
use bowshot_gateway_console::{Console, ConsoleOptions};
use bowshot_gateway_monitor::Viewer;
use tokio::runtime::Handle;
use tokio::sync::oneshot::{Sender, channel};
use tokio::task::JoinHandle;

use crate::access::{Door, check_listen, console_tls};
use crate::config::Config;
use crate::gateway::Named;
use encrypted::Encrypted;
use host::{CLIENT, GatewayHost};

/// How long the answers that are under way may take when the gateway has ended.
const GRACE: Duration = Duration::from_secs(2);

/// A console as it is configured.
pub(crate) struct Configured {
    address: SocketAddr,
    tls: Option<Tls>,
    options: ConsoleOptions,
}

/// A console that answers.
pub(crate) struct Serving {
    gateway: Gateway,
    stop: Sender<()>,
    ended: JoinHandle<Result<()>>,
}

/// The console; `None` where it is off.
///
/// # Errors
/// Of kind [`Config`](bowshot_core::ErrorKind::Config) where strangers could read along, and as [`Tls::read`].
pub(crate) fn configured(config: &Config) -> Result<Option<Configured>> {
    let settings = &config.settings;
    if settings.text("console").is_none_or(|text| text == "off") {
        return Ok(None);
    }
    let address = settings.address("console")?;
    let insecure = settings.is_true("insecure");
    let tls = console_tls(settings)?.map(Tls::read_for_browsers).transpose()?;
    check_listen(config, Door::Console, address, tls.is_some())?;
    let mut options = ConsoleOptions {
        names: settings.list("console_names").unwrap_or_default(),
        open_metrics: settings.is_true("console_open_metrics"),
        insecure,
        secure_cookies: tls.is_some(),
        ..ConsoleOptions::default()
    };
    if settings.text("limits.query_seconds").is_some() {
        options.query_time = options.query_time.min(settings.seconds("limits.query_seconds")?);
    }
    Ok(Some(Configured { address, tls, options }))
}

impl Configured {
    /// What it is encrypted with.
    pub(crate) fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    /// Begins to answer, in tasks of the runtime.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io), such as an address in use.
    pub(crate) async fn start(self, gateway: &Gateway, sources: &[Named]) -> Result<Serving> {
        let listener = Console::listen(self.address).await?;
        let address = listener.local_addr().unwrap_or(self.address);
        let host = GatewayHost::new(gateway.clone(), sources, Handle::current(), self.options.login_time);
        let console = Console::new(Arc::new(host), self.options);
        let (stop, stopped) = channel::<()>();
        // Whoever forgets the sender ends the console too.
        let stopped = async move { drop(stopped.await) };
        let (scheme, ended) = match self.tls {
            None => ("http", tokio::spawn(async move { console.serve(listener, stopped).await })),
            Some(tls) => {
                let listener = Encrypted::new(&tls, listener, address);
                ("https", tokio::spawn(async move { console.serve(listener, stopped).await }))
            }
        };
        tracing::info!("console on {scheme}://{address}");
        Ok(Serving { gateway: gateway.clone(), stop, ended })
    }
}

impl Serving {
    /// Ends the console when the gateway has ended: what is under way has a moment, unless all is to end at once.
    pub(crate) async fn end(self, at_once: bool) {
        let Serving { gateway, stop, mut ended } = self;
        // It may have ended by itself.
        let _ = stop.send(());
        if at_once || tokio::time::timeout(GRACE, &mut ended).await.is_err() {
            ended.abort();
        }
        // Telling a source may take a while.
        let cut = tokio::task::spawn_blocking(move || cut(&gateway));
        if let Ok(cut @ 1..) = cut.await {
            tracing::warn!(statements = cut, "statements of the console are cut off");
        }
    }
}

/// Ends the console's own statements, whosever they are; how many they were.
fn cut(gateway: &Gateway) -> usize {
    let viewer = Viewer::all("the end of the gateway");
    let running = gateway.monitor().running(&viewer);
    running.iter().filter(|view| view.client == CLIENT && gateway.monitor().kill(view.id, &viewer)).count()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::{Given, Origin};

    fn configured_with(settings: &[(&str, &str)]) -> Result<Option<Configured>> {
        let setting = |(key, value): &(&str, &str)| {
            ((*key).to_owned(), vec![(*value).to_owned()], Origin::Flag(format!("--{key}")))
        };
        let given = Given { settings: settings.iter().map(setting).collect(), ..Given::default() };
        configured(&Config::load(None, &BTreeMap::new(), given).unwrap())
    }

    #[test]
    fn it_is_off_until_it_is_asked_for() {
        assert!(configured_with(&[]).unwrap().is_none());
        assert!(configured_with(&[("console", "off")]).unwrap().is_none());
        let console = configured_with(&[("console", "[::1]:0"), ("console_names", "shop.example")]).unwrap().unwrap();
        assert_eq!(console.options.names, ["shop.example"]);
        assert!(!console.options.insecure && !console.options.open_metrics);
    }

    #[test]
    fn beyond_this_machine_it_is_only_for_who_insists() {
        let error = configured_with(&[("console", "0.0.0.0:31338")]).map(|_| ()).unwrap_err().to_string();
        assert!(
            error.starts_with("--console: ") && error.contains("nothing is encrypted, and nobody has to log in"),
            "{error}"
        );
        assert!(error.contains("console_certificate") && error.contains("127.0.0.1"), "{error}");
        let console = configured_with(&[("console", "0.0.0.0:31338"), ("insecure", "true")]).unwrap().unwrap();
        assert!(console.options.insecure);
    }

    #[test]
    fn a_certificate_has_a_key_and_a_purpose() {
        for (settings, words) in [
            (vec![("console_certificate", "a")], "console_key is not"),
            (vec![("console_key", "a")], "console_certificate is not"),
            (vec![("console_certificate", "a"), ("console_key", "b"), ("console_tls", "off")], "console_tls is off"),
            (vec![("console_certificate", "/nowhere"), ("console_key", "b")], "/nowhere cannot be read"),
            (vec![("tls.certificate", "/nowhere"), ("tls.key", "b")], "/nowhere cannot be read"),
        ] {
            let settings = [vec![("console", "127.0.0.1:0")], settings].concat();
            let error = configured_with(&settings).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let off =
            [("console", "127.0.0.1:0"), ("tls.certificate", "/nowhere"), ("tls.key", "b"), ("console_tls", "off")];
        assert!(configured_with(&off).unwrap().unwrap().tls().is_none());
    }

    #[test]
    fn its_queries_take_no_longer_than_others() {
        for (seconds, expected) in [("5", 5), ("3600", 60)] {
            let settings = [("console", "127.0.0.1:0"), ("limits.query_seconds", seconds)];
            let console = configured_with(&settings).unwrap().unwrap();
            assert_eq!(console.options.query_time, Duration::from_secs(expected));
        }
    }
}
