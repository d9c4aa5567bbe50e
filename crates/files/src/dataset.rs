//! The files of a location, looked at: their columns, and what reading them needs to know.

use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use bowshot_core::{Cancel, Condition, Error, ErrorKind, Options, Result, Test};

use crate::chunk::Chunk;
use crate::columns::{merge, union};
use crate::connect::Store;
use crate::format::Format;
use crate::partition::Cut;
use crate::query::Wanted;
use crate::snapshot::File;
use crate::uri::Location;
use crate::{csv, hive, ipc, json, parquet};

/// The place of a column that a file lacks.
pub(crate) const ABSENT: usize = usize::MAX;

/// Files that are read as one.
pub(crate) struct Dataset {
    pub(crate) location: Location,
    pub(crate) files: Vec<Arc<File>>,
    pub(crate) data: Data,
    /// The columns of the files, then those of the folders.
    pub(crate) all: SchemaRef,
    /// For each file, where the columns of the files stand in it; [`ABSENT`] where one does not.
    pub(crate) places: Vec<Vec<usize>>,
}

/// What each file says of itself.
pub(crate) enum Data {
    Parquet(Vec<Arc<parquet::Meta>>),
    Text(csv::Table),
    Arrow(Vec<ipc::Meta>),
    Json(json::Table),
}

impl Dataset {
    /// Lists the files and looks at each, to read some queries of them.
    pub(crate) fn load(
        location: &Location,
        wanted: &[Wanted],
        options: &Options,
        target: u64,
        cancel: &Cancel,
    ) -> Result<Self> {
        let store = Store::new(location, cancel)?;
        let files = store.list(location)?;
        let format = format(location, &store, &files)?;
        if location.infer_all && format != Format::Json {
            return Err(Error::new(ErrorKind::Config, "infer=all is an option of JSON lines alone")
                .with_hint("leave it out; types= settles the types of other files"));
        }
        if location.range.is_some() && (format != Format::Parquet || files.len() != 1) {
            return Err(Error::new(ErrorKind::Config, "the option range is for a single Parquet file")
                .with_hint("name one file of the folder, or leave range out"));
        }
        let looking = Looking { location, files: &files, options, cancel };
        let (data, schemas) = match format {
            Format::Parquet => {
                let metas = looking.each(&store, |open| {
                    let meta = parquet::Meta::load(&open, &options.types)?;
                    // A range is not cut.
                    Ok(Arc::new(if location.range.is_some() { meta } else { meta.measured(&open) }))
                })?;
                let schemas: Vec<SchemaRef> = metas.iter().map(|meta| Arc::clone(&meta.schema)).collect();
                (Data::Parquet(metas), schemas)
            }
            Format::Arrow => {
                let metas = looking.each(&store, |open| ipc::Meta::load(&open, location, &options.types, None))?;
                let schemas = metas.iter().map(|meta| Arc::clone(&meta.schema)).collect();
                (Data::Arrow(metas), schemas)
            }
            Format::Csv | Format::Tsv => {
                let dialect = location.dialect.completed(format);
                let heads =
                    looking.each(&store, |open| csv::Head::load(open, &dialect, target, options.workers(), cancel))?;
                let table = csv::Table::new(heads, &options.types, &files)?;
                let schemas = table.schemas();
                (Data::Text(table), schemas)
            }
            Format::Json => {
                let (settled, all) = (json::settled(&options.types), location.infer_all);
                let look = json::Looking { settled, all, target, workers: options.workers(), cancel };
                let heads = looking.each(&store, |open| json::Head::load(&open, &look))?;
                let table = json::Table::new(heads, &options.types, &files, all)?;
                let schemas = table.schemas();
                (Data::Json(table), schemas)
            }
        };
        let named: Vec<(&str, &SchemaRef)> =
            files.iter().zip(&schemas).map(|(file, schema)| (file.name.as_str(), schema)).collect();
        let has_types = matches!(data, Data::Parquet(_) | Data::Arrow(_));
        let merged = if options.merge_schemas && has_types {
            union(&named, &options.types, &|column| wanted.iter().any(|wanted| wanted.may_take(column)))?
        } else {
            merge(&named)?
        };
        let places = schemas.iter().map(|schema| places(&merged, schema)).collect();
        let all = with_folders(&merged, &files, options)?;
        Ok(Dataset { location: location.clone(), files, data, all, places })
    }

