//! The engine that answers what no single source can, in the gateway's words.

use std::sync::Arc;

use bowshot_core::{Cancel, Plan, Request, Result};
use bowshot_gateway::{Asker, OwnTable};
use bowshot_gateway_catalog::Catalog;
use bowshot_gateway_engine::{self as engine, EngineLimits, Kind, Member, System};

use crate::config::Layers;
use crate::gateway::Named;
use crate::kind;

/// The engine over these sources.
pub(crate) fn engine(settings: &Layers, sources: &[Named]) -> Result<Arc<dyn bowshot_gateway::Engine>> {
    let limits = EngineLimits {
        memory_bytes: settings.bytes("limits.memory_bytes")?,
        spill_bytes: u64::try_from(settings.bytes("limits.spill_bytes")?).unwrap_or(u64::MAX),
        spill_folder: settings.path("limits.spill_folder"),
        ..EngineLimits::default()
    };
    Ok(Arc::new(Answering(engine::Engine::new(sources.iter().map(member).collect(), limits)?)))
}

fn member(named: &Named) -> Member {
    let catalog = Catalog::new(&named.name, Arc::clone(&named.source), named.kind.dialect());
    let (kind, catalog) = match named.kind {
        kind::Kind::Files => (Kind::Files(named.address.to_string()), catalog.with_tables([named.table.clone()])),
        kind::Kind::Database(dialect) => (Kind::Database(dialect), catalog),
    };
    Member { name: named.name.clone(), source: Arc::clone(&named.source), kind, catalog }
}

struct Answering(engine::Engine);

impl bowshot_gateway::Engine for Answering {
    fn plan(&self, request: &Request, asker: &Asker<'_>, cancel: &Cancel) -> Result<Plan> {
        let system: Vec<System> = asker.own.iter().map(system).collect();
        let asker = engine::Asker { default_member: asker.preferred, visible: asker.visible, system: &system };
        self.0.plan(request, &asker, cancel)
    }
}

fn system(own: &OwnTable) -> System {
    System {
        schema: own.schema.to_owned(),
        name: own.name.to_owned(),
        columns: Arc::clone(&own.columns),
        batches: Arc::clone(&own.rows),
    }
}
