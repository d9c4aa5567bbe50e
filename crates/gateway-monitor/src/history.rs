//! The statements that have ended, as many as there is room for.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::{MonitorOptions, StatementView};

/// The statements that ended last. Bounded in their number and in their bytes.
#[derive(Debug, Default)]
pub(crate) struct History {
    ended: VecDeque<Arc<StatementView>>,
    bytes: usize,
}

impl History {
    /// Remembers one more, and forgets the oldest as far as the limits demand.
    pub(crate) fn push(&mut self, view: StatementView, limits: &MonitorOptions) {
        self.bytes += view.memory();
        self.ended.push_back(Arc::new(view));
        while self.ended.len() > limits.history_statements || self.bytes > limits.history_bytes {
            let Some(oldest) = self.ended.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(oldest.memory());
        }
    }

    /// The last to end comes first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = &Arc<StatementView>> {
        self.ended.iter().rev()
    }
}
