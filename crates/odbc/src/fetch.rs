//! The connection's side of a read: fetches blocks of rows ahead of who decodes them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use bowshot_core::{Error, ErrorKind, Result, Value};

use crate::abi::NULL_DATA;
use crate::block::{Access, Block, Slot};
use crate::cursor::Cursor;
use crate::handle::Records;
use crate::session::Desk;
use crate::statement::Statement;
use crate::types::Rule;

/// While one block is decoded, the next is fetched.
const BLOCKS: usize = 2;
/// No block has more rows: more do not make a fetch cheaper.
const MOST_ROWS: usize = 8192;
/// Text is bound for the longest value of four bytes a character: what arrives fills about a fourth.
const FILLED: usize = 4;
/// How many rows with values of any length a cursor serves at once: the driver keeps them all.
const LONG_PORTION: usize = 100;

/// A column of the result.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The driver's name of its type.
    pub(crate) type_name: String,
    pub(crate) nullable: bool,
    pub(crate) rule: Rule,
    /// Its text is how a database writes its decimals.
    pub(crate) is_number: bool,
}

/// One partition to read.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) sql: String,
    pub(crate) values: Arc<[Value]>,
    pub(crate) columns: Arc<[Column]>,
    pub(crate) label: String,
    pub(crate) batch_bytes: usize,
    /// Row by row, though blocks would serve.
    pub(crate) by_row: bool,
}

impl Job {
    /// Whether a value may be of any length.
    fn has_long(&self) -> bool {
        self.columns.iter().any(|column| column.rule.access.is_long())
    }
}

/// What arrives at the reader.
pub(crate) enum Item {
    Block(Block),
    End,
    Failed(Error),
    Cancelled,
}

/// Runs the query and sends its blocks; takes the empty ones back.
pub(crate) fn run(desk: &Desk, job: &Job, items: &Sender<Item>, empty: &Receiver<Block>) {
    let item = match fetch(desk, job, items, empty) {
        Ok(()) => Item::End,
        Err(error) => Item::Failed(error),
    };
    // Whoever has left does not want to know.
    let _ = items.send(item);
}

fn fetch(desk: &Desk, job: &Job, items: &Sender<Item>, empty: &Receiver<Block>) -> Result<()> {
    let row_bytes: usize = job.columns.iter().map(|column| column.rule.access.size() + size_of::<isize>()).sum();
    let room = (job.batch_bytes.saturating_mul(FILLED) / row_bytes.max(1)).clamp(1, MOST_ROWS);
    let Some(cursor) = Cursor::open_if_needed(desk, &job.sql, &job.values)? else {
        return send_rows(desk, job, desk.query(&job.sql, &job.values)?, room, items, empty);
    };
    let portion = if job.has_long() { LONG_PORTION } else { room };
    let sent = cursor.rows(portion).and_then(|statement| send_rows(desk, job, statement, room, items, empty));
    cursor.end(sent)
}

/// Sends all rows of a statement that runs, in blocks of at most `room` rows.
fn send_rows(
    desk: &Desk,
    job: &Job,
    mut statement: Statement<'_>,
    room: usize,
    items: &Sender<Item>,
    empty: &Receiver<Block>,
) -> Result<()> {
    let fail = |records: Records| desk.error(&records);
    let by_row = job.by_row || job.has_long();
    let found = statement.columns().map_err(fail)?.len();
    if found != job.columns.len() {
        let message = format!("{} has {found} columns now, not {}", job.label, job.columns.len());
        return Err(Error::new(ErrorKind::Sql, message).with_hint("the tables were changed meanwhile: try again"));
    }
    let first_long = job.columns.iter().position(|column| column.rule.access.is_long()).unwrap_or(usize::MAX);
    // A driver may serve only the columns behind the last bound one by one.
    let bound = |index: usize| desk.driver.any_column || index < first_long;
    let slots = |rows: usize| -> Vec<Slot> {
        let slot = |(index, column): (usize, &Column)| {
            let number = u16::try_from(index + 1).unwrap_or(u16::MAX);
            Slot::new(number, column.rule.access, bound(index), rows)
        };
        job.columns.iter().enumerate().map(slot).collect()
    };
    if by_row {
        statement.keep(slots(1)).map_err(fail)?;
    }
    let mut fresh = BLOCKS;
    loop {
        let mut block = if fresh > 0 {
            fresh -= 1;
            Block { slots: slots(room), rows: 0, room }
        } else {
            match empty.recv() {
                Ok(block) => block,
                Err(_) => return desk_left(desk),
            }
        };
        let rows = if by_row {
            fill(&mut statement, &mut block, job.batch_bytes)
        } else {
            statement.fetch_block(&mut block.slots, room)
        };
        block.rows = rows.map_err(fail)?;
        if block.rows == 0 {
            return Ok(());
        }
        if desk.stop.is_asked() || items.send(Item::Block(block)).is_err() {
            return desk_left(desk);
        }
    }
}

/// The reader is gone: the statement is cancelled, since closing it would read the rest of the result.
fn desk_left(desk: &Desk) -> Result<()> {
    desk.stop.ask();
    desk.stop.cancel_between_calls();
    Err(Error::cancelled())
}

/// Fills a block row by row, up to its room or so many bytes of long values; how many rows it has.
fn fill(statement: &mut Statement<'_>, block: &mut Block, most_bytes: usize) -> Result<usize, Records> {
    block.slots.iter_mut().for_each(Slot::ready);
    let mut row = 0;
    let mut bytes = 0;
    while row < block.room && bytes < most_bytes && statement.fetch_row()? {
        for (slot, kept) in block.slots.iter_mut().zip(statement.row()) {
            if kept.is_bound() {
                slot.copy(row, kept);
            }
        }
        for slot in block.slots.iter_mut().filter(|slot| !slot.is_bound()) {
            let (number, access) = (slot.number(), slot.access());
            if let Access::Long { c_type } = access {
                let (data, ends) = slot.long();
                let found = statement.get_long(number, c_type, data)?;
                let end = isize::try_from(data.len()).unwrap_or(NULL_DATA);
                ends.push(if found { end } else { NULL_DATA });
            } else if let Some((data, length)) = slot.place(row) {
                *length = statement.get_fixed(number, access.c_type(), data)?;
            }
        }
        bytes = block.slots.iter().map(Slot::long_bytes).sum();
        row += 1;
    }
    Ok(row)
}
