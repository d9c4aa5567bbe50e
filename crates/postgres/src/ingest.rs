//! Rows of batches into a table: `COPY … FROM STDIN (FORMAT binary)`, in one transaction with the table's definition.
//!
//! The format is that of "Binary Format" in <https://www.postgresql.org/docs/current/sql-copy.html>.

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Error, ErrorKind, Ingest, Result};
use bowshot_sql::{Dialect, Target};
use bytes::{BufMut, BytesMut};
use postgres_protocol::message::frontend;

use crate::connect::Session;
use crate::describe::description;
use crate::error::from_response;
use crate::family::Family;
use crate::ingested::{Cells, Form};
use crate::message::tag;
use crate::statement::unsendable;
use crate::update::changed;
use crate::uri::Config;

/// What the stream of rows begins with: a signature, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// What ends it: a row of -1 columns.
const TRAILER: &[u8] = &[0xff, 0xff];

/// How many bytes of rows a message aims at.
const MESSAGE_BYTES: usize = 64 << 10;

/// Puts all rows into a table; how many they were.
pub(crate) fn ingest(
    config: &Config,
    asked: &Ingest,
    batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
    cancel: &Cancel,
) -> Result<u64> {
    let target = Target::new(asked, Dialect::Postgres)?;
    let mut session = Session::open(config, cancel)?;
    if session.family() != Family::Postgres {
        let message = "rows are ingested into PostgreSQL itself, not into servers that speak its protocol";
        return Err(Error::new(ErrorKind::Unsupported, message).with_hint("send INSERT statements with parameters"));
    }
    session.query("BEGIN")?;
    if let Some(sql) = target.preparation(|field| Ok(Form::made_for(field)?.0))? {
        session.query(&sql)?;
    }
    let forms = forms(&mut session, asked, &target)?;
    begin_copy(&mut session, &target)?;
    let mut rows = HEADER.into();
    for batch in batches {
        send(&mut session, &batch?, &forms, &mut rows)?;
    }
    rows.extend_from_slice(TRAILER);
    send_message(&mut session, &mut rows)?;
    let mut end = BytesMut::new();
    frontend::copy_done(&mut end);
    session.send(&end)?;
    let count = changed(&mut session)?;
    session.query("COMMIT")?;
    Ok(count)
}

/// The form in which each column is sent: that of the table's own column.
fn forms(session: &mut Session, asked: &Ingest, target: &Target<'_>) -> Result<Vec<Form>> {
    let fields = asked.columns.fields();
    if asked.mode.makes_table() {
        return fields.iter().map(|field| Ok(Form::made_for(field)?.1)).collect();
    }
    let described = description(session, &format!("SELECT {} FROM {}", target.columns(), target.table()))?;
    fields.iter().zip(&described.columns).map(|(field, column)| Form::taken_by(field, column)).collect()
}

fn begin_copy(session: &mut Session, target: &Target<'_>) -> Result<()> {
    let sql = format!("COPY {} ({}) FROM STDIN (FORMAT binary)", target.table(), target.columns());
    let mut request = BytesMut::new();
    frontend::query(&sql, &mut request).map_err(unsendable)?;
    session.send(&request)?;
    let mut failure = None;
    loop {
        let message = session.receive()?;
        match message.tag {
            tag::COPY_IN => return Ok(()),
            tag::ERROR => failure = failure.or_else(|| Some(from_response(message.body))),
            tag::READY => {
                let silent = || Error::new(ErrorKind::Protocol, "the server took no rows and did not say why");
                return Err(failure.unwrap_or_else(silent));
            }
            _ => {}
        }
    }
}

/// Sends a batch's rows behind those that wait.
fn send(session: &mut Session, batch: &RecordBatch, forms: &[Form], rows: &mut BytesMut) -> Result<()> {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).zip(forms);
    let columns = columns.map(|((field, array), form)| Cells::new(field, array, *form)).collect::<Result<Vec<_>>>()?;
    let count = i16::try_from(columns.len())
        .map_err(|_| Error::new(ErrorKind::Unsupported, "PostgreSQL's tables have at most 1600 columns"))?;
    for row in 0..batch.num_rows() {
        rows.put_i16(count);
        for column in &columns {
            column.write(row, rows)?;
        }
        if rows.len() >= MESSAGE_BYTES {
            send_message(session, rows)?;
        }
    }
    Ok(())
}

/// Sends the bytes as one CopyData message.
fn send_message(session: &mut Session, rows: &mut BytesMut) -> Result<()> {
    let length = i32::try_from(rows.len() + 4).map_err(|_| {
        Error::new(ErrorKind::Value, "a row is longer than PostgreSQL takes").with_hint("a value has at most 1 GiB")
    })?;
    let mut message = BytesMut::with_capacity(rows.len() + 5);
    message.put_u8(b'd');
    message.put_i32(length);
    message.extend_from_slice(rows);
    rows.clear();
    session.send(&message)
}
