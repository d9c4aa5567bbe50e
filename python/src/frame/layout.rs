//! Which kind of frame column each Arrow type becomes, once it is one that pandas can hold (`destination`): one table.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Map, Result};

use super::column::FrameColumn;
use super::convert::convert;
use super::grow::Growing;
use crate::destination::{Conversion, Destination};

/// The kinds of frame columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `int64`; with NULLs `float64` where that is exact.
    Int,
    /// `int64` or `uint64`, as large as the values need.
    Unsigned,
    /// `float64`.
    Float,
    /// `bool`; with NULLs objects.
    Bool,
    /// `datetime64`, also with a time zone, and `timedelta64`.
    Instant,
    /// Objects `datetime.date`, made from days since 1970.
    Day,
    /// Text on Arrow memory.
    Text,
    /// Python objects, made from Arrow arrays.
    Object,
}

/// What becomes of each column.
#[derive(Clone)]
pub(crate) struct Layout {
    /// First, to types that Python's objects and NumPy's arrays can hold.
    held: Arc<Conversion>,
    pub(crate) kinds: Vec<Kind>,
    /// Keep the numbers beside a mask instead of marking NULLs in them (`dtype_backend="numpy_nullable"`).
    pub(crate) masked: bool,
    /// The schema after [`Layout::map`].
    schema: SchemaRef,
}

impl Layout {
    pub(crate) fn new(schema: &Schema, coerce_float: bool, masked: bool) -> Result<Self> {
        let held = Conversion::by_type(schema, Destination::Numpy)?;
        let fields = held.schema().fields();
        let kinds: Vec<Kind> = fields.iter().map(|field| kind(field, coerce_float)).collect();
        let fields: Vec<Field> = fields
            .iter()
            .zip(&kinds)
            .map(|(field, kind)| field.as_ref().clone().with_data_type(target(*kind, field.data_type())))
            .collect();
        Ok(Layout { kinds, masked, schema: Arc::new(Schema::new(fields)), held: Arc::new(held) })
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The columns of a frame without rows.
    pub(crate) fn empty(&self) -> Result<Vec<FrameColumn>> {
        let columns = self.schema.fields().iter().zip(&self.kinds);
        columns.map(|(field, kind)| FrameColumn::new(Growing::new(field.clone(), *kind, 0), self.masked)).collect()
    }

    /// What the reading threads do to each batch.
    pub(crate) fn map(&self) -> Map {
        let (schema, held) = (self.schema(), Arc::clone(&self.held));
        Arc::new(move |batch: RecordBatch| {
            let rows = batch.num_rows();
            let (_, columns, _) = held.apply(&batch)?.into_parts();
            drop(batch);
            let targets = schema.fields().iter().map(|field| field.data_type());
            let columns = columns.into_iter().zip(targets).map(|(column, target)| convert(column, target));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
            Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
        })
    }
}

/// The table: what pandas makes of the objects that database drivers return for these types.
fn kind(field: &Field, coerce_float: bool) -> Kind {
    use DataType as D;
    match field.data_type() {
        D::Int8 | D::Int16 | D::Int32 | D::Int64 | D::UInt8 | D::UInt16 | D::UInt32 => Kind::Int,
        D::UInt64 => Kind::Unsigned,
        D::Float16 | D::Float32 | D::Float64 => Kind::Float,
        D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..) | D::Decimal256(..) if coerce_float => Kind::Float,
        D::Boolean => Kind::Bool,
        D::Timestamp(..) | D::Duration(_) => Kind::Instant,
        D::Date32 => Kind::Day,
        D::Utf8 | D::LargeUtf8 | D::Utf8View if !is_json(field) => Kind::Text,
        _ => Kind::Object,
    }
}

/// Drivers return JSON parsed. Where the user asked for its text, it is no JSON here.
fn is_json(field: &Field) -> bool {
    field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.json")
}

/// The type that `grow.rs` takes for a kind. Integers of every size: it widens them on their way into the frame.
fn target(kind: Kind, data_type: &DataType) -> DataType {
    match (kind, data_type) {
        (Kind::Unsigned, _) => DataType::UInt64,
        (Kind::Float, _) => DataType::Float64,
        (Kind::Text, DataType::LargeUtf8) => DataType::LargeUtf8,
        (Kind::Text, _) => DataType::Utf8,
        _ => data_type.clone(),
    }
}
