//! Plans a query, and keeps the plan until it is read.

use arrow_schema::SchemaRef;
use bowshot_connect::{Named, Text};
use bowshot_core::{
    Cancel, Error, ErrorKind, Estimate, Holder, Lease, Map, Options, Params, Partition, Plan as Planned, Query,
    Request, Result, Ticket, Timeline,
};
use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::destination::{Conversion, Destination};
use crate::error::{ToPython, guarded, to_python};
use crate::frame::{FrameColumn, FrameReader, Layout};
use crate::notices;
use crate::options::{Keywords, params as to_params, request};
use crate::own::Own;
use crate::profile::Profile;
use crate::progress::Reporter;
use crate::reading::Reading;
use crate::schema::Schema;
use crate::stream::Stream;
use crate::table::Table;
use crate::wait::run;

/// How one query will be read. It keeps the snapshot open in the database until it is read or dropped.
#[pyclass(frozen, module = "bowshot")]
pub(crate) struct Plan {
    /// As the source has it.
    schema: SchemaRef,
    /// As Arrow's libraries take it.
    shown: SchemaRef,
    snapshot: Option<String>,
    partitions: Vec<Partition>,
    reason: String,
    estimate: Estimate,
    /// Whether a table is read whose name was given in the place of a query.
    is_table: bool,
    /// The one statement that is read; empty where there are several.
    sql: String,
    /// The plan as people read it.
    text: String,
    /// What was planned.
    request: Request,
    cancel: Cancel,
    /// `None` once it was read.
    live: Own<Option<Planned>>,
    /// Why its partitions cannot be read elsewhere, if they cannot.
    obstacle: Option<Error>,
    /// What keeps its snapshot for them, from the first ticket on.
    holder: Own<Option<Holder>>,
    /// The times of its read.
    timeline: Mutex<Option<Timeline>>,
}

/// Plans one or several queries on the database that `uri` names; a single text may be the name of a table where `columns` says
/// which of its columns to read.
#[pyfunction]
#[pyo3(signature = (uri, queries, columns, params, named, keywords))]
pub(crate) fn plan(
    py: Python<'_>,
    uri: String,
    queries: Vec<String>,
    columns: Option<Vec<String>>,
    params: Option<Bound<'_, PyAny>>,
    named: bool,
    keywords: Keywords,
) -> PyResult<Plan> {
    guarded(py, || {
        let uri = address(py, &uri)?;
        let params = to_params(params, named)?;
        let options = keywords.into_options().to_python(py)?;
        let asked = Asked { queries, columns, params, options };
        let cancel = Cancel::new();
        let planning = cancel.clone();
        let (named, request) = run(py, &cancel, move || asked.plan(&uri, &planning))?;
        Plan::new(py, named, request, cancel)
    })
}

/// Plans the one partition that a ticket names, for a consumer that keeps the `whole` of it or takes it bit by bit.
#[pyfunction]
pub(crate) fn join(py: Python<'_>, uri: String, ticket: Vec<u8>, whole: bool) -> PyResult<Plan> {
    guarded(py, || {
        let uri = address(py, &uri)?;
        let mut ticket = Ticket::from_bytes(&ticket).to_python(py)?;
        if whole {
            ticket.keep_all();
        }
        let request = ticket.request().clone();
        let cancel = Cancel::new();
        let joining = cancel.clone();
        let plan = run(py, &cancel, move || bowshot_connect::connect(&uri)?.join(&ticket, &joining))?;
        Plan::new(py, Named { plan, is_table: false, sql: String::new() }, request, cancel)
    })
}

/// What a ticket says of itself: its place among how many, its label, and about how many rows it has.
#[pyfunction]
pub(crate) fn look_at_ticket(py: Python<'_>, ticket: Vec<u8>) -> PyResult<(usize, usize, String, Option<u64>)> {
    guarded(py, || {
        let ticket = Ticket::from_bytes(&ticket).to_python(py)?;
        let (index, count) = ticket.place();
        let partition = ticket.partition();
        Ok((index, count, partition.label.clone(), partition.rows))
    })
}

/// The address with what its references stand for in this process.
pub(crate) fn resolved(uri: &str) -> Result<String> {
    bowshot_connect::resolve(uri, |name| std::env::var(name).ok())
}

/// The same, ready to be connected to.
fn address(py: Python<'_>, uri: &str) -> PyResult<String> {
    let uri = resolved(uri).to_python(py)?;
    // ADBC drivers come as Python packages; whoever names one wants those of the running Python.
    if uri.starts_with("adbc:") || uri.starts_with("duckdb:") {
        let folders: Vec<String> = py.import("sys")?.getattr("path")?.extract()?;
        bowshot_connect::search_packages(folders.into_iter().map(Into::into));
    }
    Ok(uri)
}

