//! From a request to a plan: the schema, and the partitions.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use bowshot_core::{
    Cancel, Error, ErrorKind, Estimate, Excerpt, Options, Partition, Partitioning, Plan, Request, Result, same_columns,
};

use crate::chunk::{Chunk, Piece};
use crate::dataset::{Data, Dataset};
use crate::join::rows;
use crate::partition::{Cut, add, bytes, first, for_all, group, heavy, target};
use crate::query;
use crate::read::{Job, Shared, has_excerpts};
use crate::snapshot;
use crate::uri::Location;
use crate::view::{View, check_table};

/// Pages have about so many bytes: of fewer, both pieces of a row group would have nearly all.
const LEAST_STORED: u64 = 1 << 20;

/// Decides how the request will be read.
pub(crate) fn plan(location: &Location, request: &Request, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    check(request)?;
    let wanted: Vec<_> = request.queries.iter().map(query::parse).collect::<Result<_>>()?;
    for wanted in &wanted {
        check_table(location, wanted.table.as_deref())?;
    }
    let target = target(options);
    let dataset = Arc::new(Dataset::load(location, &wanted, options, target, cancel)?);
    let views: Vec<Arc<View>> =
        wanted.iter().map(|wanted| View::new(&dataset.all, wanted, options).map(Arc::new)).collect::<Result<_>>()?;
    if let Data::Json(table) = &dataset.data {
        // All files have the same columns in the same places.
        views.iter().try_for_each(|view| table.check(&crate::read::columns(&dataset, view, 0)))?;
    }
    let kept = dataset.kept(&options.prune);
    let (jobs, reason) = match views.as_slice() {
        [view] => one(&dataset, view, options, target, &kept),
        several => (
            several.iter().map(|view| whole(&dataset, view, Cut::Decoded(target), &kept)).collect(),
            "the user gives a query for each".into(),
        ),
    };
    let left_out = if location.range.is_some() { String::new() } else { left_out(&dataset, &kept) };
    let reason = format!("{reason}{left_out}");
    let schema = schema(&views)?;
    let partitions: Vec<Partition> = jobs.iter().map(|job| partition(&dataset, job)).collect();
    let rows = partitions.iter().map(|partition| partition.rows).sum();
    let snapshot = snapshot::name(dataset.files.len());
    let bytes = views.iter().map(|view| stored_bytes(&dataset, view, &kept)).sum();
    let scan = Shared::new(dataset, jobs, options);
    Ok(Plan {
        schema,
        snapshot: Some(snapshot),
        partitions,
        reason,
        estimate: Estimate { rows, bytes: Some(bytes) },
        scan: Arc::new(scan),
    })
}

/// What files cannot do.
fn check(request: &Request) -> Result<()> {
    let options = &request.options;
    if request.queries.is_empty() {
        return Err(Error::new(ErrorKind::Config, "the request holds no query"));
    }
    if let Some(protocol) = &options.protocol {
        return Err(Error::new(ErrorKind::Config, format!("files have no protocol \"{protocol}\""))
            .with_hint("files are read directly; leave protocol out"));
    }
    if !options.before.is_empty() {
        return Err(Error::new(ErrorKind::Config, "files run no statements before the query"));
    }
    if let Partitioning::Column { column, .. } = &options.partitioning {
        return Err(Error::new(ErrorKind::Unsupported, "files are not split by the values of a column")
            .with_column(column)
            .with_hint("leave partition_on out: row groups, batches and byte ranges are the partitions"));
    }
    Ok(())
}

/// The partitions of one query, and why.
fn one(dataset: &Dataset, view: &Arc<View>, options: &Options, target: u64, kept: &[Vec<bool>]) -> (Vec<Job>, String) {
    if dataset.location.range.is_some() {
        return (vec![whole(dataset, view, Cut::Decoded(u64::MAX / 2), kept)], "a range of a file is asked for".into());
    }
    let target = match options.partition_bytes {
        None => target,
        Some(_) => for_all(options, target, bytes(&dataset.chunks(&view.places, Cut::Decoded(target), kept))),
    };
    let cut = cut(dataset, view, options, target, kept);
    let counted = dataset.chunks(&view.places, cut, kept).iter().all(|chunk| chunk.rows.is_some());
    if options.partitioning == Partitioning::Single {
        return (vec![whole(dataset, view, cut, kept)], "the user asks for one".into());
    }
    if view.limit.is_some() && !counted {
        return (
            vec![whole(dataset, view, cut, kept)],
            "only the first rows are asked for, and nobody knows how many a piece has".into(),
        );
    }
    let chunks = first(dataset.chunks(&view.places, cut, kept), view.limit);
    let target = match cut {
        Cut::Decoded(target) => target,
        Cut::Stored(_) => target.min(bytes(&chunks).div_ceil(options.workers() as u64)),
    };
    let mut left = view.limit;
    let mut jobs = Vec::new();
    for chunks in group(chunks, target, heavy(options)) {
        let rows: u64 = chunks.iter().filter_map(|chunk| chunk.rows).sum();
        jobs.push(Job { view: Arc::clone(view), chunks, limit: left });
        left = left.map(|left| left.saturating_sub(rows));
    }
    if jobs.is_empty() {
        // No rows are a result too.
        jobs.push(Job { view: Arc::clone(view), chunks: Vec::new(), limit: None });
    }
    let what = match (&dataset.data, jobs.len()) {
        (_, 1) => "there is not more than one worker's share to read",
        (Data::Parquet(_), _) => "row groups are read side by side",
        (Data::Arrow(_), _) => "record batches are read side by side",
        (Data::Text(_) | Data::Json(_), _) => "ranges of whole lines are read side by side",
    };
    (jobs, what.into())
}

