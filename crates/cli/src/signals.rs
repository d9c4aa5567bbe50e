//! What the system asks of the gateway: SIGTERM and Ctrl-C to end, a second one to end at once, SIGHUP to read certificates
//! and keys.

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_gateway::Tls;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch::{Receiver, Sender, channel};

use crate::key_set::Published;

/// The signals that asked to end, in their order.
#[derive(Clone)]
pub(crate) struct Asked(Receiver<Vec<i32>>);

/// Listens to signals from now on.
///
/// # Errors
/// Of kind [`Internal`](ErrorKind::Internal): the system does not allow it.
pub(crate) fn listen(certificates: Vec<Tls>, published: Option<Published>) -> Result<Asked> {
    let open = |kind| {
        signal(kind).map_err(|error| Error::new(ErrorKind::Internal, format!("signals cannot be heard: {error}")))
    };
    let (sender, receiver) = channel(Vec::new());
    let ends = [SignalKind::terminate(), SignalKind::interrupt()];
    for kind in ends {
        tokio::spawn(count(open(kind)?, kind.as_raw_value(), sender.clone()));
    }
    tokio::spawn(read_again(open(SignalKind::hangup())?, certificates, published));
    Ok(Asked(receiver))
}

impl Asked {
    /// Waits until signals have asked `times` times; the last of them.
    pub(crate) async fn times(&mut self, times: usize) -> i32 {
        match self.0.wait_for(|signals| signals.len() >= times).await {
            Ok(signals) => signals.last().copied().unwrap_or_default(),
            // Nobody listens any more: then nobody asks.
            Err(_) => std::future::pending().await,
        }
    }
}

async fn count(mut signal: Signal, number: i32, sender: Sender<Vec<i32>>) {
    while signal.recv().await.is_some() {
        sender.send_modify(|signals| signals.push(number));
    }
}

async fn read_again(mut signal: Signal, certificates: Vec<Tls>, published: Option<Published>) {
    while signal.recv().await.is_some() {
        published.iter().for_each(Published::ask);
        match certificates.iter().map(Tls::read_again).reduce(Result::and) {
            None => tracing::info!("SIGHUP: there is no certificate to read again"),
            Some(Ok(())) => tracing::info!("SIGHUP: new connections have the certificate that was read now"),
            Some(Err(error)) => tracing::error!(%error, "SIGHUP: the certificate stays as it was"),
        }
    }
}