/// What is to be planned.
struct Asked {
    queries: Vec<String>,
    columns: Option<Vec<String>>,
    params: Params,
    options: Options,
}

impl Asked {
    fn plan(self, uri: &str, cancel: &Cancel) -> Result<(Named, Request)> {
        let Asked { queries, columns, params, options } = self;
        let source = bowshot_connect::connect(uri)?;
        match (queries.as_slice(), columns) {
            ([text], Some(columns)) => {
                let text = Text { text, columns: &columns, params: &params };
                let named = bowshot_connect::plan_text(source.as_ref(), text, &options, cancel)?;
                let params = if named.is_table { Params::None } else { params };
                let request = Request::new(Query { sql: named.sql.clone(), params }, options);
                Ok((named, request))
            }
            _ => {
                let sql = if let [one] = queries.as_slice() { one.clone() } else { String::new() };
                let request = request(queries, &params, options);
                let plan = source.plan(&request, cancel)?;
                Ok((Named { plan, is_table: false, sql }, request))
            }
        }
    }
}

impl Plan {
    fn new(py: Python<'_>, named: Named, request: Request, cancel: Cancel) -> PyResult<Self> {
        let Named { plan, is_table, sql } = named;
        let shown = Conversion::by_type(&plan.schema, Destination::Arrow).to_python(py)?.schema().clone();
        Ok(Plan {
            is_table,
            sql,
            schema: plan.schema.clone(),
            shown,
            snapshot: plan.snapshot.clone(),
            partitions: plan.partitions.clone(),
            reason: plan.reason.clone(),
            estimate: plan.estimate,
            text: plan.to_string(),
            obstacle: plan.travels(&request.options).err(),
            request,
            cancel,
            live: Own::new(Some(plan)),
            timeline: Mutex::default(),
            holder: Own::new(None),
        })
    }

    fn hold(&self, lease: f64) -> Result<Holder> {
        if let Some(obstacle) = &self.obstacle {
            let error = Error::new(obstacle.kind(), obstacle.message());
            return Err(error.with_hint(obstacle.hint().unwrap_or_default()));
        }
        let lease = std::time::Duration::try_from_secs_f64(lease).map_err(|_| {
            Error::new(ErrorKind::Config, format!("lease={lease} is no time")).with_hint("give seconds: lease=600")
        })?;
        let live = self.live.lock()?;
        let plan = live.as_ref().ok_or_else(|| {
            Error::new(ErrorKind::Config, "this plan was read or closed, and holds no snapshot any more")
                .with_hint("plan the query again to read its partitions")
        })?;
        Holder::new(plan, &self.request, Lease(lease), &self.cancel)
    }

    fn start(
        &self,
        py: Python<'_>,
        map: Option<Map>,
        schema: SchemaRef,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Reading> {
        let reporter = Reporter::from_python(progress)?;
        let Some(plan) = self.live.lock().to_python(py)?.take() else {
            let error = Error::new(ErrorKind::Config, "this plan was read already")
                .with_hint("a plan is read once: plan the query again");
            return Err(to_python(py, &error));
        };
        let stream = bowshot_core::Stream::start_mapped(plan, &self.request.options, self.cancel.clone(), map);
        *self.timeline.lock() = Some(stream.timeline().clone());
        Ok(Reading::new(py, stream, schema, reporter, &self.cancel))
    }
}

#[pymethods]
impl Plan {
    /// The columns of the result.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.shown.clone())
    }

    /// What names the state of the database that all partitions see.
    #[getter]
    fn snapshot(&self) -> Option<&str> {
        self.snapshot.as_deref()
    }

    /// The partitions' labels and about how many rows they have.
    #[getter]
    fn partitions(&self) -> Vec<(&str, Option<u64>)> {
        self.partitions.iter().map(|partition| (partition.label.as_str(), partition.rows)).collect()
    }

    /// Why the query was or was not split.
    #[getter]
    fn reason(&self) -> &str {
        &self.reason
    }

    /// Whether the text was the name of a table.
    #[getter]
    fn is_table(&self) -> bool {
        self.is_table
    }

    /// The one statement that is read.
    #[getter]
    fn sql(&self) -> &str {
        &self.sql
    }

    /// No rows, in the types that Polars has; what only the values would settle is as it is without values.
    fn for_polars(&self, py: Python<'_>) -> PyResult<Table> {
        guarded(py, || Table::new(self.schema.clone(), Vec::new()).in_polars_types(py))
    }

