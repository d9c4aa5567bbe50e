//! Whether the gateway takes work, asked in a way that cannot hang.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Error, ErrorKind, Result};
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::Host;

/// Asks [`Host::ready`], at most one at a time: who comes while a probe is under way waits for the same one, and one that
/// has taken too long counts as "no" until it comes back.
#[derive(Default)]
pub(crate) struct Probe(Mutex<Option<UnderWay>>);

struct UnderWay {
    since: Instant,
    /// Closed without a word if the probe panics.
    answer: watch::Receiver<Option<Result<(), String>>>,
}

impl Probe {
    /// Whether the gateway takes work; an error says why not.
    pub(crate) async fn ready(&self, host: &Arc<dyn Host>, limit: Duration) -> Result<()> {
        let (since, mut answer) = self.under_way(host);
        let left = limit.saturating_sub(since.elapsed());
        let told = tokio::time::timeout(left, answer.wait_for(Option::is_some)).await;
        match told {
            Ok(Ok(told)) => match &*told {
                Some(Err(why)) => Err(Error::new(ErrorKind::Connect, why.clone())),
                _ => Ok(()),
            },
            Ok(Err(_)) => Err(Error::new(ErrorKind::Internal, "the probe failed; please report this")),
            Err(_) => {
                let seconds = since.elapsed().as_secs();
                Err(Error::new(ErrorKind::Timeout, format!("the probe has not come back for {seconds} s")))
            }
        }
    }

    /// The probe that is under way, or a new one.
    fn under_way(&self, host: &Arc<dyn Host>) -> (Instant, watch::Receiver<Option<Result<(), String>>>) {
        let mut current = self.0.lock();
        if let Some(probe) = current.as_ref().filter(|probe| !has_ended(&probe.answer)) {
            return (probe.since, probe.answer.clone());
        }
        let (tell, answer) = watch::channel(None);
        let host = Arc::clone(host);
        tokio::task::spawn_blocking(move || {
            let told = host.ready().map_err(|error| error.to_string());
            // Nobody waits any more.
            let _ = tell.send(Some(told));
        });
        let since = Instant::now();
        *current = Some(UnderWay { since, answer: answer.clone() });
        (since, answer)
    }
}

/// Whether it has answered, or will never.
fn has_ended(answer: &watch::Receiver<Option<Result<(), String>>>) -> bool {
    answer.borrow().is_some() || answer.has_changed().is_err()
}
