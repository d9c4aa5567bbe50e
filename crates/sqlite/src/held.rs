//! A state of the database that is held for readers in other processes.
//!
//! With a rollback journal, the plan's connections keep a shared lock: as long as they do, nobody can write to the file. A reader elsewhere
//! begins a transaction of its own and then looks at the file's identity, its size and its time of change. If they are what the holder saw
//! under its lock, nobody has written in between, and both see one state, whether the holder still lives or not. Only `stat` is used for
//! that: a process that opens and closes the file loses its locks on it.
//!
//! With a write-ahead log there is no such proof: a commit shows after its last write to any file.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arrow_schema::DataType;
use bowshot_core::{
    Cancel, Casts, Error, ErrorKind, Estimate, Hold, Options, Partitioning, Plan, Result, Ticket, Value, gone,
    write_state,
};
use bowshot_sql::{Dialect, Permit, Prepared};
use serde::{Deserialize, Serialize};

use crate::connect::connect;
use crate::convert::nearest;
use crate::describe::{self, Column, Kind};
use crate::handle::Database;
use crate::read::{Shared, Work};
use crate::snapshot::{begin, has_attached, identity};
use crate::types::Seen;
use crate::uri::Location;

/// What tickets of this source are called.
pub(crate) const KIND: &str = "sqlite";

/// A file system counts time in steps of some milliseconds. A file that was written longer ago than this has another time of change after
/// the next write.
const SETTLED: Duration = Duration::from_millis(50);

/// What a ticket says of the state and of the plan's columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    stamp: Stamp,
    columns: Vec<HeldColumn>,
}

/// What tells one state of the file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    number: Option<(u64, u64)>,
    size: u64,
    /// Nanoseconds since 1970.
    modified: u128,
}

/// A column as planning settled it: another partition's values may suggest another type.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct HeldColumn {
    name: String,
    declared: Option<String>,
    nullable: bool,
    kind: HeldKind,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum HeldKind {
    /// What the user's types say.
    Chosen,
    Integer,
    Real,
    Text,
    Blob,
    Values(Seen),
}

/// The file that a plan stands on.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    location: Location,
    number: Option<(u64, u64)>,
    /// Why nobody else can join its state.
    pub(crate) obstacle: Option<String>,
}

impl Ground {
    /// What a connection stands on that was opened after the file had this `number`.
    pub(crate) fn new(location: &Location, number: Option<(u64, u64)>, database: &Database) -> Result<Self> {
        let obstacle = if has_attached(database)? {
            Some("other databases are attached, and the states of several files cannot be compared".into())
        } else if identity(location) != number {
            Some("the file was replaced while the query was planned".into())
        } else if !location.immutable && is_log(database)? {
            Some(
                "the database has a write-ahead log (journal_mode=WAL), of which nobody can prove that another process sees the same \
                 state"
                    .into(),
            )
        } else {
            None
        };
        Ok(Ground { location: location.clone(), number, obstacle })
    }
}

fn is_log(database: &Database) -> Result<bool> {
    Ok(matches!(database.scalar("PRAGMA journal_mode", &[])?, Value::Text(mode) if mode.eq_ignore_ascii_case("wal")))
}

impl Stamp {
    /// Of the file that has this name now; `None` where none has.
    fn of(location: &Location) -> Option<Self> {
        let metadata = std::fs::metadata(&location.path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(Stamp { number: identity(location), size: metadata.len(), modified })
    }

    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        now.saturating_sub(self.modified) > SETTLED.as_nanos()
    }
}

/// Keeps the transactions of a plan's connections, and with them the lock.
struct Holding {
    _work: Arc<Work>,
    state: Vec<u8>,
}

impl Hold for Holding {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn state(&self, _: usize) -> Result<Vec<u8>> {
        Ok(self.state.clone())
    }
}

