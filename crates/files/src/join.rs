//! From a ticket to a plan of its one partition. Only its own files are looked at; what it says of them is a stranger's word until they
//! have shown it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, SchemaRef};
use bowshot_core::{Cancel, Casts, Error, ErrorKind, Estimate, Partition, Plan, Result, Ticket};

use crate::chunk::{Chunk, Piece};
use crate::connect::Store;
use crate::csv;
use crate::dataset::{ABSENT, Data, Dataset};
use crate::error::damaged_ticket;
use crate::held::{Held, HeldFile, HeldFormat, here};
use crate::ipc;
use crate::json;
use crate::list;
use crate::parquet;
use crate::read::{Job, Shared};
use crate::snapshot::{self, File};
use crate::uri::{Location, Place};
use crate::view::View;
use crate::widen::wider;

/// The plan of the partition that a ticket names, if its files are those that were planned with.
pub(crate) fn join(location: &Location, ticket: &Ticket, held: Held, cancel: &Cancel) -> Result<Plan> {
    let options = ticket.options();
    let read = ipc::schema_of(held.schema, "the ticket").map_err(|error| damaged_ticket(error.message()))?;
    if read.fields().len() != held.places.len() {
        return Err(damaged_ticket("its columns are not as many as their places"));
    }
    let view = Arc::new(View::of(held.places, read, held.limit, &options)?);
    let store = Store::new(location, cancel)?;
    let same_place = match &location.place {
        Place::Local(path) => held.here.is_some() && held.here == here(list::start(path)),
        Place::Remote { .. } => false,
    };
    let mut files = Vec::with_capacity(held.files.len());
    for file in &held.files {
        cancel.check()?;
        files.push(store.find(location, file, same_place)?);
    }
    let places = places(&view, &held.files)?;
    let looking = Looking { store: &store, files: &files, cancel };
    let data = match held.format {
        HeldFormat::Parquet => {
            let load = |open: &Arc<_>, _| parquet::Meta::load(open, &options.types).map(Arc::new);
            let metas = looking.each(load)?;
            check(&view, &files, &places, metas.iter().map(|meta| &meta.schema), &options.types)?;
            Data::Parquet(metas)
        }
        HeldFormat::Arrow => {
            let only = |file| -> Vec<Range<usize>> {
                let pieces = held.pieces.iter().filter(|(of, _)| *of == file);
                pieces
                    .filter_map(
                        |(_, piece)| if let Piece::Blocks(blocks) = piece { Some(blocks.clone()) } else { None },
                    )
                    .collect()
            };
            let metas =
                looking.each(|open, file| ipc::Meta::load(open, location, &options.types, Some(&only(file))))?;
            check(&view, &files, &places, metas.iter().map(|meta| &meta.schema), &options.types)?;
            Data::Arrow(metas)
        }
        HeldFormat::Text => Data::Text(text(&view, &files, held.files, &places)?),
        HeldFormat::Json => Data::Json(lines(&view, &files, held.files, &places)?),
    };
    // What the query names has been found: no name is looked for any more.
    let dataset = Dataset { location: location.clone(), files, data, all: Arc::clone(&view.schema), places };
    let chunks =
        held.pieces.into_iter().map(|(file, piece)| chunk(&dataset, &view, file, piece)).collect::<Result<_>>()?;
    let job = Job { view: Arc::clone(&view), chunks, limit: held.limit };
    let partition = Partition { label: String::new(), rows: rows(&job) };
    if partition.rows != ticket.partition().rows {
        return Err(damaged_ticket("its pieces have other rows than it says"));
    }
    let plan = Plan {
        schema: view.casts.schema(),
        snapshot: Some(snapshot::name(dataset.files.len())),
        estimate: Estimate { rows: partition.rows, bytes: None },
        partitions: vec![partition],
        reason: String::new(),
        scan: Arc::new(Shared::new(Arc::new(dataset), vec![job], &options)),
    };
    ticket.joined(plan)
}

/// How many rows a partition has, where its files say so.
pub(crate) fn rows(job: &Job) -> Option<u64> {
    let rows = job.chunks.iter().map(|chunk| chunk.rows).try_fold(0_u64, |sum, rows| Some(sum.saturating_add(rows?)));
    rows.map(|rows| job.limit.map_or(rows, |limit| rows.min(limit)))
}

struct Looking<'a> {
    store: &'a Store,
    files: &'a [Arc<File>],
    cancel: &'a Cancel,
}

impl Looking<'_> {
    fn each<T>(&self, look: impl Fn(&Arc<crate::open::Open>, usize) -> Result<T>) -> Result<Vec<T>> {
        let one = |(number, file): (usize, &Arc<File>)| {
            self.cancel.check()?;
            look(&Arc::new(self.store.open(file)?), number)
        };
        self.files.iter().enumerate().map(one).collect()
    }
}

