//! What every source and every destination of Bowshot shares.
//!
//! A [`Source`] plans a request into [`Partition`]s on one snapshot; each partition is read as a stream of record
//! batches; a destination consumes them. The [`Stream`] in between owns the worker threads: they pull partitions from
//! a queue, their batches wait in memory bounded by [`Options::buffer_bytes`], and they come out in partition order,
//! so that a parallel read yields the rows in the order of a read over one connection.
//!
//! There is no database in this crate.
//!
//! ```
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream, testing::Numbers};
//!
//! let source = Numbers { partitions: 3, rows: 10 };
//! let request = Request::new(Query::new("the numbers"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! assert_eq!(plan.partitions.len(), 3);
//!
//! let rows: usize = Stream::start(plan, &request.options, cancel)
//!     .map(|batch| batch.map(|batch| batch.num_rows()))
//!     .sum::<Result<usize, _>>()?;
//! assert_eq!(rows, 30);
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod address;
mod aggregate;
mod batch_rows;
mod calls;
mod cancel;
mod casts;
mod columns;
mod contained;
mod error;
mod excerpt;
mod executor;
mod holder;
mod misfit;
mod naming;
mod notice;
mod notices;
mod options;
pub mod parse;
mod plan;
mod profile;
mod progress;
mod prune;
mod query;
mod ready;
mod row_values;
mod secret;
mod size;
mod source;
pub mod testing;
mod ticket;
mod timeline;
mod times;
mod type_name;
mod writer;

pub use address::Address;
pub use aggregate::Aggregate;
pub use batch_rows::BatchRows;
pub use calls::Calls;
pub use cancel::{Cancel, Registration};
pub use casts::{Casts, check_names};
pub use columns::same_columns;
pub use contained::contained;
pub use error::{Error, ErrorKind, Result};
pub use excerpt::{Excerpt, OpenExcerpt};
pub use executor::{Map, Poll, Stream};
pub use holder::{Hold, Holder, Lease, Travel, gone};
pub use misfit::Misfit;
pub use naming::{Case, Naming};
pub use notice::{Notice, Severity};
pub use notices::Notices;
pub use options::{Impossible, Options, Partitioning};
pub use plan::{Estimate, Origin, Part, Partition, Plan, SOURCE_TYPE};
pub use profile::{
    ConnectionProfile, ConsumerProfile, ConsumerStretch, Outcome, PartitionProfile, Profile, Site, States, Stretch,
};
pub use progress::Progress;
pub use prune::{Condition, Test};
pub use query::{Params, Query, Request, Value};
pub use row_values::RowValues;
pub use secret::{Secret, Secrets, is_confidential};
pub use size::{bytes_of, bytes_of_array};
pub use source::{Connection, Reader, Scan, Source};
pub use ticket::{Ticket, write_state};
pub use timeline::Timeline;
pub use times::TimesOfDay;
pub use type_name::{format_type, parse_type};
pub use writer::{Ingest, IngestMode, Writer};
