//! What a statement holds from its beginning to the end of its last endpoint.

use std::sync::Arc;
use std::time::Instant;

use bowshot_core::{Cancel, Error};
use bowshot_gateway_admission::{Budget, BudgetLimits, Busy, Permit};
use bowshot_gateway_monitor::{Running, Statement};
use tokio::sync::Notify;

use crate::gateway::Inner;

/// What a statement holds from its beginning to the end of its last endpoint: its place among those that run, what it may
/// cost, and its line in the list of what runs.
pub(crate) struct Work {
    pub(crate) running: Running,
    pub(crate) budget: Budget,
    _permit: Permit,
}

/// Why a statement's turn did not come.
pub(crate) enum NoTurn {
    Busy(Busy),
    Cancelled,
}

impl From<NoTurn> for Error {
    fn from(reason: NoTurn) -> Error {
        match reason {
            NoTurn::Busy(busy) => busy.into(),
            NoTurn::Cancelled => Error::cancelled(),
        }
    }
}

impl Inner {
    /// Lets a statement in when its turn comes, unless it is cancelled before.
    pub(crate) async fn admit(&self, statement: Statement, cancel: &Cancel) -> Result<Work, NoTurn> {
        let user = statement.user.clone();
        let running = self.monitor.begin(statement, cancel.clone());
        running.queued();
        let ended = Arc::new(Notify::new());
        let ending = Arc::clone(&ended);
        let _told = cancel.on_cancel(move || ending.notify_one());
        let permit = tokio::select! {
            permit = self.admission.enter(&user) => permit.map_err(|busy| {
                running.failed(&busy.clone().into());
                NoTurn::Busy(busy)
            }),
            () = ended.notified() => {
                running.failed(&Error::cancelled());
                Err(NoTurn::Cancelled)
            }
        };
        let permit = permit?;
        running.admitted();
        let limits = BudgetLimits { bytes: self.limits.result_bytes, time: self.limits.query_time };
        Ok(Work { running, budget: Budget::new(limits, Instant::now()), _permit: permit })
    }
}
