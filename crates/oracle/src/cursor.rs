//! The rows of a query as they arrive: fetched in pages, the next one asked for while this one is decoded.

use bowshot_core::{Result, Value};
use oracledb_protocol::ProtocolError;
use oracledb_protocol::thin::{
    ColumnMetadata, TNS_MSG_TYPE_BIT_VECTOR, TNS_MSG_TYPE_END_OF_RESPONSE, TNS_MSG_TYPE_ERROR, TNS_MSG_TYPE_ROW_DATA,
    TNS_MSG_TYPE_ROW_HEADER, TNS_MSG_TYPE_STATUS, build_define_fetch_payload_with_seq, build_fetch_payload_with_seq,
    parse_fetch_response_with_context_and_limits,
};
use oracledb_protocol::wire::TtcReader;

use crate::error::{guarded, is_incomplete, protocol, unexpected};
use crate::message;
use crate::rows::{Block, Framing, Rows};
use crate::session::{LIMITS, Session};
use crate::wire::MARKER;

/// Rows of the first page, whose sizes say how many the next may have.
const FIRST_PAGE: u32 = 250;
/// No page has more.
const LARGEST_PAGE: u32 = 60_000;
/// Bytes after which a response is looked at, though more is there already.
const ENOUGH: usize = 256 << 10;

/// What the columns of a query look like on the wire.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// As the server describes them.
    pub(crate) described: Vec<ColumnMetadata>,
    /// As they are to be sent, where that differs: LOBs as their content.
    pub(crate) defined: Option<Vec<ColumnMetadata>>,
    pub(crate) framings: Vec<Framing>,
}

/// A query that runs.
pub(crate) struct Cursor<'a> {
    session: &'a mut Session,
    layout: &'a Layout,
    sql: &'a str,
    id: u32,
    /// The page that is being received, from its first unread byte on.
    response: Vec<u8>,
    /// How many bytes of it were dealt with.
    done: usize,
    rows: Rows,
    /// Which columns the next row has.
    present: Option<Vec<u8>>,
    /// A page was asked for and has not ended.
    awaiting: bool,
    /// Whether its end will be marked.
    marked: bool,
    /// There are rows that were not asked for yet.
    more: bool,
    /// The page's last message was read, though its end was not.
    closed: bool,
    defined: bool,
    /// Bytes that a page aims at.
    page_bytes: usize,
    /// Rows and bytes so far, to choose the next page's size.
    seen: (u64, u64),
}

/// How far a response could be read.
#[derive(Debug, PartialEq, Eq)]
enum Walked {
    /// To where more bytes are needed.
    Incomplete,
    /// To its end.
    Ended,
}

impl<'a> Cursor<'a> {
    /// Runs a query.
    pub(crate) fn open(
        session: &'a mut Session,
        sql: &'a str,
        values: &[Value],
        layout: &'a Layout,
        page_bytes: usize,
    ) -> Result<Self> {
        let opened = session.open(sql, values)?;
        if !opened.columns.is_empty() && !same(&opened.columns, &layout.described) {
            return Err(unexpected("other columns than it described")
                .with_hint("the table was altered between the plan and the read; read it again"));
        }
        Ok(Cursor {
            marked: session.marked,
            session,
            layout,
            sql,
            id: opened.cursor,
            response: Vec::new(),
            done: 0,
            rows: Rows::new(layout.framings.clone()),
            present: None,
            awaiting: false,
            more: opened.more,
            closed: false,
            defined: false,
            page_bytes,
            seen: (0, 0),
        })
    }

