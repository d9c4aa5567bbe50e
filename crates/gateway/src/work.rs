//! What a statement holds from its beginning to the end of its last endpoint.

use std::time::Instant;

use bowshot_core::Cancel;
use bowshot_gateway_admission::{Budget, BudgetLimits, Permit};
use bowshot_gateway_monitor::{Running, Statement};
use tonic::Status;

use crate::caller::Caller;
use crate::gateway::Inner;
use crate::status::of_busy;

/// What a statement holds from its beginning to the end of its last endpoint: its place among those that run, what it may
/// cost, and its line in the list of what runs.
pub(crate) struct Work {
    pub(crate) running: Running,
    pub(crate) budget: Budget,
    _permit: Permit,
}

impl Inner {
    /// Lets a statement in, when its turn comes.
    pub(crate) async fn admit(&self, sql: &str, cancel: &Cancel, caller: &Caller) -> Result<Work, Status> {
        let statement = Statement {
            user: caller.user().to_owned(),
            client: caller.program().to_owned(),
            source: caller.catalog(),
            sql: sql.to_owned(),
            session: caller.session.is_kept().then(|| caller.session.id().to_string()),
        };
        let running = self.monitor.begin(statement, cancel.clone());
        running.queued();
        let permit = self.admission.enter(caller.user()).await.map_err(|busy| {
            running.failed(&busy.clone().into());
            of_busy(&busy)
        })?;
        running.admitted();
        let limits = BudgetLimits { bytes: self.limits.result_bytes, time: self.limits.query_time };
        Ok(Work { running, budget: Budget::new(limits, Instant::now()), _permit: permit })
    }
}