    /// How many columns the files have, without those of the folders.
    pub(crate) fn width(&self) -> usize {
        self.places.first().map_or(0, Vec::len)
    }

    /// Where a column of the result comes from, for one file: its place in the file, or the folder's key.
    pub(crate) fn origin(&self, file: usize, place: usize) -> Origin {
        match self.places.get(file).and_then(|places| places.get(place)) {
            Some(&ABSENT) => Origin::Nothing,
            Some(place) => Origin::File(*place),
            None => Origin::Folder(place.saturating_sub(self.width())),
        }
    }

    /// For each file, which of its row groups may hold rows that fulfil all conditions; of files of other formats than Parquet, whether any
    /// row may; of what lies in the range that is read. Empty where all is kept.
    pub(crate) fn kept(&self, conditions: &[Condition]) -> Vec<Vec<bool>> {
        let range = self.location.range.as_ref();
        if conditions.is_empty() && range.is_none() {
            return Vec::new();
        }
        let kept = |(number, file): (usize, &Arc<File>)| {
            let asked: Vec<Asked<'_>> = conditions.iter().map(|condition| self.asked(number, condition)).collect();
            let never = asked.iter().any(|asked| matches!(asked, Asked::Never));
            let Data::Parquet(metas) = &self.data else { return vec![!never] };
            let Some(meta) = metas.get(number) else { return Vec::new() };
            let tests: Vec<_> = asked
                .into_iter()
                .filter_map(|asked| if let Asked::Of(tests) = asked { Some(tests) } else { None })
                .collect();
            let mut kept = meta.may_hold(&tests, &file.name);
            if let Some(range) = range {
                kept.iter_mut().zip(meta.are_in(range)).for_each(|(kept, inside)| *kept &= inside);
            }
            if never { vec![false; kept.len()] } else { kept }
        };
        self.files.iter().enumerate().map(kept).collect()
    }

    /// What a condition asks of one file, whose folders have the same keys for all of its rows.
    fn asked<'a>(&self, number: usize, condition: &'a Condition) -> Asked<'a> {
        let mut tests = parquet::Resolved::new();
        for (name, test) in &condition.any {
            let Ok(place) = self.all.index_of(name) else { return Asked::Nothing };
            match self.origin(number, place) {
                Origin::File(place) => tests.push((place, test)),
                // No comparison holds for NULL.
                Origin::Nothing if !matches!(test, Test::Null) => {}
                Origin::Nothing => return Asked::Nothing,
                Origin::Folder(key) => {
                    let value =
                        self.files.get(number).and_then(|file| file.keys.get(key)).map(|(_, value)| value.as_deref());
                    let holds = value.and_then(|value| hive::holds(value, self.all.field(place).data_type(), test));
                    if holds != Some(false) {
                        return Asked::Nothing;
                    }
                }
            }
        }
        if tests.is_empty() { Asked::Never } else { Asked::Of(tests) }
    }

    /// The pieces of all files, in their order; `wanted` are the columns that are read. What is not `kept` is left out.
    pub(crate) fn chunks(&self, wanted: &[usize], cut: Cut, kept: &[Vec<bool>]) -> Vec<Chunk> {
        let columns = |file: usize| -> Vec<usize> {
            let origins = wanted.iter().map(|place| self.origin(file, *place));
            origins.filter_map(|origin| if let Origin::File(place) = origin { Some(place) } else { None }).collect()
        };
        let any = |file: usize| kept.get(file).is_none_or(|kept| kept.iter().any(|kept| *kept));
        let chunks: Vec<Chunk> = match &self.data {
            Data::Parquet(metas) => {
                let kept = |file: usize| kept.get(file).map_or(&[][..], Vec::as_slice);
                let chunks =
                    |(file, meta): (usize, &Arc<parquet::Meta>)| meta.chunks(file, &columns(file), cut, kept(file));
                metas.iter().enumerate().flat_map(chunks).collect()
            }
            Data::Arrow(metas) => metas.iter().enumerate().flat_map(|(file, meta)| meta.chunks(file)).collect(),
            Data::Text(table) => table.chunks(),
            Data::Json(table) => table.chunks(),
        };
        match &self.data {
            Data::Parquet(_) => chunks,
            _ => chunks.into_iter().filter(|chunk| any(chunk.file)).collect(),
        }
    }
}

