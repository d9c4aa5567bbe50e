//! How far a read has come.

/// How far a read has come, as seen by the consumer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Rows handed to the consumer.
    pub rows: u64,
    /// Bytes of Arrow memory handed to the consumer.
    pub bytes: u64,
    /// Partitions read to their end.
    pub partitions_done: usize,
    /// Partitions of the plan.
    pub partitions: usize,
    /// About how many rows there will be.
    pub rows_expected: Option<u64>,
}
