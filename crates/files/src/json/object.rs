//! Objects as structs.

use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::Fields;

use super::builder::{Builder, Work};
use super::fault::{Fault, FaultKind};
use super::keys::Keys;
use super::scan::Scanner;
use super::wish::Unfit;

/// Builds structs, and records: the columns of a file are the fields of one.
#[derive(Debug)]
pub(super) struct Object {
    fields: Fields,
    keys: Keys,
    builders: Vec<Builder>,
    nulls: NullBufferBuilder,
    /// Whether a key that no field is named after is passed over; else it is an error.
    open: bool,
    inferred: bool,
}

impl Object {
    /// For objects with these fields; `None` where JSON cannot become one of them.
    pub(super) fn new(fields: &Fields, inferred: bool) -> Option<Self> {
        let builders = fields.iter().map(|field| Builder::new(field.data_type(), inferred)).collect::<Option<_>>()?;
        Some(Self::of(fields.clone(), builders, inferred))
    }

    fn of(fields: Fields, builders: Vec<Builder>, inferred: bool) -> Self {
        let keys = Keys::new(fields.iter().map(|field| field.name().as_str()));
        Object { fields, keys, builders, nulls: NullBufferBuilder::new(0), open: false, inferred }
    }

    /// For records with these columns, of which each was inferred or not. `open`: they have others, which are not read.
    pub(super) fn record(fields: Fields, inferred: &[bool], open: bool) -> Option<Self> {
        let columns = fields.iter().zip(inferred);
        let builders =
            columns.map(|(field, inferred)| Builder::new(field.data_type(), *inferred)).collect::<Option<Vec<_>>>()?;
        Some(Object { open, ..Self::of(fields, builders, false) })
    }

    /// Takes an object that was opened.
    pub(super) fn append(&mut self, scanner: &mut Scanner<'_>, work: &mut Work) -> Result<(), Fault> {
        self.keys.start();
        let mut first = true;
        let mut found = 0;
        while let Some(key) = scanner.key(&mut first)? {
            let name = key.said(&mut work.scratch)?;
            let Some(place) = self.keys.find(name) else {
                if !self.open {
                    return Err(FaultKind::Unknown(name.to_owned()).at(key.at));
                }
                scanner.pass()?;
                continue;
            };
            if !self.keys.mark(place) {
                return Err(FaultKind::Twice(name.to_owned()).at(key.at));
            }
            found += 1;
            if let Some(builder) = self.builders.get_mut(place) {
                builder.append(scanner, work)?;
            }
        }
        if found < self.builders.len() {
            for (builder, had) in self.builders.iter_mut().zip(self.keys.had()) {
                if !had {
                    builder.append_null(work);
                }
            }
        }
        self.nulls.append_non_null();
        Ok(())
    }

    pub(super) fn append_null(&mut self, work: &mut Work) {
        self.builders.iter_mut().for_each(|builder| builder.append_null(work));
        self.nulls.append_null();
    }

    /// The columns of records; where one has a value that does not fit, its name too.
    pub(super) fn columns(&mut self) -> Result<Vec<ArrayRef>, (String, Unfit)> {
        self.nulls = NullBufferBuilder::new(0);
        let columns = self.builders.iter_mut().zip(&self.fields);
        columns.map(|(builder, field)| builder.finish().map_err(|unfit| (field.name().clone(), unfit))).collect()
    }

    pub(super) fn finish(&mut self) -> Result<StructArray, Unfit> {
        let (length, nulls) = (self.nulls.len(), self.nulls.finish());
        let columns = self.builders.iter_mut().map(Builder::finish).collect::<Result<_, _>>()?;
        Ok(StructArray::try_new_with_length(self.fields.clone(), columns, nulls, length)?)
    }

    pub(super) fn is_inferred(&self) -> bool {
        self.inferred
    }
}
