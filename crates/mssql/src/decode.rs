//! Pass 2: values into arrays, one column at a time.

pub(crate) mod moment;
pub(crate) mod number;
mod values;

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, SchemaRef, TimeUnit};
use bowshot_core::{Error, ErrorKind, Misfit, Result, SOURCE_TYPE};

use crate::error::broken;
use crate::rows::{Cell, Chunks, Rows};
use crate::text::{self, NoText};
use crate::token;
use crate::types::Kind;
use crate::wire_type::{Framing, WireType};
use values::Values;

/// How much of a value a message shows, in characters.
const SHOWN: usize = 60;

/// The columns of a batch that is being filled.
#[derive(Debug)]
pub(crate) struct Columns {
    schema: SchemaRef,
    columns: Vec<Column>,
    rows: usize,
}

#[derive(Debug)]
struct Column {
    name: String,
    /// SQL Server's own name of its type, for messages.
    source_type: String,
    data_type: DataType,
    nullable: bool,
    wire: WireType,
    values: Values,
    /// The bytes of a value whose chunks had to be put together.
    whole: Vec<u8>,
}

impl Columns {
    /// For results with the columns that were planned; an error where other ones come.
    pub(crate) fn new(schema: &SchemaRef, found: &[token::Column]) -> Result<Self> {
        let (wanted, count) = (schema.fields().len(), found.len());
        if wanted != count {
            return Err(changed(format!("it has {count} columns and not {wanted}")));
        }
        let column = |(field, found): (&Arc<arrow_schema::Field>, &token::Column)| {
            let name = field.name();
            let source_type = field.metadata().get(SOURCE_TYPE).cloned().unwrap_or_default();
            let kind = found.wire.kind;
            if kind.data_type(Some(field.data_type())) != *field.data_type() {
                return Err(changed(format!("column \"{name}\" is {kind} and not {source_type}")).with_column(name));
            }
            if kind == Kind::Text && found.wire.charset.is_none() {
                let message =
                    format!("column \"{name}\" ({source_type}) has a collation whose code page Bowshot does not know");
                return Err(Error::new(ErrorKind::Unsupported, message)
                    .with_column(name)
                    .with_hint("cast it in the query: CAST(… AS nvarchar(max))"));
            }
            Ok(Column {
                name: name.clone(),
                source_type,
                data_type: field.data_type().clone(),
                nullable: field.is_nullable(),
                wire: found.wire,
                values: Values::of(field.data_type()),
                whole: Vec::new(),
            })
        };
        let columns = schema.fields().iter().zip(found).map(column).collect::<Result<_>>()?;
        Ok(Columns { schema: Arc::clone(schema), columns, rows: 0 })
    }

    /// Appends a block of rows, whose bytes stand in `buffer`.
    pub(crate) fn append(&mut self, rows: &Rows, buffer: &[u8]) -> Result<()> {
        for (index, column) in self.columns.iter_mut().enumerate() {
            column.append(rows.column(index), buffer)?;
        }
        self.rows += rows.count();
        Ok(())
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// About how large a batch of them would be.
    pub(crate) fn bytes(&self) -> usize {
        self.columns.iter().map(|column| column.values.bytes()).sum()
    }

    /// What there is as a batch, after which there is nothing.
    pub(crate) fn finish(&mut self) -> Result<RecordBatch> {
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        let arrays =
            self.columns.iter_mut().map(|column| column.values.finish(&column.data_type)).collect::<Result<_>>()?;
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?)
    }
}

/// The error of a result that is not the one that was planned.
fn changed(what: String) -> Error {
    Error::new(ErrorKind::Sql, format!("the result is not the one that was planned: {what}"))
        .with_hint("was a table altered meanwhile? Read it again")
}

/// 100 ns as another unit, if nothing is lost.
fn in_unit(ticks: i64, unit: TimeUnit) -> Option<i64> {
    let divided = |by: i64| (ticks % by == 0).then(|| ticks / by);
    match unit {
        TimeUnit::Second => divided(10_000_000),
        TimeUnit::Millisecond => divided(10_000),
        TimeUnit::Microsecond => divided(10),
        TimeUnit::Nanosecond => ticks.checked_mul(100),
    }
}

/// Days, which always fit.
fn days(bytes: &[u8]) -> Option<i32> {
    i32::try_from(moment::date(bytes)?).ok()
}

