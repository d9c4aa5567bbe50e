//! What operators read: lines on standard error, as text or as JSON.

use std::io::IsTerminal;

use bowshot_core::{Error, ErrorKind, Result};
use tracing::Level;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::Layers;

/// Writes log lines from now on, as `log.format` and `log.level` say.
pub(crate) fn start(settings: &Layers) -> Result<()> {
    let level: Level = settings.text("log.level").and_then(|level| level.parse().ok()).unwrap_or(Level::INFO);
    // What libraries say of themselves is for who asks for more than Bowshot's own information.
    let others = if level > Level::INFO { level } else { Level::ERROR };
    let filter = Targets::new().with_target("bowshot", level).with_default(others);
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let layer = match settings.text("log.format") {
        Some("json") => layer.json().flatten_event(true).with_current_span(false).with_span_list(false).boxed(),
        _ => {
            let in_colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            layer.with_ansi(in_colour).boxed()
        }
    };
    tracing_subscriber::registry()
        .with(layer.with_filter(filter))
        .try_init()
        .map_err(|error| Error::new(ErrorKind::Internal, format!("the log cannot start: {error}")))
}
