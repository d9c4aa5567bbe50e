//! How much of one result may wait for its readers.

use std::path::PathBuf;

/// How much of one result may wait for its readers, over all parts.
///
/// Beyond both limits the query waits for its readers. Bytes in memory are those of
/// [`bytes_of`](bowshot_core::bytes_of); what a reader has been given, and the few batches on their way from the database to here, are
/// not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareLimits {
    /// Bytes of batches in memory. A single larger batch still passes, when nothing else waits.
    pub memory_bytes: usize,
    /// Bytes of the file that takes what finds no room in memory; 0: there is no such file.
    pub spill_bytes: u64,
    /// The folder of that file. The file has no name in it, only this process can open it, and it is gone when the process ends.
    pub spill_folder: PathBuf,
}

impl Default for ShareLimits {
    /// 32 MiB in memory and 1 GiB in the system's folder of temporary files.
    fn default() -> Self {
        ShareLimits { memory_bytes: 32 << 20, spill_bytes: 1 << 30, spill_folder: std::env::temp_dir() }
    }
}
