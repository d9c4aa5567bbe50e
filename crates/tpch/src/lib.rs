//! The eight tables of TPC-H as files, made once: something to ask a gateway that was given no source.
//!
//! The rows are those of the benchmark's own generator (TPC-H specification, section 4.2), at any scale factor.
//!
//! ```no_run
//! use std::path::Path;
//!
//! let folder = bowshot_tpch::write(Path::new("/var/cache/bowshot"), &bowshot_tpch::Demo::default())?;
//! for (table, files) in bowshot_tpch::tables(&folder) {
//!     println!("{table} lies in {}", files.display());
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod demo;
mod format;
mod rows;
mod write;

pub use demo::{Demo, TABLES, tables};
pub use format::Format;
pub use write::write;
