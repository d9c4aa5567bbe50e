//! Rows of batches into a table: INSERT statements of many rows each, in one transaction.
//!
//! The server commits the definition of a table by itself. So a table that is made for rows is dropped where they fail, and one that
//! replaces another is filled under a name of its own first.

use std::sync::Arc;

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, ErrorKind, Ingest, IngestMode, Result, RowValues, Value};
use bowshot_sql::{Dialect, Target};

use crate::connect::{Session, command};
use crate::ingested::{check, declared, stored};
use crate::result::{self, Definition, Header};
use crate::statement::Handle;
use crate::update::execute;
use crate::uri::Config;

/// What does not fit is an error, and 0 is a number like others.
const STRICT: &str =
    "SET SESSION sql_mode = CONCAT_WS(',', NULLIF(@@sql_mode, ''), 'STRICT_ALL_TABLES', 'NO_AUTO_VALUE_ON_ZERO')";

/// How many placeholders a statement can have.
const MOST_PLACEHOLDERS: usize = 65_535;

/// How many rows one statement brings.
const MOST_ROWS: usize = 500;

/// How many bytes: far less than a server's `max_allowed_packet`.
const MOST_BYTES: usize = 1 << 20;

/// Puts all rows into a table; how many they were.
pub(crate) fn ingest(
    config: &Arc<Config>,
    asked: &Ingest,
    batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
    cancel: &Cancel,
) -> Result<u64> {
    let target = Target::new(asked, Dialect::MySql)?;
    let mut session = Session::open_writable(config, cancel)?;
    session.execute(STRICT)?;
    let exists = asked.mode != IngestMode::Append && exists(&mut session, asked)?;
    let replaces = exists && asked.mode == IngestMode::Replace;
    let filled = match replaces {
        true => target.beside(&format!("bowshot_{}", session.connection_id())),
        false => target.table(),
    };
    let makes = asked.mode != IngestMode::Append && (replaces || !exists);
    // Where a table exists that is to be made, the server says so.
    let created = match makes || asked.mode == IngestMode::Create {
        true => session.execute(&format!("CREATE TABLE {filled} ({})", target.definition(declared)?)),
        false => Ok(()),
    };
    // After a statement that was interrupted, the table may be there all the same.
    let may_exist = created.as_ref().err().is_none_or(|error| error.kind() != ErrorKind::Sql);
    let outcome = created.and_then(|()| fill(&mut session, asked, &target, &filled, batches)).and_then(|count| {
        if replaces {
            put_in_place(config, &mut session, &target, &filled)?;
        }
        Ok(count)
    });
    if makes && may_exist && outcome.is_err() {
        // Its lock on the table ends with it.
        drop(session);
        clear_away(config, &filled);
    }
    outcome
}

/// Drops a table over a connection of its own: whatever ended the work must not end this. Nothing worse is told where it fails.
fn clear_away(config: &Arc<Config>, name: &str) {
    let _ = Session::open_writable(config, &Cancel::new())
        .and_then(|mut session| session.execute(&format!("DROP TABLE IF EXISTS {name}")));
}

fn exists(session: &mut Session, asked: &Ingest) -> Result<bool> {
    let text = |text: &str| Value::Text(text.to_owned());
    let schema = asked.schema.as_deref().map_or(Value::Null, text);
    let sql = "SELECT 1 FROM information_schema.tables WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";
    Ok(!session.query_with(sql, &[schema, text(&asked.table)])?.is_empty())
}

/// Gives the table that was filled the other one's name, in one step. From then on the work is done.
fn put_in_place(config: &Arc<Config>, session: &mut Session, target: &Target<'_>, filled: &str) -> Result<()> {
    let name = target.table();
    let old = target.beside(&format!("bowshot_old_{}", session.connection_id()));
    session.execute(&format!("RENAME TABLE {name} TO {old}, {filled} TO {name}"))?;
    clear_away(config, &old);
    Ok(())
}

fn fill(
    session: &mut Session,
    asked: &Ingest,
    target: &Target<'_>,
    name: &str,
    batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
) -> Result<u64> {
    let of_table = definitions(session, &format!("SELECT {} FROM {name} LIMIT 0", target.columns()))?;
    let fields = asked.columns.fields();
    fields.iter().zip(&of_table).try_for_each(|(field, column)| check(field, column))?;
    session.execute("START TRANSACTION")?;
    let mut rows = Rows::new(session, target, fields.len(), name)?;
    let mut count = 0;
    for batch in batches {
        let batch = batch?;
        let values = RowValues::new(&batch)?;
        for row in 0..batch.num_rows() {
            let row = fields.iter().zip(values.row(row)?);
            rows.add(session, row.map(|(field, value)| stored(field, value)).collect::<Result<_>>()?)?;
            count += 1;
        }
    }
    rows.send(session)?;
    session.execute("COMMIT")?;
    Ok(count)
}

fn definitions(session: &mut Session, sql: &str) -> Result<Vec<Definition>> {
    session.command(command::QUERY, sql.as_bytes())?;
    let Header::Rows(columns) = result::header(session, sql)? else { return Ok(Vec::new()) };
    while result::row(session, sql)?.is_some() {}
    Ok(columns)
}

/// Rows that wait to be sent together.
struct Rows {
    /// Takes as many rows as fit into one statement.
    many: Handle,
    one: Handle,
    sql: String,
    columns: usize,
    most: usize,
    values: Vec<Value>,
    bytes: usize,
}

impl Rows {
    fn new(session: &mut Session, target: &Target<'_>, columns: usize, name: &str) -> Result<Self> {
        let most = (MOST_PLACEHOLDERS / columns).clamp(1, MOST_ROWS);
        let row = format!("({})", vec!["?"; columns].join(", "));
        let sql = format!("INSERT INTO {name} ({}) VALUES ", target.columns());
        let many = Handle::prepare(session, &format!("{sql}{}", vec![row.as_str(); most].join(", ")))?;
        let one = Handle::prepare(session, &format!("{sql}{row}"))?;
        Ok(Rows { many, one, sql, columns, most, values: Vec::new(), bytes: 0 })
    }

    fn add(&mut self, session: &mut Session, row: Vec<Value>) -> Result<()> {
        self.bytes += row.iter().map(bytes_of).sum::<usize>();
        self.values.extend(row);
        if self.values.len() == self.most * self.columns {
            execute(session, &self.many, &self.sql, &self.values)?;
            self.clear();
        } else if self.bytes >= MOST_BYTES {
            self.send(session)?;
        }
        Ok(())
    }

    /// Sends what waits, row by row.
    fn send(&mut self, session: &mut Session) -> Result<()> {
        for row in self.values.chunks(self.columns) {
            execute(session, &self.one, &self.sql, row)?;
        }
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.values.clear();
        self.bytes = 0;
    }
}

fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 8,
    }
}
