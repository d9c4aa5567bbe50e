//! The engine: from a request to a plan.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Weak};
use std::thread;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Cancel, Error, ErrorKind, Estimate, Options, Partition, Partitioning, Plan, Request, Result};
use bowshot_sql::bind;
use datafusion::config::ConfigOptions;
use datafusion::execution::SessionState;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::prelude::SessionConfig;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::again::{Again, Attempt};
use crate::context::Tables;
use crate::error::inside;
use crate::limits::EngineLimits;
use crate::member::{Asker, Member};
use crate::names::Names;
use crate::plain::plain;
use crate::run::{Run, Runs, Threads, Turn};
use crate::tables::Directory;
use crate::{parameters, semantics, statement, sums};

/// The stack of a thread that plans, in bytes: SQL is parsed and rewritten by recursion. Only what is used of it is memory.
const STACK: usize = 128 << 20;

/// How DataFusion behaves, where that is not its own default.
const SETTINGS: [(&str, &str); 6] = [
    // The text of a query is bound as PostgreSQL's, so it is parsed as such.
    ("datafusion.sql_parser.dialect", "PostgreSQL"),
    // Enough for every query that a person or a program writes; a parser's recursion is costly.
    ("datafusion.sql_parser.recursion_limit", "100"),
    // Views would be cast again for clients that cannot read them.
    ("datafusion.sql_parser.map_string_types_to_utf8view", "false"),
    ("datafusion.execution.parquet.schema_force_view_types", "false"),
    // It would list what the user may not see.
    ("datafusion.catalog.information_schema", "false"),
    // Times of day that follow the machine's clock would differ between machines.
    ("datafusion.execution.time_zone", "+00:00"),
];

/// Answers queries over files and over several sources.
///
/// It is cheap to ask from many threads. A plan that is read later keeps what it needs of the engine alive.
pub struct Engine {
    members: Vec<Member>,
    directory: Arc<Directory>,
    /// What every query starts from.
    state: SessionState,
    threads: Arc<Threads>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("members", &self.members).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine over some sources.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where two members have one name or the spill folder cannot be used, of kind
    /// [`Io`](ErrorKind::Io) where no threads can be started.
    pub fn new(members: Vec<Member>, limits: EngineLimits) -> Result<Engine> {
        let mut names = BTreeSet::new();
        if let Some(twice) = members.iter().find(|member| !names.insert(member.name.as_str())) {
            return Err(Error::new(ErrorKind::Config, format!("two sources are named \"{}\"", twice.name))
                .with_hint("give each source a name of its own"));
        }
        let mut options = ConfigOptions::new();
        for (name, value) in SETTINGS {
            options.set(name, value).map_err(inside)?;
        }
        // Each sort sets this aside to merge what it spilled: of little memory, little.
        let aside = &mut options.execution.sort_spill_reservation_bytes;
        *aside = (*aside).min(limits.memory_bytes / 32);
        let state = SessionStateBuilder::new()
            .with_config(SessionConfig::from(options))
            .with_runtime_env(limits.environment()?)
            .with_default_features()
            .build();
        let threads = Arc::new(Threads::new(limits.threads)?);
        Ok(Engine { members, directory: Arc::default(), state, threads })
    }

    /// Decides how the request will be read; what databases it needs are asked, and hold their snapshots from now on.
    ///
    /// Names, and what may be read, are those of `asker`. The plan has
    /// as many partitions as the options have workers, or fewer, and exactly one where the query orders its rows; each can
    /// be read once, from a thread that may block. `cancel` ends the reading too.
    ///
    /// # Errors
    /// Of kind [`Sql`](ErrorKind::Sql) for a query that makes no sense, [`Unsupported`](ErrorKind::Unsupported) for what is
    /// no query, what nests too deep, and what a database would answer otherwise; and those of the sources.
    pub fn plan(&self, request: &Request, asker: &Asker<'_>, cancel: &Cancel) -> Result<Plan> {
        cancel.check()?;
        thread::scope(|scope| {
            let planning = thread::Builder::new().name("bowshot-planner".into()).stack_size(STACK);
            let work = || self.prepare(request, asker, cancel);
            let planned = planning.spawn_scoped(scope, work).map_err(|error| {
                Error::new(ErrorKind::Io, format!("the engine cannot start a thread: {error}")).with_source(error)
            })?;
            let panicked = |_| Err(Error::new(ErrorKind::Internal, "planning the query panicked; please report this"));
            planned.join().unwrap_or_else(panicked)
        })
    }