/// Where row groups are cut. What is handed on as it is stored is cut where workers would have nothing to do, and no more.
fn cut(dataset: &Dataset, view: &View, options: &Options, target: u64, kept: &[Vec<bool>]) -> Cut {
    let decoded = Cut::Decoded(target);
    if !options.excerpts {
        return decoded;
    }
    let first = dataset.chunks(&view.places, decoded, kept).into_iter().next();
    if !first.is_some_and(|chunk| has_excerpts(dataset, view, &chunk)) {
        return decoded;
    }
    let share = stored_bytes(dataset, view, kept).div_ceil(options.workers() as u64).max(LEAST_STORED);
    // Of more, each worker gets as many.
    let pieces = if share > Excerpt::LARGEST { share.div_ceil(Excerpt::LARGEST / 2) } else { 1 };
    Cut::Stored(share.div_ceil(pieces))
}

/// Everything in one partition.
fn whole(dataset: &Dataset, view: &Arc<View>, cut: Cut, kept: &[Vec<bool>]) -> Job {
    let mut chunks = Vec::new();
    for chunk in first(dataset.chunks(&view.places, cut, kept), view.limit) {
        add(&mut chunks, chunk);
    }
    Job { view: Arc::clone(view), chunks, limit: view.limit }
}

/// The schema that all queries have; a column may be NULL where one of them says so.
fn schema(views: &[Arc<View>]) -> Result<SchemaRef> {
    let Some((first, rest)) = views.split_first() else { return Ok(Arc::new(arrow_schema::Schema::empty())) };
    let schema = first.casts.schema();
    for (number, view) in (2..).zip(rest) {
        same_columns(&schema, &view.casts.schema(), number)?;
    }
    Ok(schema)
}

/// How many row groups or files are not read, where some are not.
fn left_out(dataset: &Dataset, kept: &[Vec<bool>]) -> String {
    let all: usize = kept.iter().map(Vec::len).sum();
    let (what, by) = match &dataset.data {
        Data::Parquet(_) => ("row groups", "statistics and folders"),
        _ => ("files", "folders"),
    };
    match kept.iter().flatten().filter(|kept| !**kept).count() {
        0 => String::new(),
        left => {
            format!("; {left} of {all} {what} are left out: by their {by}, they hold no row that is asked for")
        }
    }
}

fn stored_bytes(dataset: &Dataset, view: &View, kept: &[Vec<bool>]) -> u64 {
    match &dataset.data {
        Data::Parquet(metas) => {
            let columns = |file: usize| -> Vec<usize> { crate::read::columns(dataset, view, file) };
            let kept = |file: usize| kept.get(file).map_or(&[][..], Vec::as_slice);
            metas.iter().enumerate().map(|(file, meta)| meta.stored_bytes(&columns(file), kept(file))).sum()
        }
        Data::Arrow(_) | Data::Text(_) | Data::Json(_) => dataset.files.iter().map(|file| file.size).sum(),
    }
}

fn partition(dataset: &Dataset, job: &Job) -> Partition {
    Partition { label: label(dataset, &job.chunks), rows: rows(job) }
}

fn label(dataset: &Dataset, chunks: &[Chunk]) -> String {
    let name = |chunk: &Chunk| dataset.files.get(chunk.file).map_or("", |file| file.name.as_str()).to_owned();
    let piece = |chunk: &Chunk| {
        let range = |what: &str, start: usize, end: usize| match end.saturating_sub(1) {
            last if last == start => format!("{what} {start} of "),
            last => format!("{what}s {start} to {last} of "),
        };
        match &chunk.piece {
            Piece::Groups(groups) => range("row group", groups.start, groups.end),
            Piece::Blocks(blocks) => range("batch", blocks.start, blocks.end).replace("batchs", "batches"),
            Piece::Rows { group, rows } => format!("rows {} to {} of row group {group} of ", rows.start, rows.end - 1),
            Piece::Text { line, .. } if *line > 1 => format!("lines from {line} of "),
            Piece::Text { .. } | Piece::Whole => String::new(),
        }
    };
    match chunks {
        [] => "nothing".into(),
        [one] => format!("{}{}", piece(one), name(one)),
        [first, .., last] => format!("{}{} to {}{}", piece(first), name(first), piece(last), name(last)),
    }
}