    /// No rows, in the types of a pandas frame on Arrow memory.
    fn for_pandas(&self, py: Python<'_>) -> PyResult<Table> {
        guarded(py, || {
            let conversion = Conversion::by_type(&self.schema, Destination::PandasArrow).to_python(py)?;
            Ok(Table::new(conversion.schema().clone(), Vec::new()))
        })
    }

    /// The columns of a pandas frame without rows.
    fn empty_frame(&self, py: Python<'_>, coerce_float: bool, masked: bool) -> PyResult<Vec<FrameColumn>> {
        guarded(py, || Layout::new(&self.schema, coerce_float, masked).and_then(|layout| layout.empty()).to_python(py))
    }

    /// About how many rows the result has.
    #[getter]
    fn rows(&self) -> Option<u64> {
        self.estimate.rows
    }

    /// About how many bytes the result has in the database.
    #[getter]
    fn bytes(&self) -> Option<u64> {
        self.estimate.bytes
    }

    /// What the database has said so far.
    #[getter]
    fn notices(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        guarded(py, || notices::to_python(py, &self.cancel.notices().all()))
    }

    /// How many messages of the database found no room.
    #[getter]
    fn notices_left_out(&self) -> u64 {
        self.cancel.notices().left_out()
    }

    /// What people are to be told and were not told yet.
    fn take_untold(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        guarded(py, || notices::to_python(py, &self.cancel.notices().take_untold()))
    }

    /// Whether it can still be read.
    #[getter]
    fn unread(&self) -> bool {
        self.live.lock().map_or(true, |live| live.is_some())
    }

    /// Where the time of its read went so far; `None` before.
    fn profile(&self, py: Python<'_>) -> PyResult<Option<Profile>> {
        guarded(py, || {
            let timeline = self.timeline.lock().clone();
            Ok(py.detach(|| timeline.map(|timeline| timeline.profile().into())))
        })
    }

    fn __str__(&self) -> &str {
        self.text.trim_end()
    }

    /// Why its partitions cannot be read elsewhere, if they cannot: the exception that a ticket would raise.
    #[getter]
    fn obstacle(&self, py: Python<'_>) -> Option<PyErr> {
        self.obstacle.as_ref().map(|error| to_python(py, error))
    }

    /// A partition written down. From the first one on, the snapshot is held until nobody has read for `lease` seconds.
    fn ticket(&self, py: Python<'_>, index: usize, lease: f64) -> PyResult<Vec<u8>> {
        guarded(py, || {
            let ticket = py.detach(|| {
                let mut holder = self.holder.lock_inherited()?;
                let holder = match holder.as_mut() {
                    Some(holder) => holder,
                    None => holder.insert(self.hold(lease)?),
                };
                holder.ticket(index)?.to_bytes()
            });
            ticket.to_python(py)
        })
    }

    /// Tells the holder, if there is one, that somebody in this process reads.
    fn renew(&self) {
        if let Ok(holder) = self.holder.lock()
            && let Some(holder) = holder.as_ref()
        {
            holder.read();
        }
    }

    /// Lets go of the snapshot and its connection. Tickets name nothing any more.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            if let Ok(mut holder) = self.holder.lock()
                && let Some(holder) = holder.as_mut()
            {
                holder.close();
            }
            if let Ok(mut live) = self.live.lock() {
                drop(live.take());
            }
        });
    }

    /// Starts to read, as Arrow: in the types that `pandas` knows, as what `polars` will be made of, or for any library.
    #[pyo3(signature = (progress=None, destination="arrow"))]
    fn read(&self, py: Python<'_>, progress: Option<Bound<'_, PyAny>>, destination: &str) -> PyResult<Stream> {
        guarded(py, || {
            let for_pandas = destination == "pandas";
            if destination == "polars" || (!for_pandas && self.shown == self.schema) {
                return Ok(Stream::new(self.start(py, None, self.schema.clone(), progress)?, self.cancel.clone()));
            }
            let destination = if for_pandas { Destination::PandasArrow } else { Destination::Arrow };
            let conversion = Conversion::by_type(&self.schema, destination).to_python(py)?;
            let schema = conversion.schema().clone();
            Ok(Stream::new(self.start(py, Some(conversion.into_map()), schema, progress)?, self.cancel.clone()))
        })
    }

    /// Starts to read, as the columns of a pandas frame.
    #[pyo3(signature = (coerce_float, masked, progress=None))]
    fn read_frame(
        &self,
        py: Python<'_>,
        coerce_float: bool,
        masked: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<FrameReader> {
        guarded(py, || {
            let layout = Layout::new(&self.schema, coerce_float, masked).to_python(py)?;
            let reading = self.start(py, Some(layout.map()), layout.schema(), progress)?;
            Ok(FrameReader::new(layout, reading))
        })
    }
}