impl Column {
    fn append(&mut self, cells: impl Iterator<Item = Cell> + Clone, buffer: &[u8]) -> Result<()> {
        let before = self.values.nulls();
        let kind = self.wire.kind;
        let cells_again = cells.clone();
        let values = cells.map(|cell| cell.bytes(buffer));
        let unit = match &self.data_type {
            DataType::Timestamp(unit, _) => *unit,
            _ => TimeUnit::Nanosecond,
        };
        // One loop a column, without a decision on its type inside. What fails is the number of the value.
        let outcome = match (&mut self.values, kind) {
            (Values::Bool(to), Kind::Bit) => to.extend(values, number::bit),
            (Values::UInt8(to), Kind::TinyInt) => to.extend(values, |b| Some(u8::from_le_bytes(b.try_into().ok()?))),
            (Values::Int16(to), Kind::SmallInt) => to.extend(values, |b| Some(i16::from_le_bytes(b.try_into().ok()?))),
            (Values::Int32(to), Kind::Int) => to.extend(values, |b| Some(i32::from_le_bytes(b.try_into().ok()?))),
            (Values::Int64(to), Kind::BigInt) => to.extend(values, |b| Some(i64::from_le_bytes(b.try_into().ok()?))),
            (Values::Float32(to), Kind::Real) => to.extend(values, |b| Some(f32::from_le_bytes(b.try_into().ok()?))),
            (Values::Float64(to), Kind::Float) => to.extend(values, |b| Some(f64::from_le_bytes(b.try_into().ok()?))),
            (Values::Int128(to), Kind::Decimal { precision, .. }) => {
                to.extend(values, |b| number::decimal(b, precision))
            }
            (Values::Int128(to), Kind::Money) => to.extend(values, number::money),
            (Values::Int128(to), Kind::SmallMoney) => to.extend(values, number::small_money),
            (Values::Int32(to), Kind::Date) => to.extend(values, days),
            (Values::Int64(to), Kind::Time(scale)) => to.extend(values, |b| in_unit(moment::time(b, scale)?, unit)),
            (Values::Int64(to), Kind::SmallDateTime) => {
                to.extend(values, |b| in_unit(moment::small_datetime(b)?, unit))
            }
            (Values::Int64(to), Kind::DateTime) => to.extend(values, |b| in_unit(moment::datetime(b)?, unit)),
            (Values::Int64(to), Kind::DateTime2(scale)) => {
                to.extend(values, |b| in_unit(moment::date_time(b, scale)?, unit))
            }
            (Values::Int64(to), Kind::DateTimeOffset(scale)) => {
                to.extend(values, |b| in_unit(moment::instant(b, scale)?.0, unit))
            }
            (Values::Uuid(to), Kind::Uuid) => to.extend(values, number::uuid),
            (Values::Bytes(to), Kind::Binary) => match self.wire.framing {
                Framing::Chunks => to.extend(values, |bytes, out| {
                    Chunks(bytes).for_each(|chunk| out.extend_from_slice(chunk));
                    Ok::<_, NoText>(())
                }),
                _ => to.extend(values, |bytes, out| {
                    out.extend_from_slice(bytes);
                    Ok::<_, NoText>(())
                }),
            },
            (Values::Bytes(to), _) => {
                let (wire, whole) = (&self.wire, &mut self.whole);
                match (wire.framing, wire.kind, wire.charset) {
                    (Framing::Chunks, ..) => {
                        to.extend(values, |bytes, out| text::append(put_together(bytes, whole), wire, out))
                    }
                    (_, Kind::Text, Some(charset)) => {
                        to.extend(values, |bytes, out| charset.append(bytes, out).map_err(|_| NoText::Malformed))
                    }
                    _ => to.extend(values, |bytes, out| text::append(bytes, wire, out)),
                }
            }
            _ => return Err(Error::new(ErrorKind::Internal, "a column without a decoder").with_column(&self.name)),
        };
        if let Err(row) = outcome {
            let bytes = cells_again.clone().nth(row).and_then(|cell| cell.bytes(buffer)).unwrap_or_default();
            return Err(self.misfit(bytes));
        }
        if !self.nullable && self.values.nulls() > before {
            return Err(
                broken(format_args!("column \"{}\" is NOT NULL and holds NULL", self.name)).with_column(&self.name)
            );
        }
        Ok(())
    }

    /// Why these bytes are no value of the column.
    fn misfit(&mut self, bytes: &[u8]) -> Error {
        let mut whole = std::mem::take(&mut self.whole);
        let Column { name, source_type, .. } = &*self;
        let bytes = match self.wire.framing {
            Framing::Chunks => put_together(bytes, &mut whole),
            _ => bytes,
        };
        let mut shown = Vec::new();
        let value = |what: String| Error::new(ErrorKind::Value, format!("column \"{name}\" ({source_type}) {what}"));
        let error = match text::append(bytes, &self.wire, &mut shown) {
            Ok(()) if matches!(self.values, Values::Bytes(_)) => {
                value("has values of more than 2 GiB in one batch".to_owned())
                    .with_hint("read it in pieces: SUBSTRING(…) in the query, or a smaller batch_bytes")
            }
            Ok(()) => {
                let shown: String = String::from_utf8_lossy(&shown).chars().take(SHOWN).collect();
                return self.unfit(shown);
            }
            Err(NoText::Malformed) => {
                value("holds characters that are none in its code page, such as half of a surrogate pair".to_owned())
                    .with_hint("read its bytes: CAST(… AS varbinary(max)) in the query")
            }
            Err(NoText::Charset) => value("holds text of a collation whose code page Bowshot does not know".to_owned())
                .with_hint("cast it in the query: CAST(… AS nvarchar(max))"),
            Err(NoText::Bytes) => broken(format_args!(
                "column \"{name}\" ({source_type}) holds {} bytes that are no {}",
                bytes.len(),
                self.wire.kind
            )),
        };
        error.with_column(&self.name)
    }

    /// The error of a value that the Arrow type cannot hold.
    fn unfit(&self, shown: String) -> Error {
        let misfit = Misfit::new(&self.name, &self.source_type, &self.data_type, shown).or_as("utf8");
        let coarser = match &self.data_type {
            DataType::Timestamp(TimeUnit::Nanosecond, None) => "timestamp[us]",
            DataType::Timestamp(TimeUnit::Nanosecond, Some(_)) => "timestamp[us, UTC]",
            _ => return misfit.into(),
        };
        let way =
            format!("if no value has a seventh digit, as microseconds: types={{\"{}\": \"{coarser}\"}}", self.name);
        misfit.or(way).into()
    }
}

/// The bytes of a value in chunks: mostly there is one, which need not be copied.
fn put_together<'a>(bytes: &'a [u8], whole: &'a mut Vec<u8>) -> &'a [u8] {
    let mut chunks = Chunks(bytes);
    let first = chunks.next().unwrap_or_default();
    let Some(second) = chunks.next() else { return first };
    whole.clear();
    whole.extend_from_slice(first);
    whole.extend_from_slice(second);
    chunks.for_each(|chunk| whole.extend_from_slice(chunk));
    whole
}
