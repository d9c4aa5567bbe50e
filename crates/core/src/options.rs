//! How a request is read. Every field has a default that is right for most users.

use std::collections::BTreeMap;

use arrow_schema::DataType;
use serde::{Deserialize, Serialize};

use crate::{Calls, Condition, Part};

/// How a request is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// How many connections may read at once; `None`: as many as there are cores, at most 8.
    pub connections: Option<usize>,
    /// How the result is split.
    pub partitioning: Partitioning,
    /// About how many bytes of the database each partition has at most where the source cuts a table by itself: for partitions that are read
    /// one by one, each of which costs its reader a connection. `None`: as small as connections that read side by side share the work well.
    pub partition_bytes: Option<u64>,
    /// The source's own name of a wire protocol; `None`: the fastest one that serves the query.
    pub protocol: Option<String>,
    /// Arrow types by column name, in place of the ones that the source would choose.
    #[serde(with = "crate::type_name::by_column")]
    pub types: BTreeMap<String, DataType>,
    /// What becomes of infinite dates and timestamps.
    pub infinity: Impossible,
    /// What becomes of MySQL's dates without a day, a month or a year (`0000-00-00`, `2024-00-00`).
    pub zero_dates: Impossible,
    /// Whether partitions must see one state of the database. Where a source cannot give that to several connections,
    /// `true` means one partition; `false` is the user's word that partitions may see different states.
    pub one_snapshot: bool,
    /// Statements that every connection runs before anything else (`SET …`).
    pub before: Vec<String>,
    /// Whether procedures and prepared statements may run, whatever the source's URI says of them.
    pub calls: Calls,
    /// The size that a batch aims at, in bytes.
    pub batch_bytes: usize,
    /// How many bytes of batches may wait for the consumer. Beside them, each worker has what it decodes: of files, a page of each column,
    /// which is about 1 MiB as most programs write it, and as much as a whole row group of a column where they make one page of it. Where
    /// pages together have more than eight times these bytes, one worker reads them all.
    pub buffer_bytes: usize,
    /// Whether a result that cannot be split may come in parts all the same where the server itself deals its rows to several
    /// connections, in no order, as they ask for them: for consumers that read the parts side by side.
    pub deal: bool,
    /// Whether the consumer may ask readers for [excerpts](crate::Excerpt): partitions are then what is stored together.
    pub excerpts: bool,
    /// What every row fulfils that the consumer needs, all of it. A source may leave out other rows that it need not read to know them, and
    /// need not: the consumer looks at each row itself.
    #[serde(skip)]
    pub prune: Vec<Condition>,
    /// Whether keys in the names of folders have the types that Apache Spark gives them, as far as these are whole numbers of 32 or 64 bits,
    /// however they are written, dates and text.
    #[serde(skip)]
    pub spark_keys: bool,
    /// Whether Parquet and Arrow files that are read as one may have different columns: one that a file lacks is NULL in its rows, and of
    /// types that differ the one that holds all values of both is read, or the user's where there is none.
    #[serde(skip)]
    pub merge_schemas: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            connections: None,
            partitioning: Partitioning::Auto,
            partition_bytes: None,
            protocol: None,
            types: BTreeMap::new(),
            infinity: Impossible::Error,
            zero_dates: Impossible::Error,
            one_snapshot: true,
            before: Vec::new(),
            calls: Calls::Refuse,
            // 1 MB is the optimum that the papers found for messages of columnar results.
            batch_bytes: 1 << 20,
            buffer_bytes: 32 << 20,
            deal: false,
            excerpts: false,
            prune: Vec::new(),
            spark_keys: false,
            merge_schemas: false,
        }
    }
}

impl Options {
    /// [`partition_bytes`](Self::partition_bytes) for tasks of other programs: 64 MiB. A smaller one costs its reader's connection, and the
    /// scheduler's word for it, more than its rows.
    pub const PARTITION_BYTES_OF_TASKS: u64 = 64 << 20;

    /// How many connections may read at once, at least 1; at least 2 where others read beside this process, however few cores it has.
    pub fn workers(&self) -> usize {
        let least = if self.partition_bytes.is_some() { 2 } else { 1 };
        let cores = || std::thread::available_parallelism().map_or(1, usize::from).clamp(least, 8);
        self.connections.unwrap_or_else(cores).max(1)
    }

    /// How many partitions a source makes of `bytes` that it would cut into `side_by_side` for connections of one process: as many as
    /// [`partition_bytes`](Self::partition_bytes) says, but no fewer than may be read at once.
    pub fn partitions_of(&self, bytes: u64, side_by_side: u64) -> u64 {
        let Some(size) = self.partition_bytes else { return side_by_side };
        let readers = u64::try_from(self.workers()).unwrap_or(u64::MAX);
        bytes.div_ceil(size.max(1)).max(side_by_side.min(readers)).max(1)
    }

    /// Whether the consumer keeps the whole result: its buffer has no bound.
    pub fn keeps_all(&self) -> bool {
        self.buffer_bytes >= isize::MAX.unsigned_abs()
    }

    /// How large batches are to be where larger ones are cheaper to make: `kept` for a consumer that keeps the whole result and
    /// asks for no size of its own.
    ///
    /// Each batch costs some work for every column, whatever its size.
    pub fn batch_bytes_or(&self, kept: usize) -> usize {
        let default = self.batch_bytes == Options::default().batch_bytes;
        if self.keeps_all() && default { kept } else { self.batch_bytes }
    }
}

/// How the result is split into partitions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Partitioning {
    /// The source splits by itself where it can be done on one snapshot.
    #[default]
    Auto,
    /// One partition, whatever the query.
    Single,
    /// Equal ranges of one numeric column, as in ConnectorX; NULLs get a partition of their own.
    Column {
        /// The result column.
        column: String,
        /// How many ranges.
        count: usize,
        /// The column's lowest and highest value; `None`: the source asks the database.
        range: Option<(i64, i64)>,
    },
    /// This part of the query alone, as a [`Ticket`](crate::Ticket) names it.
    Part(Part),
}

/// What becomes of a value that Arrow cannot hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Impossible {
    /// An error that names the column and the way out.
    #[default]
    Error,
    /// NULL.
    Null,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_as_large_as_asked_but_no_fewer_than_are_read_at_once() {
        let sized = |bytes| Options { partition_bytes: Some(bytes), connections: Some(4), ..Options::default() };
        assert_eq!(Options::default().partitions_of(1 << 30, 128), 128);
        assert_eq!(sized(64 << 20).partitions_of(1 << 30, 128), 16);
        assert_eq!(sized(64 << 20).partitions_of((1 << 30) + 1, 128), 17);
        assert_eq!(sized(1 << 20).partitions_of(1 << 30, 128), 1024, "smaller ones than the source would make");
        assert_eq!(sized(1 << 40).partitions_of(1 << 30, 128), 4, "all of its readers have work");
        assert_eq!(sized(1 << 40).partitions_of(1 << 24, 2), 2, "but for what is too small to be cut");
        assert_eq!((sized(0).partitions_of(100, 1), sized(1).partitions_of(0, 0)), (100, 1));
    }

    #[test]
    fn batches_are_as_large_as_asked_unless_everything_is_kept() {
        let kept = Options { buffer_bytes: isize::MAX.unsigned_abs(), ..Options::default() };
        assert_eq!(kept.batch_bytes_or(usize::MAX), usize::MAX);
        assert_eq!(Options { batch_bytes: 5000, ..kept }.batch_bytes_or(usize::MAX), 5000);
        assert_eq!(Options::default().batch_bytes_or(usize::MAX), 1 << 20);
    }
}
