//! The answer to a statement: OK, an error, or columns and then rows.

use bowshot_core::{Error, ErrorKind, Result};

use crate::connect::Session;
use crate::error::{ERR, broken, from_packet_to};
use crate::packet::Fields;

/// The first byte of the packet that ends a result; a row that begins with it is 2^24 bytes long or more.
pub(crate) const END: u8 = 0xFE;

/// The first byte of a server's wish for a file of ours.
const LOCAL_FILE: u8 = 0xFB;

/// The most columns that a result can have is 4096; a server that announces more lies.
const MOST_COLUMNS: u64 = 1 << 16;

/// Among a status's bits: another result follows.
const MORE_RESULTS: u16 = 8;

/// A column as the server describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// The number of its type.
    pub(crate) kind: u8,
    pub(crate) flags: u16,
    /// The number of its collation.
    pub(crate) charset: u16,
    /// The most bytes of a value, as text.
    pub(crate) length: u32,
    /// Digits after the point; 31 or more where they vary.
    pub(crate) decimals: u8,
    /// MariaDB's own name of the type (`uuid`, `inet6`) and of its form (`json`), where it has one.
    pub(crate) extended: Option<String>,
    /// The table that it comes from straight, if any: its database and its own name.
    pub(crate) table: Option<(String, String)>,
    /// Its name in that table.
    pub(crate) column: String,
}

impl Definition {
    /// Whether two answers with these columns are laid out alike.
    pub(crate) fn reads_like(&self, other: &Definition) -> bool {
        // NOT NULL is left out of it: the schema says more than one execution.
        const LAYOUT: u16 = flag::UNSIGNED | flag::ENUM | flag::SET;
        // Text and bytes are sent alike, however long the server expects them to be: that differs between a prepared
        // statement and the same one sent as text.
        let kind = |kind: u8| if matches!(kind, 15 | 249..=254) { 253 } else { kind };
        let layout = |definition: &Definition| {
            let kind = kind(definition.kind);
            let decimals = if kind == 253 { 0 } else { definition.decimals };
            (kind, definition.flags & LAYOUT, definition.charset, decimals)
        };
        layout(self) == layout(other) && self.extended == other.extended
    }
}

/// Among a column's flags.
pub(crate) mod flag {
    pub(crate) const NOT_NULL: u16 = 1;
    pub(crate) const UNSIGNED: u16 = 1 << 5;
    pub(crate) const ENUM: u16 = 1 << 8;
    pub(crate) const SET: u16 = 1 << 11;
}

/// How an answer begins.
pub(crate) enum Header {
    /// It is over: the statement returns no result, and has changed so many rows.
    Done(u64),
    /// Rows of these columns follow.
    Rows(Vec<Definition>),
}

/// Reads how the answer begins. A statement of several results has further ones behind its rows.
pub(crate) fn header(session: &mut Session, sql: &str) -> Result<Header> {
    let mut body = session.receive()?;
    // One after the other: a server that lies may have more of them than a stack is deep.
    while body.first() == Some(&0) {
        let outcome = Outcome::read(body);
        if outcome.status & MORE_RESULTS == 0 {
            let rows = outcome.rows;
            session.warnings = outcome.warnings;
            session.idle();
            return Ok(Header::Done(rows));
        }
        body = session.receive()?;
    }
    match body.first() {
        Some(&ERR) => {
            let error = from_packet_to(body, sql);
            session.idle();
            Err(error)
        }
        Some(&LOCAL_FILE) => Err(session.give_up("it asked for a file of ours, which nobody offered")),
        _ => {
            let count = Fields(body).length().filter(|count| (1..=MOST_COLUMNS).contains(count));
            let count = count.ok_or_else(|| session.give_up("it announced an impossible number of columns"))?;
            Ok(Header::Rows(definitions(session, usize::try_from(count).unwrap_or(0))?))
        }
    }
}

