//! Columns of the user's types: the text of each value, or what is written of it, and what the core makes of that.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bowshot_core::{Casts, Error, ErrorKind, Result as Outcome, format_type};

use super::builder::Work;
use super::fault::{Fault, FaultKind};
use super::scan::{Scanner, Value};

/// Builds arrays of a type that the user chose. Texts are what they say, all else is as it is written: `12`, `true`, `{"a": 1}`.
#[derive(Debug)]
pub(super) struct Wish {
    wanted: DataType,
    texts: StringBuilder,
    /// The line of each value, also of those that are NULL.
    lines: Vec<u64>,
}

/// What does not become an array.
#[derive(Debug)]
pub(super) enum Unfit {
    /// A value of this line, as text, is none of the type.
    Value {
        line: u64,
        text: String,
        wanted: String,
    },
    Other(Error),
}

impl Unfit {
    /// Of what was checked before.
    pub(super) fn internal() -> Self {
        Unfit::Other(Error::new(ErrorKind::Internal, "a column of JSON is not of its type"))
    }
}

impl From<ArrowError> for Unfit {
    fn from(error: ArrowError) -> Self {
        Unfit::Other(error.into())
    }
}

/// Whether text may become values of a type.
pub(super) fn is_possible(wanted: &DataType) -> bool {
    Casts::are_possible(&DataType::Utf8, wanted)
}

impl Wish {
    pub(super) fn new(wanted: DataType) -> Self {
        Wish { wanted, texts: StringBuilder::with_capacity(0, 0), lines: Vec::new() }
    }

    pub(super) fn wanted(&self) -> &DataType {
        &self.wanted
    }

    /// Takes a value that begins at `at`, or was opened there.
    pub(super) fn append(
        &mut self,
        at: usize,
        value: Value<'_>,
        scanner: &mut Scanner<'_>,
        work: &mut Work,
    ) -> Result<(), Fault> {
        match value {
            Value::Text(text) => {
                let said = text.said(&mut work.scratch)?;
                work.weight += said.len();
                self.texts.append_value(said);
            }
            opened => {
                scanner.pass_rest(opened)?;
                let written = std::str::from_utf8(scanner.written(at)).map_err(|_| FaultKind::Utf8(0).at(at))?;
                work.weight += written.len();
                self.texts.append_value(written);
            }
        }
        work.weight += 12;
        self.lines.push(work.line);
        Ok(())
    }

    pub(super) fn append_null(&mut self, work: &mut Work) {
        self.texts.append_null();
        self.lines.push(work.line);
    }

    pub(super) fn finish(&mut self) -> Result<ArrayRef, Unfit> {
        let lines = std::mem::take(&mut self.lines);
        let texts = self.texts.finish();
        if self.wanted == DataType::Utf8 {
            return Ok(Arc::new(texts));
        }
        match turned(&texts, &self.wanted) {
            Ok(array) => Ok(array),
            Err(error) => Err(self.first_unfit(&texts, &lines).unwrap_or(Unfit::Other(error))),
        }
    }

    /// The first value that is none of the type, by halves.
    #[cold]
    fn first_unfit(&self, texts: &StringArray, lines: &[u64]) -> Option<Unfit> {
        let (mut start, mut length) = (0, texts.len());
        while length > 1 {
            let half = length / 2;
            if turned(&texts.slice(start, half), &self.wanted).is_err() {
                length = half;
            } else {
                (start, length) = (start + half, length - half);
            }
        }
        let text = (start < texts.len() && texts.is_valid(start)).then(|| texts.value(start).to_owned())?;
        Some(Unfit::Value { line: *lines.get(start)?, text, wanted: format_type(&self.wanted) })
    }
}

/// Texts as values of the type, by the one rule of types.
fn turned(texts: &StringArray, wanted: &DataType) -> Outcome<ArrayRef> {
    let schema = Arc::new(Schema::new(vec![Field::new("", DataType::Utf8, true)]));
    let casts = Casts::new(&schema, &BTreeMap::from([(String::new(), wanted.clone())]))?;
    let batch = casts.apply(RecordBatch::try_new(schema, vec![Arc::new(texts.clone())])?)?;
    Ok(Arc::clone(batch.column(0)))
}
