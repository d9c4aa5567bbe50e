//! A second way to run a query whose joins do not fit into memory: both sides sorted and merged, which can spill to disk.
//!
//! A hash join keeps one side in memory and cannot spill; it is the faster one wherever it fits, so that it is tried first.

use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use datafusion::config::ConfigNonZeroUsize;
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::execution::{SessionState, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, Partitioning};

use crate::engine::in_one;
use crate::error::inside;
use crate::shares::Shares;

/// Rows of a batch where memory is short.
const BATCH_ROWS: usize = 1_024;

/// A way to execute a query, with as many partitions as were promised.
pub(crate) struct Attempt {
    pub(crate) plan: Arc<dyn ExecutionPlan>,
    pub(crate) context: Arc<TaskContext>,
}

/// What planning the query once more needs.
pub(crate) struct Again {
    plan: LogicalPlan,
    state: SessionState,
    partitions: usize,
}

impl Again {
    /// For a query that is executed so; `None` where no join of it keeps a side in memory, or nothing may be spilled.
    pub(crate) fn new(executed: &Arc<dyn ExecutionPlan>, plan: &LogicalPlan, state: &SessionState) -> Option<Again> {
        let spills = state.runtime_env().disk_manager.tmp_files_enabled();
        (spills && has_hash_join(executed)).then(|| {
            let mut state = state.clone();
            let options = state.config_mut().options_mut();
            options.optimizer.prefer_hash_join = false;
            // Each file that is merged holds a batch in memory. 0 is not allowed, and this is not 0.
            if let Ok(rows) = ConfigNonZeroUsize::try_new(BATCH_ROWS) {
                options.execution.batch_size = rows;
            }
            // With one partition, DataFusion merges nothing.
            let targets = &mut options.execution.target_partitions;
            *targets = (*targets).max(2);
            let partitions = executed.output_partitioning().partition_count();
            Again { plan: plan.clone(), state, partitions }
        })
    }

    /// Plans the execution: sources are asked anew.
    pub(crate) async fn attempt(&self) -> Result<Attempt> {
        let plan = self.state.create_physical_plan(&self.plan).await.map_err(inside)?;
        let plan = match self.partitions {
            1 => in_one(plan),
            count if plan.output_partitioning().partition_count() == count => plan,
            count => {
                let dealt = RepartitionExec::try_new(plan, Partitioning::RoundRobinBatch(count));
                Arc::new(dealt.map_err(inside)?)
            }
        };
        if plan.output_partitioning().partition_count() != self.partitions {
            return Err(Error::new(
                ErrorKind::Internal,
                "the second plan of a join has other partitions than the first",
            ));
        }
        let context = self.shared_out(&plan)?.task_ctx();
        Ok(Attempt { plan, context })
    }

    /// The state, where each sort of the plan has a share of the memory.
    fn shared_out(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<SessionState> {
        let environment = self.state.runtime_env();
        let MemoryLimit::Finite(all) = environment.memory_pool.memory_limit() else { return Ok(self.state.clone()) };
        // A sort has one, and what is on its way to it between threads; the rest is for what merges them.
        let pool = Shares::new(&environment.memory_pool, all / 4 / sorts(plan).max(1));
        let environment = RuntimeEnvBuilder::from_runtime_env(environment).with_memory_pool(Arc::new(pool));
        let environment = environment.build_arc().map_err(inside)?;
        Ok(SessionStateBuilder::new_from_existing(self.state.clone()).with_runtime_env(environment).build())
    }
}

/// How many sorts work side by side.
fn sorts(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let own = if plan.name() == "SortExec" { plan.output_partitioning().partition_count() } else { 0 };
    own + plan.children().into_iter().map(sorts).sum::<usize>()
}

fn has_hash_join(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.name() == "HashJoinExec" || plan.children().into_iter().any(has_hash_join)
}

/// Whether memory is what was missing.
pub(crate) fn is_exhausted(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
}
