//! What one query takes of the files: which columns, in which types, and how many rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use bowshot_core::{Casts, Error, ErrorKind, Options, Result, TimesOfDay};

use crate::query::{Wanted, Wish};
use crate::text;
use crate::uri::Location;

/// The columns that a query takes, in its order.
#[derive(Debug)]
pub(crate) struct View {
    /// Places among all columns: those of the files first, then those of the folders.
    pub(crate) places: Vec<usize>,
    /// Before the user's types.
    pub(crate) schema: SchemaRef,
    times: TimesOfDay,
    pub(crate) casts: Casts,
    pub(crate) limit: Option<u64>,
}

impl View {
    pub(crate) fn new(all: &SchemaRef, wanted: &Wanted, options: &Options) -> Result<Self> {
        let mut fields = Vec::new();
        let mut places = Vec::new();
        match &wanted.columns {
            None => {
                places.extend(0..all.fields().len());
                fields.extend(all.fields().iter().cloned());
            }
            Some(wishes) => {
                for wish in wishes {
                    let (place, field) = find(all, wish)?;
                    let name = wish.alias.as_ref().unwrap_or_else(|| field.name());
                    places.push(place);
                    fields.push(Arc::new(field.clone().with_name(name)));
                }
            }
        }
        View::of(places, Arc::new(Schema::new(fields)), wanted.limit, options)
    }

    /// Columns that are known, as they come from the files.
    pub(crate) fn of(places: Vec<usize>, schema: SchemaRef, limit: Option<u64>, options: &Options) -> Result<Self> {
        let times = TimesOfDay::new(&schema, &text::not_settled(&schema, &options.types));
        let casts = Casts::new(&times.schema(), times.types())?;
        Ok(View { places, schema, times, casts, limit })
    }

    /// A batch of the result from all columns that it takes, in its order.
    pub(crate) fn batch(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
        // What a file calls the fields within its lists, and their metadata, is of no matter.
        let options = RecordBatchOptions::new().with_row_count(Some(rows)).with_match_field_names(false);
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?;
        self.casts.apply(self.times.apply(batch)?)
    }
}

fn find<'a>(all: &'a SchemaRef, wish: &Wish) -> Result<(usize, &'a Field)> {
    let named = |same: fn(&str, &str) -> bool| {
        let fields = all.fields().iter().enumerate();
        fields
            .filter(|(_, field)| same(field.name(), &wish.name))
            .map(|(place, field)| (place, field.as_ref()))
            .collect()
    };
    let mut found: Vec<(usize, &Field)> = named(|one, other| one == other);
    if found.is_empty() && !wish.quoted {
        found = named(|one, other| one.to_lowercase() == other.to_lowercase());
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let names: Vec<&str> = all.fields().iter().map(|field| field.name().as_str()).collect();
            Err(Error::new(ErrorKind::Sql, format!("there is no column \"{}\"", wish.name))
                .with_column(&wish.name)
                .with_hint(format!("the columns are {}", names.join(", "))))
        }
        several => Err(Error::new(ErrorKind::Sql, format!("{} columns are called \"{}\"", several.len(), wish.name))
            .with_column(&wish.name)
            .with_hint("write it in double quotes with the letters' case, or read all columns: SELECT *")),
    }
}

/// An error if the query names a table that this source is not.
pub(crate) fn check_table(location: &Location, table: Option<&str>) -> Result<()> {
    let Some(table) = table else { return Ok(()) };
    let shown = location.shown();
    let file = shown.trim_end_matches('/').rsplit('/').next().unwrap_or(shown);
    let stem = file.split('.').next().unwrap_or(file);
    let same = |name: &str| !name.is_empty() && name.eq_ignore_ascii_case(table);
    if same("data")
        || same(file)
        || same(stem)
        || table == shown
        || table.trim_start_matches("./") == shown.trim_start_matches("./")
    {
        return Ok(());
    }
    let shown = if stem.is_empty() || stem.contains(['*', '?']) { "data" } else { stem };
    Err(Error::new(ErrorKind::Sql, format!("there is no table \"{table}\" at {}", location.shown()))
        .with_hint(format!("write FROM {shown}, or FROM data, which always means these files")))
}
