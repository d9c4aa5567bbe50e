//! The gateway of a configuration.

use std::sync::Arc;

use bowshot_connect::connect;
use bowshot_core::{Address, Result};
use bowshot_gateway::{AdmissionLimits, Gateway, Limits, MonitorOptions, ShareLimits};
use bowshot_gateway_catalog::table_of_files;

use crate::access::access;
use crate::config::{Config, Layers, Source};
use crate::engine::engine;
use crate::key_set::Published;
use crate::kind::Kind;

/// A source that is served, as it may be shown.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) address: Address,
    pub(crate) source: Arc<dyn bowshot_core::Source>,
    pub(crate) kind: Kind,
    /// What its table is called where it is files.
    pub(crate) table: String,
    /// Whether it may be changed.
    pub(crate) writable: bool,
}

/// All sources under their names; nothing is sent to a database yet.
pub(crate) fn sources(config: &Config) -> Result<Vec<Named>> {
    config.sources.iter().map(named).collect()
}

fn named(source: &Source) -> Result<Named> {
    let kind = Kind::of(source.uri.expose());
    let connected = connect(source.uri.expose()).map_err(|error| source.origin.blame(&error))?;
    if source.writable {
        connected.writer().map(drop).map_err(|error| source.origin.blame(&error))?;
    }
    Ok(Named {
        name: source.known_as(),
        address: source.uri.clone(),
        source: connected,
        kind,
        table: table_of_files(&source.uri.to_string()),
        writable: source.writable,
    })
}

/// The gateway in front of these sources.
pub(crate) fn gateway(config: &Config, sources: &[Named], published: Option<&Published>) -> Result<Gateway> {
    let mut gateway = Gateway::new(access(config, published)?, limits(&config.settings)?)?;
    for Named { name, source, kind, table, writable, .. } in sources {
        gateway = match kind {
            Kind::Files => gateway.with_files(name, Arc::clone(source), table.clone())?,
            Kind::Database(dialect) => gateway.with_source(name, Arc::clone(source), *dialect)?,
        };
        if *writable {
            gateway = gateway.with_writable(name)?;
        }
    }
    gateway.with_engine(engine(&config.settings, sources)?)
}

/// What the gateway gives at most.
fn limits(settings: &Layers) -> Result<Limits> {
    let bytes = |key| settings.bytes(key).map(|bytes| u64::try_from(bytes).unwrap_or(u64::MAX));
    let standard = Limits::default();
    let share = ShareLimits {
        spill_bytes: bytes("limits.spill_bytes")?,
        spill_folder: settings.path("limits.spill_folder").unwrap_or(standard.share.spill_folder),
        ..standard.share
    };
    Ok(Limits {
        ticket_lifetime: settings.seconds("limits.ticket_seconds")?,
        endpoint_bytes: settings.bytes("limits.endpoint_bytes")?,
        endpoints: settings.count("limits.endpoints")?,
        message_bytes: settings.bytes("limits.message_bytes")?,
        drain: settings.seconds("limits.drain_seconds")?,
        result_bytes: settings.text("limits.result_bytes").map(|_| bytes("limits.result_bytes")).transpose()?,
        query_time: settings
            .text("limits.query_seconds")
            .map(|_| settings.seconds("limits.query_seconds"))
            .transpose()?,
        admission: AdmissionLimits {
            running: settings.count("limits.statements_running")?,
            queued: settings.count("limits.statements_queued")?,
            queued_for: settings.seconds("limits.statements_queued_seconds")?,
            per_user_running: settings.count("limits.statements_per_user")?,
        },
        share,
        history: MonitorOptions { redact: settings.is_true("log.redact"), ..standard.history },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_defaults_are_the_gateways_own() {
        assert_eq!(format!("{:?}", limits(&Layers::default()).unwrap()), format!("{:?}", Limits::default()));
    }
}
