//! Values to arrays: a builder a column, and within it one for each field and item.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use bowshot_core::format_type;

use super::fault::{Fault, FaultKind};
use super::list::List;
use super::map::Map;
use super::object::Object;
use super::scan::{Scanner, Value};
use super::wish::{Unfit, Wish, is_possible};
use crate::digits::comes_back;

/// What a batch holds at most, in bytes of its arrays: the places of texts and items stay within 31 bits.
const HEAVIEST: usize = 1 << 30;

/// The state of a batch that is being built.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// The number of the line.
    pub(super) line: u64,
    /// About how many bytes the arrays have.
    pub(super) weight: usize,
    pub(super) scratch: String,
}

impl Work {
    /// An error where a record became too large.
    pub(super) fn check(&self, at: usize) -> Result<(), Fault> {
        if self.weight > HEAVIEST { Err(FaultKind::Heavy.at(at)) } else { Ok(()) }
    }
}

/// Builds the array of a column, of a field or of items.
#[derive(Debug)]
pub(super) enum Builder {
    Truth(BooleanBuilder),
    Whole(Int64Builder),
    Float(Float64Builder),
    Text(StringBuilder),
    /// A type of the user's.
    Wish(Wish),
    Object(Object),
    List(List),
    Map(Box<Map>),
}

impl Builder {
    /// For values of a type, which was inferred or is the user's; `None` where JSON cannot become it. Memory is taken as values come: columns
    /// may be many.
    pub(super) fn new(data_type: &DataType, inferred: bool) -> Option<Self> {
        Some(match (data_type, inferred) {
            (DataType::Boolean, true) => Builder::Truth(BooleanBuilder::with_capacity(0)),
            (DataType::Int64, true) => Builder::Whole(Int64Builder::with_capacity(0)),
            (DataType::Float64, true) => Builder::Float(Float64Builder::with_capacity(0)),
            (DataType::Utf8, true) => Builder::Text(StringBuilder::with_capacity(0, 0)),
            (DataType::Struct(fields), _) => Builder::Object(Object::new(fields, inferred)?),
            (DataType::List(item) | DataType::LargeList(item), _) => {
                Builder::List(List::new(data_type.clone(), item, inferred)?)
            }
            (DataType::Map(entries, sorted), _) => Builder::Map(Box::new(Map::new(entries, *sorted, inferred)?)),
            _ => Builder::Wish(is_possible(data_type).then(|| Wish::new(data_type.clone()))?),
        })
    }

    /// Takes the next value.
    pub(super) fn append(&mut self, scanner: &mut Scanner<'_>, work: &mut Work) -> Result<(), Fault> {
        let at = scanner.place();
        let value = scanner.value()?;
        if value == Value::Null {
            self.append_null(work);
            return Ok(());
        }
        let misfit = |of: DataType| Err(FaultKind::Misfit { wanted: format_type(&of), inferred: true }.at(at));
        match (self, value) {
            (Builder::Truth(values), Value::Truth(truth)) => {
                work.weight += 1;
                values.append_value(truth);
            }
            (Builder::Whole(values), Value::Number(written, true)) => match written.parse() {
                Ok(number) => {
                    work.weight += 8;
                    values.append_value(number);
                }
                Err(_) => return misfit(DataType::Int64),
            },
            (Builder::Float(values), Value::Number(written, _)) => match float(written) {
                Some(number) => {
                    work.weight += 8;
                    values.append_value(number);
                }
                None => return misfit(DataType::Float64),
            },
            (Builder::Text(values), Value::Text(text)) => {
                let said = text.said(&mut work.scratch)?;
                work.weight += 4 + said.len();
                values.append_value(said);
            }
            (Builder::Wish(wish), value) => wish.append(at, value, scanner, work)?,
            (Builder::Object(object), Value::Object) => object.append(scanner, work)?,
            (Builder::List(list), Value::Array) => list.append(scanner, work)?,
            (Builder::Map(map), Value::Object) => map.append(scanner, work)?,
            (builder, _) => {
                let (wanted, inferred) = builder.wanted();
                return Err(FaultKind::Misfit { wanted, inferred }.at(at));
            }
        }
        Ok(())
    }

    /// Takes a NULL, or the lack of a value.
    pub(super) fn append_null(&mut self, work: &mut Work) {
        work.weight += 4;
        match self {
            Builder::Truth(values) => values.append_null(),
            Builder::Whole(values) => values.append_null(),
            Builder::Float(values) => values.append_null(),
            Builder::Text(values) => values.append_null(),
            Builder::Wish(wish) => wish.append_null(work),
            Builder::Object(object) => object.append_null(work),
            Builder::List(list) => list.append_null(),
            Builder::Map(map) => map.append_null(),
        }
    }

    /// The array of what was taken; the builder begins anew.
    pub(super) fn finish(&mut self) -> Result<ArrayRef, Unfit> {
        Ok(match self {
            Builder::Truth(values) => Arc::new(values.finish()),
            Builder::Whole(values) => Arc::new(values.finish()),
            Builder::Float(values) => Arc::new(values.finish()),
            Builder::Text(values) => Arc::new(values.finish()),
            Builder::Wish(wish) => wish.finish()?,
            Builder::Object(object) => Arc::new(object.finish()?),
            Builder::List(list) => list.finish()?,
            Builder::Map(map) => Arc::new(map.finish()?) as Arc<dyn Array>,
        })
    }

    /// The name of its type, and whether it was inferred.
    fn wanted(&self) -> (String, bool) {
        match self {
            Builder::Truth(_) => (format_type(&DataType::Boolean), true),
            Builder::Whole(_) => (format_type(&DataType::Int64), true),
            Builder::Float(_) => (format_type(&DataType::Float64), true),
            Builder::Text(_) => (format_type(&DataType::Utf8), true),
            Builder::Wish(wish) => (format_type(wish.wanted()), false),
            Builder::Object(object) => ("a struct".to_owned(), object.is_inferred()),
            Builder::List(list) => ("a list".to_owned(), list.is_inferred()),
            Builder::Map(map) => ("a map".to_owned(), map.is_inferred()),
        }
    }
}

/// The double that says all that a number says; `None` where there is none.
fn float(written: &str) -> Option<f64> {
    let value: f64 = written.parse().ok()?;
    (value.is_finite() && comes_back(written.as_bytes(), value)).then_some(value)
}
