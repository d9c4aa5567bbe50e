//! What Arrow's types are stored as.
//!
//! | Arrow | stored as |
//! |---|---|
//! | timestamp\[s\], time32\[s\] | milliseconds |
//! | date64 | DATE; a value that is no whole day is an error |
//! | interval | INTERVAL, or a struct: see [`Intervals`] |
//! | duration | int64; the Arrow schema beside it tells the unit |
//! | decimal with a negative scale, or one beyond its precision | a decimal with more digits |
//! | dictionary of text or bytes | the same, as a dictionary |
//! | other dictionaries, run-end encoded | the values |
//! | list view | list |
//! | fixed-size binary of 0 bytes | binary |
//! | union, struct without fields | an error that names the column |
//!
//! All else is stored as it is. A [`Column`] knows both sides of one field and makes the one array of the other.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, FieldRef, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result, format_type};

use crate::fault::Fault;
use crate::{Intervals, Options};

mod decimals;
mod flat;
mod intervals;
mod lists;
mod nulls;
mod structs;
mod times;

use decimals::Decimals;
use lists::Shape;

/// Fields deeper than this are refused: nobody's data, and each level costs stack.
const DEEPEST: usize = 64;

/// How one field is stored.
#[derive(Debug)]
pub(crate) struct Column {
    /// Its name, and those of the fields around it: `order.items.price`.
    path: String,
    /// The caller's type.
    given: DataType,
    /// What the file's two schemas say.
    declared: FieldRef,
    /// The arrays that Parquet's library takes.
    physical: FieldRef,
    step: Step,
}

/// What is done to an array.
#[derive(Debug)]
enum Step {
    /// Nothing.
    Keep,
    /// Dictionaries and runs become their values, which go on.
    Unpack(Box<Column>),
    /// Seconds become milliseconds.
    Milliseconds,
    /// Milliseconds become days.
    Days,
    /// Digits are counted, and moved where the scale changes.
    Decimals(Decimals),
    /// Intervals become twelve bytes.
    IntervalBytes,
    /// Intervals become structs.
    IntervalStructs,
    /// Texts of no bytes get offsets.
    EmptyBytes,
    /// Each child goes its own way.
    Struct(Vec<Column>),
    /// The items go their own way.
    List(Shape, Box<Column>),
}

impl Column {
    /// How a field of a schema is stored.
    ///
    /// # Errors
    /// Parquet has no such type: the error names the column and a way out.
    pub(crate) fn new(field: &Field, options: &Options) -> Result<Self> {
        Column::below(field, field.name().clone(), options, 0)
    }

    /// What the file's schemas say of it.
    pub(crate) fn declared(&self) -> &FieldRef {
        &self.declared
    }

    /// The field of the arrays that [`store`](Self::store) makes.
    pub(crate) fn physical(&self) -> &FieldRef {
        &self.physical
    }

    /// The array as it is stored. `live` has the rows that no NULL stands above; what other rows hold does not matter.
    ///
    /// # Errors
    /// A value that the file cannot hold, or a NULL where the schema promises that there is none.
    pub(crate) fn store(&self, array: &ArrayRef, live: Option<&NullBuffer>) -> Result<ArrayRef, Fault> {
        if !self.physical.is_nullable() {
            nulls::check(&self.path, &self.given, array, live)?;
        }
        match &self.step {
            Step::Keep => Ok(Arc::clone(array)),
            Step::Unpack(values) => values.store(&flat::unpack(array).map_err(|error| self.broken(&error))?, live),
            Step::Milliseconds => times::milliseconds(self, array, live),
            Step::Days => times::days(self, array, live),
            Step::Decimals(decimals) => decimals.store(self, array, live),
            Step::IntervalBytes => intervals::bytes(self, array, live),
            Step::IntervalStructs => intervals::structs(self, array),
            Step::EmptyBytes => flat::empty_bytes(array),
            Step::Struct(children) => structs::store(self, children, array, live),
            Step::List(shape, item) => lists::store(self, *shape, item, array, live),
        }
    }