    fn prepare(&self, request: &Request, asker: &Asker<'_>, cancel: &Cancel) -> Result<Plan> {
        let options = &request.options;
        let [query] = request.queries.as_slice() else {
            return Err(Error::new(ErrorKind::Unsupported, "the engine takes one query at a time")
                .with_hint("put queries together with UNION ALL"));
        };
        if let Partitioning::Column { column, .. } = &options.partitioning {
            return Err(Error::new(ErrorKind::Unsupported, "the engine does not split by the values of a column")
                .with_column(column)
                .with_hint("leave partition_on out: the engine splits its work by itself"));
        }
        let (sql, values) = bind(query, bowshot_sql::Dialect::Postgres)?;
        let mut state = self.state.clone();
        state.config_mut().options_mut().execution.target_partitions = options.workers();
        state.mark_start_execution();
        let names = Names {
            members: &self.members,
            system: asker.system,
            directory: &self.directory,
            default_member: asker.default_member,
            visible: asker.visible,
            cancel,
        };
        let tables = Tables::new(names, &self.directory, options, &state);
        let plan = statement::plan(&sql, &state, &tables)?;
        let wanted = parameters::types(&plan, values.len())?;
        let plan = parameters::fill(plan, &values, &wanted)?;
        let plan = sums::exact(plan).map_err(inside)?;
        semantics::check(&settled(&plan, &state)?).map_err(inside)?;
        let physical = self.physical(&plan, &state, cancel)?;
        if wanted.is_empty()
            && let Some(plan) = plain(&physical, &options.partitioning, cancel)?
        {
            return Ok(plan);
        }
        let single = is_ordered(&plan) || options.partitioning == Partitioning::Single;
        let physical = if single { in_one(physical) } else { physical };
        let again = Again::new(&physical, &plan, &state);
        Ok(self.planned(
            Turn {
                attempt: Arc::new(Attempt { plan: physical, context: state.task_ctx() }),
                again,
                before: Weak::new(),
            },
            options,
            &tables.used.into_inner(),
            wanted,
        ))
    }

    /// Plans the execution: sources are asked from here on.
    fn physical(&self, plan: &LogicalPlan, state: &SessionState, cancel: &Cancel) -> Result<Arc<dyn ExecutionPlan>> {
        let fired = Arc::new(Notify::new());
        let hook = Arc::clone(&fired);
        let _link = cancel.on_cancel(move || hook.notify_one());
        self.threads.handle()?.block_on(async {
            tokio::select! {
                biased;
                () = fired.notified() => Err(Error::cancelled()),
                planned = state.create_physical_plan(plan) => planned.map_err(inside),
            }
        })
    }

    fn planned(
        &self,
        turn: Turn,
        options: &Options,
        used: &BTreeSet<String>,
        parameters: Vec<Option<DataType>>,
    ) -> Plan {
        let schema = bare(&turn.attempt.plan.schema());
        let count = turn.attempt.plan.output_partitioning().partition_count();
        let partition =
            |number| Partition { label: format!("part {number} of {count} of the engine's result"), rows: None };
        let run = Run {
            schema: SchemaRef::clone(&schema),
            batch_bytes: options.batch_bytes,
            threads: Arc::clone(&self.threads),
            parameters,
            opened: Mutex::new(vec![false; count]),
            turn: Mutex::new(turn),
            number: watch::Sender::new(0),
        };
        Plan {
            schema,
            snapshot: None,
            partitions: (1..=count).map(partition).collect(),
            reason: reason(used, count),
            estimate: Estimate::default(),
            scan: Arc::new(Runs(Arc::new(run))),
        }
    }
}

/// The plan with the types of its expressions settled.
fn settled(plan: &LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    let plan = match plan {
        LogicalPlan::Explain(explain) => explain.plan.as_ref().clone(),
        plan => plan.clone(),
    };
    state.analyzer().execute_and_check(plan, state.config_options(), |_, _| {}).map_err(inside)
}

/// Whether the rows come in an order that the query asks for.
fn is_ordered(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Sort(_) => true,
        LogicalPlan::Projection(_) | LogicalPlan::Limit(_) | LogicalPlan::SubqueryAlias(_) => {
            plan.inputs().first().is_some_and(|input| is_ordered(input))
        }
        _ => false,
    }
}

/// The same rows in one partition, in the order that they have.
pub(crate) fn in_one(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    if plan.output_partitioning().partition_count() == 1 {
        return plan;
    }
    match plan.output_ordering().cloned() {
        Some(order) => Arc::new(SortPreservingMergeExec::new(order, plan)),
        None => Arc::new(CoalescePartitionsExec::new(plan)),
    }
}

/// The columns without what DataFusion noted on them.
fn bare(schema: &Schema) -> SchemaRef {
    let field = |field: &Arc<Field>| field.as_ref().clone().with_metadata(HashMap::new());
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}

fn reason(used: &BTreeSet<String>, count: usize) -> String {
    let names = used.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let how = if count == 1 { "computes the result in one part" } else { "computes the result in parts" };
    match used.len() {
        0 => format!("the gateway's engine {how}, of no table"),
        1 => format!(
            "the gateway's engine {how}, of {names}; each of its tables is read as it is when its scan is planned"
        ),
        _ => format!(
            "the gateway's engine {how}, of {names}; several sources have no common snapshot: each table is read as it \
             is when its scan is planned"
        ),
    }
}
