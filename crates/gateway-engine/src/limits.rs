//! How much of the machine the engine may use.

use std::path::PathBuf;
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};

/// How much of the machine all queries of the engine together may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineLimits {
    /// Bytes of memory for what queries have to keep: hash tables, sorts, groups. By default 1 GiB.
    pub memory_bytes: usize,
    /// Bytes of files that queries may spill when memory is short; 0 forbids to spill. By default 16 GiB.
    pub spill_bytes: u64,
    /// Where they spill; `None`: the system's folder for temporary files.
    pub spill_folder: Option<PathBuf>,
    /// Threads that work for queries, beside those that read their results. By default as many as there are cores.
    pub threads: usize,
}

impl Default for EngineLimits {
    fn default() -> Self {
        EngineLimits {
            memory_bytes: 1 << 30,
            spill_bytes: 16 << 30,
            spill_folder: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

impl EngineLimits {
    /// The memory and the disk that all queries share.
    pub(crate) fn environment(&self) -> Result<Arc<RuntimeEnv>> {
        let mode = match (&self.spill_folder, self.spill_bytes) {
            (_, 0) => DiskManagerMode::Disabled,
            (Some(folder), _) => DiskManagerMode::Directories(vec![folder.clone()]),
            (None, _) => DiskManagerMode::OsTmpDirectory,
        };
        let disk = DiskManagerBuilder::default().with_mode(mode).with_max_temp_directory_size(self.spill_bytes);
        RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(FairSpillPool::new(self.memory_bytes)))
            .with_disk_manager_builder(disk)
            .build_arc()
            .map_err(|error| {
                Error::new(ErrorKind::Config, format!("the engine cannot use its limits: {error}"))
                    .with_hint("give a spill folder that can be written to")
            })
    }
}