    /// Goes on to the next rows; `false` after the last ones.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        self.rows.decoded(&self.response);
        self.response.drain(..self.done);
        self.done = 0;
        loop {
            if !self.awaiting {
                if !self.more {
                    self.session.close_cursor(self.id);
                    self.id = 0;
                    return Ok(false);
                }
                self.ask()?;
            }
            self.receive()?;
            if self.rows.len() > 0 {
                return Ok(true);
            }
        }
    }

    /// The rows that [`Cursor::advance`] went on to.
    pub(crate) fn block(&self) -> Block<'_> {
        self.rows.block(&self.response)
    }

    /// Asks for a page.
    fn ask(&mut self) -> Result<()> {
        let (closing, number) = (self.session.close_cursors(), self.session.next_number());
        let version = self.session.capabilities.ttc_field_version;
        let page = self.page();
        let request = match &self.layout.defined {
            Some(columns) if !self.defined => {
                build_define_fetch_payload_with_seq(self.id, page, number, columns, version)
                    .map_err(|error| protocol(error, None))?
            }
            _ => build_fetch_payload_with_seq(self.id, page, number, version),
        };
        self.defined = true;
        (self.awaiting, self.closed, self.marked) = (true, false, self.session.marked);
        self.session.send(&[closing, request].concat())
    }

    /// How many rows the next page may have.
    fn page(&self) -> u32 {
        let (rows, bytes) = self.seen;
        if rows == 0 {
            return FIRST_PAGE;
        }
        let each = bytes / rows + 1;
        let page = u64::try_from(self.page_bytes).unwrap_or(u64::MAX) / each;
        u32::try_from(page).unwrap_or(u32::MAX).clamp(FIRST_PAGE.min(10), LARGEST_PAGE)
    }

    /// Receives packets until there is something to decode, or the page ends.
    fn receive(&mut self) -> Result<()> {
        let mut before = self.response.len();
        loop {
            let head = self.session.wire.receive(&mut self.response)?;
            if head.kind == MARKER {
                // The server broke off; its reasons follow.
                self.session.wire.reset()?;
                self.response.clear();
                (self.done, self.present, self.marked, self.closed) = (0, None, false, false);
                before = 0;
                continue;
            }
            let waiting = self.session.wire.has_more() && self.response.len() - before < ENOUGH;
            if waiting && !head.ends {
                continue;
            }
            let received = self.response.len() - before;
            let rows = self.rows.len();
            let walked = self.walk()?;
            self.seen.0 += u64::try_from(self.rows.len() - rows).unwrap_or_default();
            self.seen.1 += u64::try_from(received).unwrap_or_default();
            if walked == Walked::Ended || head.ends {
                if walked == Walked::Incomplete && !self.closed {
                    return Err(unexpected("a response that ends in the middle of a message"));
                }
                self.awaiting = false;
                self.session.answered();
                // What follows belongs to nothing.
                self.done = self.response.len();
                if self.more {
                    // The server works on the next page while this one is decoded.
                    self.ask()?;
                }
                return Ok(());
            }
            if self.rows.len() > 0 {
                return Ok(());
            }
        }
    }

    /// Reads the response as far as it is there.
    fn walk(&mut self) -> Result<Walked> {
        loop {
            match self.step() {
                Ok(None) => {}
                Ok(Some(walked)) => return Ok(walked),
                Err(error) if is_incomplete(&error) => return Ok(Walked::Incomplete),
                Err(error) => {
                    if matches!(error, ProtocolError::ServerErrorInfo(_) | ProtocolError::ServerError(_)) {
                        self.session.answered();
                    }
                    return Err(protocol(error, Some(self.sql)));
                }
            }
        }
    }

    /// Reads one message. An error leaves everything as it was, for when more bytes are there.
    fn step(&mut self) -> Result<Option<Walked>, ProtocolError> {
        let rest = self.response.get(self.done..).unwrap_or_default();
        let Some(&kind) = rest.first() else { return Ok(Some(Walked::Incomplete)) };
        let mut reader = TtcReader::with_limits(rest.get(1..).unwrap_or_default(), LIMITS)?;
        let mut ended = None;
        match kind {
            TNS_MSG_TYPE_ROW_DATA => {
                if self.layout.framings.contains(&Framing::Long) {
                    // Long values are looked at only when all of the row is there.
                    complete(
                        &self.layout.framings,
                        &mut TtcReader::with_limits(rest.get(1..).unwrap_or_default(), LIMITS)?,
                        self.present.as_deref(),
                    )?;
                }
                self.rows.find(&mut reader, self.done + 1, self.present.as_deref())?;
                self.present = None;
            }
            TNS_MSG_TYPE_ROW_HEADER => self.present = row_header(&mut reader)?,
            TNS_MSG_TYPE_BIT_VECTOR => {
                reader.read_ub2()?;
                self.present = Some(reader.read_raw(self.rows.width().div_ceil(8))?.to_vec());
            }
            TNS_MSG_TYPE_ERROR => {
                // The last message but one says how it went.
                let (capabilities, columns) = (self.session.capabilities, &self.layout.described);
                let result = guarded(|| {
                    parse_fetch_response_with_context_and_limits(rest, capabilities, columns, None, LIMITS)
                })?;
                if !result.rows.is_empty() {
                    return Err(ProtocolError::TtcDecode("rows behind the end"));
                }
                self.more = result.more_rows;
                self.closed = true;
                self.done = self.response.len();
                let marked = rest.last() == Some(&TNS_MSG_TYPE_END_OF_RESPONSE);
                return Ok(Some(if marked || !self.marked { Walked::Ended } else { Walked::Incomplete }));
            }
            TNS_MSG_TYPE_END_OF_RESPONSE => ended = Some(Walked::Ended),
            other if message::skip(other, &mut reader)? => {
                if other == TNS_MSG_TYPE_STATUS && !self.marked {
                    ended = Some(Walked::Ended);
                }
            }
            other => return Err(ProtocolError::UnknownMessageType { message_type: other, position: self.done }),
        }
        self.done += 1 + reader.position();
        Ok(ended)
    }
}

/// Which columns the first row of a page has.
fn row_header(reader: &mut TtcReader<'_>) -> Result<Option<Vec<u8>>, ProtocolError> {
    reader.skip(1)?;
    reader.read_ub2()?;
    reader.read_ub4()?;
    reader.read_ub4()?;
    reader.read_ub2()?;
    let present = match reader.read_ub4()? {
        0 => None,
        _ => reader.read_bytes()?,
    };
    message::sized(reader)?;
    Ok(present)
}

/// Whether all of a row is there, without a look at its values.
fn complete(framings: &[Framing], reader: &mut TtcReader<'_>, present: Option<&[u8]>) -> Result<(), ProtocolError> {
    for (column, framing) in framings.iter().enumerate() {
        if present.is_some_and(|bits| bits.get(column / 8).is_none_or(|byte| byte & (1 << (column % 8)) == 0)) {
            continue;
        }
        match framing {
            Framing::Bytes => reader.skip_bytes_field()?,
            Framing::Long => {
                reader.skip_bytes_field()?;
                reader.read_sb4()?;
                reader.read_ub4()?;
            }
            Framing::Rowid => {
                crate::pieces::rowid(reader)?;
            }
            Framing::Urowid => {
                crate::pieces::universal_rowid(reader)?;
            }
            Framing::Nothing => {}
        }
    }
    Ok(())
}

/// Whether a description is the one that the plan was made from, as far as it decides how values are read.
fn same(now: &[ColumnMetadata], planned: &[ColumnMetadata]) -> bool {
    let shape = |column: &ColumnMetadata| {
        (column.ora_type_num(), column.csfrm(), column.precision(), column.scale(), column.buffer_size() == 0)
    };
    now.len() == planned.len() && now.iter().zip(planned).all(|(now, planned)| shape(now) == shape(planned))
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        // The session knows by itself whether a page is on its way.
        if !self.awaiting {
            self.session.close_cursor(self.id);
        }
    }
}
