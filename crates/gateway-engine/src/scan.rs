//! The reading of one table of a source, as a node of DataFusion's plans.

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Plan};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, ReplaceChildrenOptions};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PhysicalExpr, PlanProperties,
};
use parking_lot::Mutex;

use crate::feed::{Dress, Queue, feed};
use crate::plain::Plain;

/// Reads a source's plan: each partition of DataFusion's is a thread that takes the source's partitions from one queue.
pub(crate) struct SourceExec {
    /// The table, for people.
    pub(crate) table: String,
    /// What the source is asked, for people.
    sql: String,
    schema: SchemaRef,
    plan: Arc<Plan>,
    rows: Precision<usize>,
    dress: Dress,
    streams: usize,
    /// Files, which can be asked without the engine.
    pub(crate) plain: Option<Plain>,
    queue: Arc<Queue>,
    /// Which partitions were read: each is read once.
    read: Mutex<Vec<bool>>,
    cancel: Cancel,
    properties: Arc<PlanProperties>,
}

impl SourceExec {
    /// At most `streams` threads read.
    #[expect(clippy::too_many_arguments, reason = "each is one fact of the scan")]
    pub(crate) fn new(
        table: String,
        sql: String,
        schema: SchemaRef,
        plan: Arc<Plan>,
        rows: Precision<usize>,
        dress: Dress,
        streams: usize,
        plain: Option<Plain>,
        cancel: Cancel,
    ) -> Self {
        let streams = streams.min(plan.partitions.len()).max(1);
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(SchemaRef::clone(&schema)),
            Partitioning::UnknownPartitioning(streams),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        let queue = Arc::new(Queue::new(Arc::clone(&plan), streams));
        let read = Mutex::new(vec![false; streams]);
        SourceExec { table, sql, schema, plan, rows, dress, streams, plain, queue, read, cancel, properties }
    }

    /// The names of its columns.
    pub(crate) fn columns(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }
}

impl fmt::Debug for SourceExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceExec({})", self.table)
    }
}

impl DisplayAs for SourceExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (table, partitions, reason) = (&self.table, self.plan.partitions.len(), &self.plan.reason);
        write!(f, "SourceExec: table={table}, partitions={partitions}, sql={}, because {reason}", self.sql)
    }
}

impl ExecutionPlan for SourceExec {
    fn name(&self) -> &'static str {
        "SourceExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    /// For the next turn of a recursive query: the same rows again.
    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(SourceExec::new(
            self.table.clone(),
            self.sql.clone(),
            SchemaRef::clone(&self.schema),
            Arc::clone(&self.plan),
            self.rows,
            Arc::clone(&self.dress),
            self.streams,
            self.plain.clone(),
            self.cancel.clone(),
        )))
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        match self.read.lock().get_mut(partition) {
            Some(read) if !*read => *read = true,
            _ => return internal_err!("partition {partition} of {} is not there to be read", self.table),
        }
        Ok(Box::pin(feed(&self.queue, SchemaRef::clone(&self.schema), Arc::clone(&self.dress), &self.cancel)))
    }

    fn statistics_from_inputs(&self, _: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        let unknown = Statistics::new_unknown(&self.schema);
        // Which rows a thread will read, nobody knows.
        let rows = if args.partition().is_some() { Precision::Absent } else { self.rows };
        Ok(Arc::new(unknown.with_num_rows(rows)))
    }
}
