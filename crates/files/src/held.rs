//! What a ticket says of its partition: the files that it reads, each with its size and its version, the pieces of them, and the columns
//! as the plan has them. Whoever joins looks at these files alone, however many the plan has.
//!
//! Nothing has to be kept for readers elsewhere: whether a file is still the one that was listed is told by itself.

use std::path::Path;

use bowshot_core::{Error, ErrorKind, Hold, Result, write_state};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::chunk::Piece;
use crate::csv::HeldText;
use crate::dataset::{Data, Dataset};
use crate::ipc;
use crate::json::HeldLines;
use crate::list;
use crate::read::{Job, Shared};
use crate::snapshot::Version;
use crate::uri::Place;

/// What tickets of files are called.
pub(crate) const KIND: &str = "files";

/// A partition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    /// Where the numbers of its files mean something; see [`here`].
    pub(crate) here: Option<[u8; 16]>,
    pub(crate) format: HeldFormat,
    /// The query's columns as they come from the files and folders, as a message of Arrow's.
    pub(crate) schema: Vec<u8>,
    /// Where each of them stands among what is read of every file, and behind that among the keys of its folders.
    pub(crate) places: Vec<usize>,
    pub(crate) files: Vec<HeldFile>,
    /// Pieces of these files.
    pub(crate) pieces: Vec<(usize, Piece)>,
    /// How many rows it may yield.
    pub(crate) limit: Option<u64>,
}

/// How the files are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum HeldFormat {
    Parquet,
    Arrow,
    Text,
    Json,
}

/// A file of a partition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HeldFile {
    /// Below the location.
    pub(crate) below: String,
    pub(crate) size: u64,
    pub(crate) version: Version,
    pub(crate) keys: Vec<(String, Option<String>)>,
    /// Where the columns that are read stand in it; `None`: where they stand in the first file.
    pub(crate) places: Option<Vec<usize>>,
    pub(crate) text: Option<HeldText>,
    pub(crate) json: Option<HeldLines>,
}

/// The partitions of a plan, for those who read them elsewhere.
pub(crate) struct Holding {
    scan: Shared,
    here: Option<[u8; 16]>,
}

impl Holding {
    pub(crate) fn new(scan: Shared) -> Self {
        let here = match &scan.0.dataset.location.place {
            Place::Local(path) => here(list::start(path)),
            Place::Remote { .. } => None,
        };
        Holding { scan, here }
    }
}

impl Hold for Holding {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn state(&self, index: usize) -> Result<Vec<u8>> {
        let missing = || Error::new(ErrorKind::Internal, format!("the plan has no partition {index}"));
        let inner = &self.scan.0;
        let job = inner.jobs.get(index).ok_or_else(missing)?;
        write_state(&held(&inner.dataset, job, self.here)?)
    }
}

fn held(dataset: &Dataset, job: &Job, here: Option<[u8; 16]>) -> Result<Held> {
    let Job { view, chunks, limit } = job;
    let width = dataset.width();
    let mut columns: Vec<usize> = view.places.iter().copied().filter(|place| *place < width).collect();
    columns.sort_unstable();
    columns.dedup();
    let place = |place: &usize| match columns.binary_search(place) {
        Ok(at) => at,
        Err(_) => columns.len() + place.saturating_sub(width),
    };
    let mut numbers: Vec<usize> = chunks.iter().map(|chunk| chunk.file).collect();
    numbers.dedup();
    let mut files: Vec<HeldFile> = Vec::with_capacity(numbers.len());
    let mut first: Option<Vec<usize>> = None;
    for number in &numbers {
        let lost = || Error::new(ErrorKind::Internal, format!("the plan has no file {number}"));
        let file = dataset.files.get(*number).ok_or_else(lost)?;
        let known = dataset.places.get(*number).ok_or_else(lost)?;
        let places: Vec<usize> = columns.iter().filter_map(|column| known.get(*column).copied()).collect();
        let text = match &dataset.data {
            Data::Text(table) => Some(table.held(*number, &places).ok_or_else(lost)?),
            Data::Parquet(_) | Data::Arrow(_) | Data::Json(_) => None,
        };
        let json = match &dataset.data {
            Data::Json(table) => Some(table.held(*number, &places).ok_or_else(lost)?),
            Data::Parquet(_) | Data::Arrow(_) | Data::Text(_) => None,
        };
        let same = first.as_ref() == Some(&places);
        files.push(HeldFile {
            below: file.below.clone(),
            size: file.size,
            version: file.version.clone(),
            keys: file.keys.clone(),
            places: (!same).then(|| places.clone()),
            text,
            json,
        });
        first.get_or_insert(places);
    }
    let piece = |chunk: &crate::chunk::Chunk| {
        let at = numbers.iter().position(|number| *number == chunk.file);
        (at.unwrap_or(usize::MAX), chunk.piece.clone())
    };
    Ok(Held {
        here,
        format: match &dataset.data {
            Data::Parquet(_) => HeldFormat::Parquet,
            Data::Arrow(_) => HeldFormat::Arrow,
            Data::Text(_) => HeldFormat::Text,
            Data::Json(_) => HeldFormat::Json,
        },
        schema: ipc::written(&view.schema)?,
        places: view.places.iter().map(place).collect(),
        files,
        pieces: chunks.iter().map(piece).collect(),
        limit: *limit,
    })
}

/// What tells this place from others, where the same path may mean other files and the same number another file: the machine since it was
/// started, what is mounted for this process, and the folder. On other machines, and in containers with mounts of their own, files are told
/// by their sizes and times of change alone. `None` where the system has no names for these: only Linux has.
pub(crate) fn here(root: &Path) -> Option<[u8; 16]> {
    let started = std::fs::read("/proc/sys/kernel/random/boot_id").ok()?;
    let mounts = std::fs::read_link("/proc/self/ns/mnt").ok()?;
    let root = root.canonicalize().ok()?;
    let mut hash = Sha256::new();
    for part in [started.as_slice(), mounts.as_os_str().as_encoded_bytes(), root.as_os_str().as_encoded_bytes()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let hash = hash.finalize();
    Some(std::array::from_fn(|place| hash.get(place).copied().unwrap_or_default()))
}
