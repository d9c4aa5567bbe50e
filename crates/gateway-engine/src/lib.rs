//! The gateway's own engine: SQL over files, and joins across sources, on DataFusion.
//!
//! A query whose tables all live in one database belongs to that database, word for word. What is left comes here: files,
//! which have no engine of their own, and queries that name several sources. The engine speaks the core's words: it plans
//! a [`Request`](bowshot_core::Request) into a [`Plan`](bowshot_core::Plan) like any source.
//!
//! - A table is `member.schema.table`, `member.table` or `table` alone, where only one is meant (`names`).
//! - Columns, LIMIT and the filters that mean the same in the source are pushed into the source's own SQL (`push`).
//! - What DataFusion would answer differently from the source is refused with the way out (`semantics`), see
//!   `docs/decisions/0009-what-the-engine-refuses.md`.
//! - Memory and spilled bytes are bounded for all queries together ([`EngineLimits`]).
//!
//! ```
//! use std::sync::Arc;
//!
//! use bowshot_core::{Cancel, Options, Query, Request, Stream, testing::Numbers};
//! use bowshot_gateway_catalog::{Catalog, Dialect};
//! use bowshot_gateway_engine::{Asker, Engine, EngineLimits, Kind, Member};
//!
//! let source = Arc::new(Numbers { partitions: 3, rows: 10 });
//! let catalog = Catalog::new("numbers", source.clone(), Dialect::Other).with_tables(["data".into()]);
//! let member = Member { name: "numbers".into(), source, kind: Kind::Files("numbers".into()), catalog };
//! let engine = Engine::new(vec![member], EngineLimits::default())?;
//!
//! let request = Request::new(Query::new("SELECT sum(n) AS total FROM numbers.data"), Options::default());
//! let cancel = Cancel::new();
//! let plan = engine.plan(&request, &Asker::default(), &cancel)?;
//! let batches = Stream::start(plan, &request.options, cancel).collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod again;
mod ask;
mod context;
mod depth;
mod doubt;
mod engine;
mod error;
mod feed;
mod limits;
mod member;
mod names;
mod parameters;
mod plain;
mod push;
mod resize;
mod run;
mod scan;
mod semantics;
mod shares;
mod statement;
mod sums;
mod table;
mod tables;
mod text;

pub use engine::Engine;
pub use limits::EngineLimits;
pub use member::{Asker, Kind, Member, System, Visible};
