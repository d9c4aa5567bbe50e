//! The table `bowshot.queries`.

use std::sync::Arc;
use std::time::SystemTime;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use bowshot_core::Result;

use crate::StatementView;

/// The columns of the table `bowshot.queries`.
///
/// | column | what |
/// |---|---|
/// | `id` | the statement's number; 1 is the first since the gateway started |
/// | `user`, `client` | who asked, with what program; `user` is a word of SQL: write it in double quotes |
/// | `source` | the source that answers, where it is one |
/// | `sql` | the text, cut and redacted as configured |
/// | `state` | queued, planning, waiting, reading, finished, failed, cancelled or expired |
/// | `started` | when it began (UTC, microseconds) |
/// | `planned_ms`, `duration_ms` | milliseconds until it was planned, and until its end or until now |
/// | `endpoints` | how many it has, once it is planned |
/// | `rows`, `bytes`, `wire_bytes` | what was sent: rows, bytes of Arrow, bytes after compression |
/// | `error_kind`, `error` | the kind of its error, and what went wrong or who ended it |
///
/// ```
/// let schema = bowshot_gateway_monitor::queries_schema();
/// assert_eq!(schema.field(0).name(), "id");
/// assert_eq!(schema.fields().len(), 15);
/// ```
pub fn queries_schema() -> SchemaRef {
    let whole = |name: &str, nullable| Field::new(name, DataType::Int64, nullable);
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let instant = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    Arc::new(Schema::new(vec![
        whole("id", false),
        text("user", false),
        text("client", false),
        text("source", true),
        text("sql", false),
        text("state", false),
        Field::new("started", instant, false),
        whole("planned_ms", true),
        whole("duration_ms", false),
        whole("endpoints", true),
        whole("rows", false),
        whole("bytes", false),
        whole("wire_bytes", false),
        text("error_kind", true),
        text("error", true),
    ]))
}

/// A row for each statement.
pub(crate) fn batch(views: &[Arc<StatementView>]) -> Result<RecordBatch> {
    let whole = |value: &dyn Fn(&StatementView) -> Option<u64>| -> ArrayRef {
        Arc::new(views.iter().map(|view| value(view).map(signed)).collect::<Int64Array>())
    };
    let texts = |value: fn(&StatementView) -> Option<&str>| -> ArrayRef {
        Arc::new(views.iter().map(|view| value(view)).collect::<StringArray>())
    };
    let started = TimestampMicrosecondArray::from_iter_values(views.iter().map(|view| microseconds(view.started)));
    let columns: Vec<ArrayRef> = vec![
        whole(&|view| Some(view.id)),
        texts(|view| Some(&view.user)),
        texts(|view| Some(&view.client)),
        texts(|view| view.source.as_deref()),
        texts(|view| Some(&view.sql)),
        texts(|view| Some(view.state.name())),
        Arc::new(started.with_timezone("UTC")),
        whole(&|view| view.planned_ms),
        whole(&|view| Some(view.duration_ms)),
        whole(&|view| u64::try_from(view.endpoints?).ok()),
        whole(&|view| Some(view.rows)),
        whole(&|view| Some(view.bytes)),
        whole(&|view| Some(view.wire_bytes)),
        texts(|view| view.error_kind),
        texts(|view| view.error.as_deref()),
    ];
    Ok(RecordBatch::try_new(queries_schema(), columns)?)
}

/// What clients of every language read has a sign; nothing here comes near the bound.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn microseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