/// What a condition asks of a file.
enum Asked<'a> {
    /// All of its rows fulfil it, or nobody knows.
    Nothing,
    /// None of its rows fulfils it.
    Never,
    /// One of these tests holds for each row that does.
    Of(parquet::Resolved<'a>),
}

/// Where a column comes from.
pub(crate) enum Origin {
    /// A place in the file.
    File(usize),
    /// The file lacks it: all of its rows are NULL there.
    Nothing,
    /// A place among the folder's keys.
    Folder(usize),
}

/// Looks at many files, several at a time.
struct Looking<'a> {
    location: &'a Location,
    files: &'a [Arc<File>],
    options: &'a Options,
    cancel: &'a Cancel,
}

/// Fewer files than this are looked at one after the other.
const FEW: usize = 4;

impl Looking<'_> {
    fn each<T: Send>(
        &self,
        store: &Store,
        look: impl Fn(Arc<crate::open::Open>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let some = |store: &Store, files: &[Arc<File>]| -> Result<Vec<T>> {
            let one = |file| {
                self.cancel.check()?;
                look(Arc::new(store.open(file)?))
            };
            files.iter().map(one).collect()
        };
        if self.files.len() <= FEW {
            return some(store, self.files);
        }
        let share = self.files.len().div_ceil(self.options.workers());
        std::thread::scope(|scope| {
            let some = &some;
            let start = |files| scope.spawn(move || some(&Store::new(self.location, self.cancel)?, files));
            let threads: Vec<_> = self.files.chunks(share).map(start).collect();
            let mut all = Vec::with_capacity(self.files.len());
            for thread in threads {
                let lost = |_| Error::new(ErrorKind::Internal, "a thread that looked at files panicked");
                all.extend(thread.join().map_err(lost)??);
            }
            Ok(all)
        })
    }
}

/// The one format of all files.
fn format(location: &Location, store: &Store, files: &[Arc<File>]) -> Result<Format> {
    if let Some(format) = location.format {
        return Ok(format);
    }
    let Some(first) = files.first() else { return Err(crate::list::none(location.shown())) };
    let of = |file: &Arc<File>| match Format::of_name(&file.name) {
        Some(format) => Ok(format),
        None => Format::of_content(&store.open(file)?, &file.name),
    };
    let format = of(first)?;
    for other in files {
        if of(other)? != format {
            return Err(Error::new(
                ErrorKind::Config,
                format!("{} and {} are of different formats", first.name, other.name),
            )
            .with_hint("name the ones to read, such as data/*.parquet"));
        }
    }
    Ok(format)
}

/// Where the columns of all files stand in one of them.
fn places(merged: &Schema, schema: &Schema) -> Vec<usize> {
    let same = merged.fields().iter().map(|field| field.name()).eq(schema.fields().iter().map(|field| field.name()));
    let place = |(place, field): (usize, &Arc<Field>)| {
        if same { place } else { schema.index_of(field.name()).unwrap_or(ABSENT) }
    };
    merged.fields().iter().enumerate().map(place).collect()
}

fn with_folders(merged: &SchemaRef, files: &[Arc<File>], options: &Options) -> Result<SchemaRef> {
    let keys = hive::fields(files, options)?;
    if keys.is_empty() {
        return Ok(Arc::clone(merged));
    }
    if let Some(both) = keys.iter().find(|key| merged.field_with_name(key.name()).is_ok()) {
        let name = both.name();
        return Err(Error::new(
            ErrorKind::Config,
            format!("column \"{name}\" is in the files and a key of their folders"),
        )
        .with_column(name)
        .with_hint("add ?hive=false to the URI to read that of the files"));
    }
    let mut fields: Vec<Arc<Field>> = merged.fields().iter().cloned().collect();
    fields.extend(keys.into_iter().map(Arc::new));
    Ok(Arc::new(Schema::new(fields)))
}