/// Reads the definitions of so many columns.
pub(crate) fn definitions(session: &mut Session, count: usize) -> Result<Vec<Definition>> {
    let extended = session.server.extended;
    let mut columns = Vec::new();
    for _ in 0..count {
        let body = session.receive()?;
        match definition(body, extended) {
            Some(column) => columns.push(column),
            None => return Err(session.give_up("the description of a column is cut off")),
        }
    }
    if count > 0 && !session.server.without_eof {
        let body = session.receive()?;
        if body.first() != Some(&END) {
            return Err(session.give_up("no EOF followed the columns"));
        }
    }
    Ok(columns)
}

fn definition(body: &[u8], extended: bool) -> Option<Definition> {
    let mut fields = Fields(body);
    let owned = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let _catalogue = fields.text()?;
    let database = fields.text()?;
    let _alias_of_table = fields.text()?;
    let table = fields.text()?;
    let name = owned(fields.text()?);
    let column = owned(fields.text()?);
    let mut type_name = None;
    if extended {
        let mut parts = Fields(fields.text()?);
        while !parts.0.is_empty() {
            // 0: the type's name; 1: the name of its form. A json column is a longtext whose form is json.
            let _which = parts.u8()?;
            type_name = Some(owned(parts.text()?));
        }
    }
    let _length_of_the_rest = fields.length()?;
    let charset = fields.u16()?;
    let length = fields.u32()?;
    let kind = fields.u8()?;
    let flags = fields.u16()?;
    let decimals = fields.u8()?;
    let table = (!table.is_empty()).then(|| (owned(database), owned(table)));
    Some(Definition { name, kind, flags, charset, length, decimals, extended: type_name, table, column })
}

/// The next row's body; `None` at the end of the result, which has to be the last one.
pub(crate) fn row<'a>(session: &'a mut Session, sql: &str) -> Result<Option<&'a [u8]>> {
    let extent = session.whole_message()?;
    let first = session.buffer.unread().get(crate::packet::HEADER).copied();
    match first {
        Some(ERR) => {
            let body = crate::packet::take(&mut session.buffer, extent);
            let error = from_packet_to(body, sql);
            session.idle();
            Err(error)
        }
        Some(END) if extent.body < crate::packet::FULL => {
            let body = crate::packet::take(&mut session.buffer, extent).to_vec();
            end(session, &body)?;
            Ok(None)
        }
        _ => Ok(Some(crate::packet::take(&mut session.buffer, extent))),
    }
}

/// Handles the packet that ends a result's rows. A CALL has one more answer behind its results, an OK of its own; a
/// second result would be lost, so it is an error.
pub(crate) fn end(session: &mut Session, body: &[u8]) -> Result<()> {
    let ended = Outcome::of_end(body, session.server.without_eof);
    if ended.status & MORE_RESULTS == 0 {
        session.warnings = ended.warnings;
        session.idle();
        return Ok(());
    }
    match header(session, "")? {
        Header::Done(_) => Ok(()),
        Header::Rows(_) => Err(Error::new(ErrorKind::Unsupported, "the procedure returns more than one result")
            .with_hint("a dataframe has room for one; write a procedure that returns only the one that is wanted")),
    }
}

/// What an OK packet says: a mark, the affected rows, the last inserted number, the status, how many warnings there are. What follows
/// of the session's state is of no interest.
#[derive(Default)]
struct Outcome {
    rows: u64,
    status: u16,
    warnings: u16,
}

impl Outcome {
    fn read(body: &[u8]) -> Self {
        let mut fields = Fields(body);
        let mut read = || {
            fields.u8()?;
            let rows = fields.length()?;
            fields.length()?;
            Some(Outcome { rows, status: fields.u16()?, warnings: fields.u16().unwrap_or(0) })
        };
        read().unwrap_or_default()
    }

    /// Of the packet that ends rows: an OK packet with another mark, or the old EOF (mark, warnings, status).
    fn of_end(body: &[u8], without_eof: bool) -> Self {
        if without_eof {
            return Outcome::read(body);
        }
        let mut fields = Fields(body);
        let mut read = || {
            fields.u8()?;
            Some(Outcome { rows: 0, warnings: fields.u16()?, status: fields.u16()? })
        };
        read().unwrap_or_default()
    }
}

/// The error of an answer that is cut off.
pub(crate) fn cut_off() -> Error {
    broken("an answer is cut off")
}