/// Holds the state that the plan's connections see.
pub(crate) fn hold(work: &Arc<Work>, cancel: &Cancel) -> Result<Box<dyn Hold>> {
    let ground = &work.ground;
    let replaced = || gone("the database file was replaced or removed since the plan was made");
    let mut waited = 0;
    let stamp = loop {
        cancel.check()?;
        let stamp = Stamp::of(&ground.location).filter(|stamp| stamp.number == ground.number).ok_or_else(replaced)?;
        // A clock of another machine may be ahead; nobody writes under the lock, so that a while is enough.
        if stamp.is_settled() || waited >= 10 {
            break stamp;
        }
        waited += 1;
        std::thread::sleep(SETTLED / 5);
    };
    let columns = work.columns.iter().map(HeldColumn::of).collect::<Result<_>>()?;
    let state = write_state(&Held { stamp, columns })?;
    Ok(Box::new(Holding { _work: Arc::clone(work), state }))
}

/// The plan of the partition that a ticket names, on the state that its plan saw.
pub(crate) fn join(location: &Location, ticket: &Ticket, held: Held, cancel: &Cancel) -> Result<Plan> {
    let request = ticket.request();
    let options = &request.options;
    let Partitioning::Part(part) = &options.partitioning else {
        return Err(Error::new(ErrorKind::Config, "the ticket names no part of the query")
            .with_hint("a ticket is read as it was written: get it again from the plan"));
    };
    location.check()?;
    let permit = Permit::new(Dialect::Sqlite, bowshot_sql::Database::Sqlite, location.calls.or(options.calls));
    Prepared::all(request, permit)?;
    let number = identity(location);
    let database = connect(location, &options.before, cancel)?;
    begin(&database)?;
    let ground = Ground::new(location, number, &database)?;
    // Only now that this connection has its state.
    if ground.obstacle.is_some() || Stamp::of(location) != Some(held.stamp) {
        let message = format!(
            "the database {} was written to or replaced since the plan was made, or is not the file that the plan was made of",
            location.path.display()
        );
        return Err(Error::new(ErrorKind::SnapshotGone, message).with_hint(
            "plan the query again; a copy, or the same file on another machine, is another one: `bowshot serve` reads it for all",
        ));
    }
    let columns = held.columns.into_iter().map(|column| column.column(options)).collect::<Result<Vec<_>>>()?;
    let read_schema = describe::schema(&columns);
    let casts = Casts::new(&read_schema, &options.types)?;
    let schema = casts.schema();
    let (rows, partition) = (part.partition.rows, part.partition.clone());
    let scan = Shared::new(
        (read_schema, casts),
        columns,
        vec![part.clone()],
        options.batch_bytes,
        vec![database],
        None,
        ground,
    )?;
    ticket.joined(Plan {
        schema,
        snapshot: Some("the state that the ticket's plan saw: the file is unchanged".into()),
        partitions: vec![partition],
        reason: String::new(),
        estimate: Estimate { rows, bytes: None },
        scan: Arc::new(scan),
    })
}

impl HeldColumn {
    fn of(column: &Column) -> Result<Self> {
        let Column { name, declared, nullable, kind, .. } = column;
        let kind = match kind {
            Kind::Chosen(_) => HeldKind::Chosen,
            Kind::Values(seen) => HeldKind::Values(*seen),
            Kind::Declared(DataType::Int64) => HeldKind::Integer,
            Kind::Declared(DataType::Float64) => HeldKind::Real,
            Kind::Declared(DataType::Utf8) => HeldKind::Text,
            Kind::Declared(DataType::Binary) => HeldKind::Blob,
            Kind::Declared(_) => return Err(Error::new(ErrorKind::Internal, "a declared type has no name in tickets")),
        };
        Ok(HeldColumn { name: name.clone(), declared: declared.clone(), nullable: *nullable, kind })
    }

    fn column(self, options: &Options) -> Result<Column> {
        let HeldColumn { name, declared, nullable, kind } = self;
        let wanted = options.types.get(&name).cloned();
        let kind = match kind {
            HeldKind::Values(seen) => Kind::Values(seen),
            HeldKind::Integer => Kind::Declared(DataType::Int64),
            HeldKind::Real => Kind::Declared(DataType::Float64),
            HeldKind::Text => Kind::Declared(DataType::Utf8),
            HeldKind::Blob => Kind::Declared(DataType::Binary),
            HeldKind::Chosen => {
                let none =
                    || Error::new(ErrorKind::Config, "the ticket is damaged: a column has no type").with_column(&name);
                Kind::Chosen(nearest(wanted.as_ref().ok_or_else(none)?))
            }
        };
        Ok(Column { name, declared, nullable, kind, wanted })
    }
}
