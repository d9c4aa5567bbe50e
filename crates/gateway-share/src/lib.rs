//! One execution, many readers: the Result Partition of the ConnectorX paper (section 5.2).
//!
//! A query that its source cannot split (a join with an aggregate on top, a view, a database without a shared snapshot) is executed
//! once; [`share`] makes n plans of it, whose readers are dealt its batches as they ask for them. The database does the
//! work of one query and all readers see one snapshot.
//!
//! - **A batch belongs to nobody until a reader asks for it.** A client that opens all parts and drains them one after the other is
//!   never stuck behind a part that it does not read, and one that opens them one by one finds everything in the first.
//! - **No row twice, none missing, or an error.** What goes wrong reaches every part, also one that is opened later. A reader that
//!   goes away with batches that nobody else will get ends the result for the others, and the query in the database.
//! - **Bounded.** Some batches wait in memory, more of them in a private file, up to [`ShareLimits`]; then the query goes
//!   at the pace of its readers. So the database is let go early although clients are slow.
//!
//! ```
//! use bowshot_core::testing::Numbers;
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_gateway_share::{ShareLimits, share};
//!
//! let (options, cancel) = (Options::default(), Cancel::new());
//! let plan = Numbers { partitions: 1, rows: 1000 }.plan(&Request::new(Query::new("numbers"), options.clone()), &cancel)?;
//!
//! let parts = share(plan, &options, 4, &ShareLimits::default(), cancel)?;
//! assert_eq!(parts.len(), 4);
//!
//! let mut rows = 0;
//! for part in parts {
//!     for batch in Stream::start(part, &options, Cancel::new()) {
//!         rows += batch?.num_rows();
//!     }
//! }
//! assert_eq!(rows, 1000);
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod copy;
mod encode;
mod execute;
mod limits;
mod part;
mod queue;
mod seat;
mod share;
mod shared;
mod space;
mod spill;
#[cfg(test)]
mod testing;

pub use limits::ShareLimits;
pub use share::share;