    fn below(field: &Field, path: String, options: &Options, depth: usize) -> Result<Self> {
        let given = field.data_type();
        if depth > DEEPEST {
            let message = format!("column \"{path}\" is nested more than {DEEPEST} levels deep");
            return Err(Error::new(ErrorKind::Unsupported, message).with_column(path).with_hint("flatten it"));
        }
        let simple = |declared: DataType, physical: DataType, step: Step| {
            Ok(Column {
                path: path.clone(),
                given: given.clone(),
                declared: Arc::new(field.clone().with_data_type(declared)),
                physical: Arc::new(field.clone().with_data_type(physical)),
                step,
            })
        };
        let keep = || simple(given.clone(), given.clone(), Step::Keep);
        match given {
            // All of its values are NULL, whatever the schema promises.
            DataType::Null => {
                let field = Arc::new(field.clone().with_nullable(true));
                let (declared, physical) = (Arc::clone(&field), field);
                Ok(Column { path, given: given.clone(), declared, physical, step: Step::Keep })
            }
            DataType::Timestamp(TimeUnit::Second, zone) => {
                let stored = DataType::Timestamp(TimeUnit::Millisecond, zone.clone());
                simple(stored.clone(), stored, Step::Milliseconds)
            }
            DataType::Time32(TimeUnit::Second) => {
                let stored = DataType::Time32(TimeUnit::Millisecond);
                simple(stored.clone(), stored, Step::Milliseconds)
            }
            DataType::Date64 => simple(DataType::Date64, DataType::Date32, Step::Days),
            DataType::Duration(_) if !options.arrow_schema => Err(unsupported(
                &path,
                given,
                "Parquet has no durations, and only the Arrow schema beside its own tells their unit",
                "write it with arrow_schema=true, or cast the column to int64",
            )),
            DataType::Interval(_) => match options.intervals {
                Intervals::Parquet => simple(given.clone(), intervals::BYTES, Step::IntervalBytes),
                Intervals::Struct => simple(intervals::struct_type(), intervals::struct_type(), Step::IntervalStructs),
            },
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale)
            | DataType::Decimal256(precision, scale) => {
                let Some((decimals, stored)) = Decimals::new(given, *precision, *scale) else {
                    let why = "a decimal has 1 to 76 digits in Parquet, all zeros of its scale included";
                    return Err(unsupported(&path, given, why, "cast it to another decimal, or to text"));
                };
                simple(stored.clone(), stored, Step::Decimals(decimals))
            }
            DataType::FixedSizeBinary(0) => simple(DataType::Binary, DataType::Binary, Step::EmptyBytes),
            DataType::Dictionary(_, values) if !flat::is_dictionary(values) => {
                Column::unpacked(field, values, path, options, depth)
            }
            DataType::RunEndEncoded(_, values) => {
                // Runs have no NULLs of their own, so that their field may promise none.
                let of = field.clone().with_nullable(field.is_nullable() || values.is_nullable());
                Column::unpacked(&of, values.data_type(), path, options, depth)
            }
            DataType::Struct(fields) if fields.is_empty() => Err(unsupported(
                &path,
                given,
                "Parquet has no struct without fields",
                "leave the column out, or give the struct a field",
            )),
            DataType::Struct(fields) => {
                unique(fields.iter().map(|field| field.name().as_str()), Some(&path))?;
                let children = fields
                    .iter()
                    .map(|child| Column::below(child, format!("{path}.{}", child.name()), options, depth + 1));
                let children = children.collect::<Result<Vec<_>>>()?;
                let of =
                    |side: fn(&Column) -> &FieldRef| DataType::Struct(children.iter().map(side).cloned().collect());
                let (declared, physical) = (of(Column::declared), of(Column::physical));
                simple(declared, physical, Step::Struct(children))
            }
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _)
            | DataType::Map(item, _) => {
                let (shape, item) = Shape::new(given, item, &path)?;
                let below = if shape.is_map() { path.clone() } else { format!("{path}.{}", item.name()) };
                let item = Column::below(&item, below, options, depth + 1)?;
                let of = |field: &FieldRef| shape.data_type(Arc::clone(field));
                let (declared, physical) = (of(&item.declared), of(&item.physical));
                simple(declared, physical, Step::List(shape, Box::new(item)))
            }
            DataType::Union(..) => Err(unsupported(
                &path,
                given,
                "Parquet has no unions",
                "make a struct of it, with a field for each of its types, or a column of one type",
            )),
            DataType::Boolean
            | DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32
            | DataType::UInt64
            | DataType::Float16
            | DataType::Float32
            | DataType::Float64
            | DataType::Timestamp(..)
            | DataType::Date32
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Duration(_)
            | DataType::Binary
            | DataType::FixedSizeBinary(_)
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Dictionary(..) => keep(),
        }
    }

    /// A dictionary or runs, of which the values are stored.
    fn unpacked(field: &Field, values: &DataType, path: String, options: &Options, depth: usize) -> Result<Self> {
        let of = field.clone().with_data_type(values.clone());
        let values = Column::below(&of, path.clone(), options, depth + 1)?;
        let (declared, physical) = (Arc::clone(&values.declared), Arc::clone(&values.physical));
        Ok(Column { path, given: field.data_type().clone(), declared, physical, step: Step::Unpack(Box::new(values)) })
    }

    /// A value of this column that cannot be stored.
    fn fault(&self, row: usize, holds: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault::new(row, &self.path, &self.given, holds, hint)
    }

    /// An array that is not what its type says.
    fn broken(&self, error: &arrow_schema::ArrowError) -> Fault {
        self.fault(0, format!("what is no valid Arrow data ({error})"), "make the batch anew")
    }
}

fn unsupported(path: &str, data_type: &DataType, why: &str, hint: &str) -> Error {
    let message = format!("column \"{path}\" ({}) cannot be written: {why}", format_type(data_type));
    Error::new(ErrorKind::Unsupported, message).with_column(path).with_hint(hint)
}

/// Refuses two fields of one name: Parquet's readers find columns by their names.
pub(crate) fn unique<'a>(names: impl Iterator<Item = &'a str>, within: Option<&str>) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            let place = within.map(|path| format!(" in column \"{path}\"")).unwrap_or_default();
            let message =
                format!("two fields{place} are called \"{name}\", which readers of Parquet cannot tell apart");
            return Err(Error::new(ErrorKind::Unsupported, message).with_column(name).with_hint("rename one of them"));
        }
    }
    Ok(())
}

/// The rows of an array that hold values, if not all do.
fn present(array: &dyn Array, live: Option<&NullBuffer>) -> Option<NullBuffer> {
    NullBuffer::union(array.logical_nulls().as_ref(), live)
}

/// The first row whose value is wrong, among those that hold one.
fn first<T: Copy>(values: &[T], present: Option<&NullBuffer>, wrong: impl Fn(T) -> bool) -> Option<usize> {
    // Nearly always none is, and this loop has no branches.
    if !values.iter().fold(false, |any, value| any | wrong(*value)) {
        return None;
    }
    let holds = |row: usize| present.is_none_or(|nulls| nulls.is_valid(row));
    values.iter().enumerate().find(|(row, value)| holds(*row) && wrong(**value)).map(|(row, _)| row)
}
