//! What a source holds, as its own catalog lists it: schemas, tables, columns, keys, and what the database calls itself.
//!
//! Sources are asked through [`bowshot_core::Source`] like for any query; nothing is remembered. The gateway makes Flight SQL's
//! metadata of the answers, the ADBC driver those of ADBC.
//!
//! ```
//! use std::sync::Arc;
//!
//! use bowshot_catalog::{Dialect, Lister};
//! use bowshot_core::{Cancel, testing::Numbers};
//!
//! let source = Arc::new(Numbers { partitions: 1, rows: 10 });
//! let lister = Lister::new(source, Dialect::Other).with_tables(["data".into()]);
//! let tables = lister.tables(&Cancel::new())?;
//! assert_eq!(tables[0].name, "data");
//! let schema = lister.table_schema(None, "data", &Cancel::new())?;
//! assert_eq!(schema.field(0).name(), "n");
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod dialect;
mod files;
mod filter;
mod listed;
mod lister;
mod rows;

pub use dialect::Dialect;
pub use files::table_of_files;
pub use filter::{Pattern, fits, is_asked};
pub use listed::{Column, End, ForeignKeyColumn, PrimaryKeyColumn, Table, TableType};
pub use lister::{Lister, Place};
