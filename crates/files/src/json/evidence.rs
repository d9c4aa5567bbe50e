//! What the values of a column look like, and so which type it has.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::{DataType, Field};
use bowshot_core::{Error, ErrorKind, Result};

use super::fault::{Fault, FaultKind};
use super::keys::Keys;
use super::scan::{Scanner, Value};
use crate::snapshot::File;

/// Columns, and fields within them, are never more: keys that are data would be without end.
pub(super) const MOST_KEYS: usize = 10_000;

/// The kinds of values, each with the first place that showed it.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    truth: Option<Seen>,
    number: Option<Seen>,
    /// Whether a number had a point or an exponent.
    float: bool,
    text: Option<Seen>,
    object: Option<Seen>,
    array: Option<Seen>,
    fields: Fields,
    items: Option<Box<Evidence>>,
}

/// The keys of objects, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Fields {
    keys: Keys,
    all: Vec<(String, Evidence)>,
}

#[derive(Clone, Debug)]
struct Seen {
    file: Arc<File>,
    line: u64,
}

/// What looking takes beside the line.
pub(super) struct Look<'a> {
    pub(super) file: &'a Arc<File>,
    pub(super) line: u64,
    /// Columns whose types the user settles.
    pub(super) settled: &'a BTreeSet<String>,
    /// How many keys may still come.
    pub(super) keys_left: usize,
    pub(super) scratch: String,
}

impl Evidence {
    fn see(&mut self, scanner: &mut Scanner<'_>, look: &mut Look<'_>) -> Result<(), Fault> {
        let value = scanner.value()?;
        let seen = match value {
            Value::Null => return Ok(()),
            Value::Truth(_) => &mut self.truth,
            Value::Number(_, whole) => {
                self.float |= !whole;
                &mut self.number
            }
            Value::Text(_) => &mut self.text,
            Value::Object => &mut self.object,
            Value::Array => &mut self.array,
        };
        seen.get_or_insert_with(|| Seen { file: Arc::clone(look.file), line: look.line });
        match value {
            Value::Object => self.fields.see(scanner, look, false),
            Value::Array => {
                let items = self.items.get_or_insert_default();
                let mut first = true;
                while scanner.item(&mut first)? {
                    items.see(scanner, look)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn merge(&mut self, other: Evidence) {
        let Evidence { truth, number, float, text, object, array, fields, items } = other;
        self.float |= float;
        let kinds = [
            (&mut self.truth, truth),
            (&mut self.number, number),
            (&mut self.text, text),
            (&mut self.object, object),
            (&mut self.array, array),
        ];
        for (ours, theirs) in kinds {
            *ours = ours.take().or(theirs);
        }
        self.fields.merge(fields);
        match (&mut self.items, items) {
            (Some(ours), Some(theirs)) => ours.merge(*theirs),
            (ours, theirs) => *ours = ours.take().or(theirs),
        }
    }

    /// The type of the column at `path`; an error where values of several kinds are in it. What is always NULL is text.
    fn data_type(&self, path: &[&str]) -> Result<DataType> {
        let kinds = [
            ("true or false", &self.truth),
            ("a number", &self.number),
            ("text", &self.text),
            ("an object", &self.object),
            ("an array", &self.array),
        ];
        let mut seen = kinds.into_iter().filter_map(|(kind, seen)| Some((kind, seen.as_ref()?)));
        if let (Some(one), Some(other)) = (seen.next(), seen.next()) {
            return Err(several(path, one, other));
        }
        Ok(match () {
            () if self.truth.is_some() => DataType::Boolean,
            () if self.number.is_some() && self.float => DataType::Float64,
            () if self.number.is_some() => DataType::Int64,
            () if self.object.is_some() => DataType::Struct(self.fields.settle(path)?.into()),
            () if self.array.is_some() => {
                let path = [path, &["[]"]].concat();
                let item = self.items.as_ref().map_or(Ok(DataType::Utf8), |items| items.data_type(&path))?;
                DataType::List(Arc::new(Field::new_list_field(item, true)))
            }
            () => DataType::Utf8,
        })
    }
}

impl Fields {
    /// Looks at an object that was opened; `top` says that its keys are columns.
    pub(super) fn see(&mut self, scanner: &mut Scanner<'_>, look: &mut Look<'_>, top: bool) -> Result<(), Fault> {
        self.keys.start();
        let mut first = true;
        while let Some(key) = scanner.key(&mut first)? {
            let name = key.said(&mut look.scratch)?;
            let place = match self.keys.find(name) {
                Some(place) => place,
                None => {
                    look.keys_left = look.keys_left.checked_sub(1).ok_or(FaultKind::Wide.at(key.at))?;
                    self.all.push((name.to_owned(), Evidence::default()));
                    self.keys.add(name)
                }
            };
            if !self.keys.mark(place) {
                return Err(FaultKind::Twice(name.to_owned()).at(key.at));
            }
            match self.all.get_mut(place) {
                Some((name, evidence)) if !top || !look.settled.contains(name) => evidence.see(scanner, look)?,
                _ => scanner.pass()?,
            }
        }
        Ok(())
    }

    /// Adds what another piece of the file, or another file, has shown.
    pub(super) fn merge(&mut self, other: Fields) {
        for (name, evidence) in other.all {
            match self.keys.find(&name) {
                Some(place) => {
                    if let Some((_, ours)) = self.all.get_mut(place) {
                        ours.merge(evidence);
                    }
                }
                None => {
                    self.keys.add(&name);
                    self.all.push((name, evidence));
                }
            }
        }
    }

    /// The names at the top.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(name, _)| name.as_str())
    }

    /// The type of the one at a place.
    pub(super) fn type_of(&self, place: usize) -> Result<DataType> {
        self.all.get(place).map_or(Ok(DataType::Utf8), |(name, evidence)| evidence.data_type(&[name]))
    }

    /// How many keys there are, and within them.
    pub(super) fn count(&self) -> usize {
        let of = |evidence: &Evidence| -> usize {
            let mut count = 1 + evidence.fields.count();
            let mut items = evidence.items.as_deref();
            while let Some(evidence) = items {
                count += evidence.fields.count();
                items = evidence.items.as_deref();
            }
            count
        };
        self.all.iter().map(|(_, evidence)| of(evidence)).sum()
    }

    fn settle(&self, path: &[&str]) -> Result<Vec<Field>> {
        let field = |(name, evidence): &(String, Evidence)| {
            let path = [path, &[name.as_str()]].concat();
            Ok(Field::new(name, evidence.data_type(&path)?, true))
        };
        self.all.iter().map(field).collect()
    }
}

/// A path as people write it: `a.b[].c`.
pub(super) fn shown(path: &[&str]) -> String {
    path.join(".").replace(".[]", "[]")
}

fn several(path: &[&str], one: (&str, &Seen), other: (&str, &Seen)) -> Error {
    let mut both = [one, other];
    if one.1.file.name == other.1.file.name {
        both.sort_by_key(|(_, seen)| seen.line);
    }
    let [one, other] = both.map(|(kind, Seen { file, line })| format!("{kind} in line {line} of {}", file.name));
    let column = path.first().copied().unwrap_or_default();
    let whole = if path.len() > 1 { "the whole column" } else { "it" };
    Error::new(ErrorKind::Value, format!("column \"{}\" holds {one} and {other}", shown(path)))
        .with_column(column)
        .with_hint(format!(
            "read {whole} as text, which keeps what is no text as JSON: types={{\"{column}\": \"utf8\"}}"
        ))
}
