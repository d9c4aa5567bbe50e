//! Spark's side of Bowshot: what the jar in `java/spark` calls.
//!
//! The driver [looks](Asked::look) at a query for its columns, and [plans](Planned::new) it when Spark executes it: with the columns,
//! conditions and rows that Spark asks for. The plan is [tickets](bowshot_core::Ticket), which travel to the executors, where each is
//! [read](Reading) as batches that leave by the Arrow C Data Interface. `functions.rs` has the functions that the JVM calls,
//! and `write.rs` those by which its tasks write Parquet files.
//!
//! ```
//! use bowshot_border::Texts;
//! use bowshot_spark::{Asked, Planned, Reading, Wish};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("items.csv");
//! # std::fs::write(&path, "id,name\n7,bow\n8,arrow\n").unwrap();
//! # let path = path.to_str().unwrap();
//! let asked = Asked::new(path, "", &[("bowshot.connections", "2")])?;
//! let looked = asked.look()?;
//! assert_eq!(looked.schema.fields().len(), 2);
//!
//! let planned = Planned::new(&asked, &looked, &Wish { columns: vec!["name".into()], ..Wish::default() })?;
//! let reading = Reading::open(path, &planned.tickets()?[0], &["name".into()])?;
//! assert_eq!(reading.next()?.map(|batch| batch.num_rows()), Some(2));
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod aggregate;
mod ask;
mod comparable;
mod file;
mod filter;
mod functions;
mod plan;
mod prune;
mod read;
mod statement;
mod write;

pub use aggregate::read_aggregates;
pub use ask::{Asked, Looked};
pub use filter::{Comparison, Filter, Literal};
pub use plan::{Planned, Wish};
pub use read::Reading;