/// Where the columns that are read stand in each file.
fn places(view: &View, files: &[HeldFile]) -> Result<Vec<Vec<usize>>> {
    let Some(first) = files.first() else { return Ok(Vec::new()) };
    let first_places = first.places.as_ref().ok_or_else(|| damaged_ticket("its first file has no columns"))?;
    let (width, keys) = (first_places.len(), first.keys.len());
    if view.places.iter().any(|place| *place >= width.saturating_add(keys)) {
        return Err(damaged_ticket("a column is in no file and no folder"));
    }
    let of = |file: &HeldFile| {
        let places = file.places.as_ref().unwrap_or(first_places);
        if places.len() != width || file.keys.len() != keys {
            return Err(damaged_ticket("its files have different columns"));
        }
        Ok(places.clone())
    };
    files.iter().map(of).collect()
}

/// The field of each column that is read of the files.
fn fields(view: &View, width: usize) -> Option<Vec<FieldRef>> {
    let field = |column: usize| {
        let at = view.places.iter().position(|place| *place == column)?;
        view.schema.fields().get(at).cloned()
    };
    (0..width).map(field).collect()
}

/// An error where the columns of a file are not those of the plan, and do not fit into them.
fn check<'a>(
    view: &View,
    files: &[Arc<File>],
    places: &[Vec<usize>],
    schemas: impl Iterator<Item = &'a SchemaRef>,
    types: &BTreeMap<String, DataType>,
) -> Result<()> {
    for ((file, places), schema) in files.iter().zip(places).zip(schemas) {
        for (place, field) in view.places.iter().zip(view.schema.fields()) {
            // Keys of folders follow.
            let Some(place) = places.get(*place).filter(|place| **place != ABSENT) else { continue };
            let wanted = field.data_type();
            let is_held = |found: &DataType| {
                let is_chosen = || types.get(field.name()) == Some(wanted) && Casts::are_possible(found, wanted);
                wider(found, wanted).is_some_and(|wide| wide.equals_datatype(wanted)) || is_chosen()
            };
            if !schema.fields().get(*place).is_some_and(|found| is_held(found.data_type())) {
                let message = format!("{} has other columns than it had when the read was planned", file.name);
                return Err(Error::new(ErrorKind::SnapshotGone, message)
                    .with_column(field.name())
                    .with_hint("plan the read again, with the same version of Bowshot on all machines"));
            }
        }
    }
    Ok(())
}

fn text(view: &View, files: &[Arc<File>], held: Vec<HeldFile>, places: &[Vec<usize>]) -> Result<csv::Table> {
    let width = places.first().map_or(0, Vec::len);
    let fields = fields(view, width).ok_or_else(|| damaged_ticket("a column is read for nothing"))?;
    let one = |((file, held), places): ((&'_ Arc<File>, HeldFile), &Vec<usize>)| -> Result<_> {
        let text = held.text.ok_or_else(|| damaged_ticket("a file of text has no dialect"))?;
        Ok((Arc::clone(file), text, places.clone(), fields.clone()))
    };
    let known = files.iter().zip(held).zip(places).map(one).collect::<Result<Vec<_>>>()?;
    csv::Table::join(known).map_err(damaged_ticket)
}

fn lines(view: &View, files: &[Arc<File>], held: Vec<HeldFile>, places: &[Vec<usize>]) -> Result<json::Table> {
    let width = places.first().map_or(0, Vec::len);
    let fields = fields(view, width).ok_or_else(|| damaged_ticket("a column is read for nothing"))?;
    let one = |((file, held), places): ((&'_ Arc<File>, HeldFile), &Vec<usize>)| -> Result<_> {
        let json = held.json.ok_or_else(|| damaged_ticket("a file of JSON has no columns"))?;
        Ok((Arc::clone(file), json, places.clone(), fields.clone()))
    };
    let known = files.iter().zip(held).zip(places).map(one).collect::<Result<Vec<_>>>()?;
    json::Table::join(known).map_err(damaged_ticket)
}

/// A piece, if its file has it.
fn chunk(dataset: &Dataset, view: &View, file: usize, piece: Piece) -> Result<Chunk> {
    let found = match &dataset.data {
        Data::Parquet(metas) => {
            let columns = crate::read::columns(dataset, view, file);
            metas.get(file).and_then(|meta| meta.chunk(file, &columns, piece))
        }
        Data::Arrow(metas) => metas.get(file).and_then(|meta| meta.chunk(file, piece)),
        Data::Text(table) => dataset.files.get(file).and_then(|of| table.chunk(file, of, piece)),
        Data::Json(table) => dataset.files.get(file).and_then(|of| table.chunk(file, of, piece)),
    };
    found.ok_or_else(|| damaged_ticket("a piece is in none of its files"))
}
