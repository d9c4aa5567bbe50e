//! Statements that change something, in a transaction of their own.

use bowshot_core::{Cancel, Error, ErrorKind, Params, Query, Result, Value};
use bowshot_sql::{Dialect, bind, parameters as count_parameters};
use bytes::BytesMut;
use postgres_protocol::message::frontend;

use crate::connect::Session;
use crate::describe;
use crate::error::from_response;
use crate::message::tag;
use crate::statement::{bind_values, unsendable};
use crate::uri::Config;

/// How many executions are sent before their answers are read.
const MOST_SENT: usize = 256;

/// How many bytes are: they have to find room in the buffers of the sockets, since the server may stop reading until its answers
/// are read.
const MOST_SENT_BYTES: usize = 32 << 10;

/// The types of a statement's parameters, by their OIDs.
pub(crate) fn parameters(config: &Config, sql: &str, cancel: &Cancel) -> Result<Vec<u32>> {
    let nulls = vec![Value::Null; count_parameters(sql, Dialect::Postgres)];
    let (sql, _) = bound(sql, nulls)?;
    describe::parameters(&mut Session::open(config, cancel)?, &sql)
}

/// Runs a statement once for each row of parameters; how many rows it changed.
pub(crate) fn update(
    config: &Config,
    sql: &str,
    rows: &mut dyn Iterator<Item = Result<Vec<Value>>>,
    cancel: &Cancel,
) -> Result<u64> {
    let Some(first) = rows.next().transpose()? else { return Ok(0) };
    let second = rows.next().transpose()?;
    let mut session = Session::open(config, cancel)?;
    let (text, first) = bound(sql, first)?;
    let Some(second) = second else {
        // Up to Sync all is one transaction, and what may not stand in a transaction block can run, too.
        let mut chunk = Chunk::new(&text)?;
        chunk.add(&first)?;
        return chunk.run(&mut session);
    };
    session.query("BEGIN")?;
    let mut chunk = Chunk::new(&text)?;
    chunk.add(&first)?;
    chunk.add(&bound(sql, second)?.1)?;
    let mut changed = 0;
    for row in rows {
        if chunk.is_full() {
            changed += std::mem::replace(&mut chunk, Chunk::new(&text)?).run(&mut session)?;
        }
        chunk.add(&bound(sql, row?)?.1)?;
    }
    changed += chunk.run(&mut session)?;
    session.query("COMMIT")?;
    Ok(changed)
}

/// The text with PostgreSQL's placeholders, and their values.
fn bound(sql: &str, values: Vec<Value>) -> Result<(String, Vec<Value>)> {
    bind(&Query { sql: sql.to_owned(), params: Params::Positional(values) }, Dialect::Postgres)
}

/// Executions that are sent together.
struct Chunk {
    messages: BytesMut,
    executions: usize,
}

impl Chunk {
    fn new(sql: &str) -> Result<Self> {
        let mut messages = BytesMut::new();
        frontend::parse("", sql, std::iter::empty(), &mut messages).map_err(unsendable)?;
        Ok(Chunk { messages, executions: 0 })
    }

    fn add(&mut self, values: &[Value]) -> Result<()> {
        bind_values(values, &[], &mut self.messages)?;
        frontend::execute("", 0, &mut self.messages).map_err(unsendable)?;
        self.executions += 1;
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.executions >= MOST_SENT || self.messages.len() >= MOST_SENT_BYTES
    }

    fn run(mut self, session: &mut Session) -> Result<u64> {
        frontend::sync(&mut self.messages);
        session.send(&self.messages)?;
        changed(session)
    }
}

/// Reads answers until the server is ready again; how many rows they say were changed.
pub(crate) fn changed(session: &mut Session) -> Result<u64> {
    let (mut changed, mut failure) = (0, None);
    loop {
        let message = session.receive()?;
        match message.tag {
            tag::COMMAND_COMPLETE => changed += count(message.body),
            // The first one: what follows is the consequence.
            tag::ERROR => failure = failure.or_else(|| Some(from_response(message.body))),
            tag::COPY_IN => {
                // While it waits for rows, it takes no notice of the Sync that was sent.
                let mut answer = BytesMut::new();
                frontend::copy_fail("no rows come with a statement", &mut answer).map_err(unsendable)?;
                frontend::sync(&mut answer);
                session.send(&answer)?;
                failure = failure.or_else(|| Some(copy()));
            }
            tag::READY => return failure.map_or(Ok(changed), Err),
            _ => {}
        }
    }
}

fn copy() -> Error {
    Error::new(ErrorKind::Unsupported, "COPY FROM STDIN needs rows, which a statement cannot bring")
        .with_hint("ingest them: adbc_ingest of ADBC's drivers")
}

/// The rows that a CommandComplete tells: the last word of `INSERT 0 5`, `UPDATE 3`; none of `CREATE TABLE`.
fn count(body: &[u8]) -> u64 {
    let text = body.split(|byte| *byte == 0).next().unwrap_or_default();
    let last = text.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    std::str::from_utf8(last).ok().and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_the_last_word_of_the_tag() {
        for (tag, rows) in [("INSERT 0 5\0", 5), ("UPDATE 3\0", 3), ("CREATE TABLE\0", 0), ("SELECT 7\0", 7), ("", 0)] {
            assert_eq!(count(tag.as_bytes()), rows, "{tag}");
        }
    }
}
