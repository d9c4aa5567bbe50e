//! What a response is made of besides rows ([MS-TDS] 2.2.7).

use crate::cursor::{Cursor, Stop};
use crate::error::ServerError;
use crate::wire_type::WireType;

/// The tokens of rows, which are not read here.
pub(crate) const ROW: u8 = 0xD1;
/// A row that leaves NULLs out.
pub(crate) const NBC_ROW: u8 = 0xD2;

/// A column of a result as it comes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// False only where it cannot hold NULL.
    pub(crate) nullable: bool,
    pub(crate) wire: WireType,
}

/// Something that the session has to know.
#[derive(Debug)]
pub(crate) enum Change {
    /// The length of packets.
    PacketSize(u16),
    /// A transaction began; 0: it ended.
    Transaction(u64),
    /// The login goes on at another server.
    Route { host: String, port: u16 },
}

/// A part of a response.
#[derive(Debug)]
pub(crate) enum Token {
    Columns(Vec<Column>),
    Error(ServerError),
    /// What the server says beside its answer.
    Info(ServerError),
    Change(Change),
    /// The login is accepted.
    LoggedIn,
    Done(Done),
    /// Nothing that matters here.
    Other,
}

/// The end of a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    status: u16,
}

impl Done {
    /// Whether it ends the whole response.
    pub(crate) fn is_last(self) -> bool {
        self.status & 0x01 == 0
    }

    pub(crate) fn is_error(self) -> bool {
        self.status & 0x102 != 0
    }

    /// Whether it answers a request to stop.
    pub(crate) fn is_attention(self) -> bool {
        self.status & 0x20 != 0
    }
}

/// Reads the token at the cursor, which is no row.
pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Token, Stop> {
    let token = cursor.u8()?;
    match token {
        0x81 => columns(cursor),
        0xAA => {
            let inside = cursor.short_bytes()?;
            ServerError::read(inside).map(Token::Error).map_err(|_| Stop::broken("an error that is cut off"))
        }
        0xE3 => change(cursor.short_bytes()?),
        0xAD => cursor.short_bytes().map(|_| Token::LoggedIn),
        // INFO, whose form is that of an error; what is cut off says nothing.
        0xAB => Ok(ServerError::read(cursor.short_bytes()?).map_or(Token::Other, Token::Info)),
        // ORDER, TABNAME, COLINFO, SSPI.
        0xA9 | 0xA4 | 0xA5 | 0xED => cursor.short_bytes().map(|_| Token::Other),
        // SESSIONSTATE, FEDAUTHINFO.
        0xE4 | 0xEE => cursor.long_bytes().map(|_| Token::Other),
        // RETURNSTATUS.
        0x79 => cursor.u32().map(|_| Token::Other),
        0xAE => features(cursor),
        0xFD..=0xFF => {
            let status = cursor.u16()?;
            cursor.take(10)?;
            Ok(Token::Done(Done { status }))
        }
        _ => Err(Stop::broken(format!("the unknown token 0x{token:02X}"))),
    }
}

/// COLMETADATA.
fn columns(cursor: &mut Cursor<'_>) -> Result<Token, Stop> {
    let count = cursor.u16()?;
    // A statement without columns.
    if count == 0xFFFF {
        return Ok(Token::Columns(Vec::new()));
    }
    let mut columns = Vec::new();
    for _ in 0..count {
        cursor.u32()?;
        let flags = cursor.u16()?;
        let wire = WireType::read(cursor)?;
        let name = cursor.short_text()?;
        columns.push(Column { name, nullable: flags & 0x8001 != 0, wire });
    }
    Ok(Token::Columns(columns))
}

/// ENVCHANGE.
fn change(bytes: &[u8]) -> Result<Token, Stop> {
    let cut = |_| Stop::broken("a change of the session that is cut off");
    let mut cursor = Cursor::new(bytes);
    Ok(match cursor.u8().map_err(cut)? {
        4 => match cursor.short_text().map_err(cut)?.parse() {
            Ok(size @ 512..=32767) => Token::Change(Change::PacketSize(size)),
            _ => return Err(Stop::broken("a length of packets that is none")),
        },
        // A transaction begins (its number is the new value), ends well, ends badly, is given up, has ended.
        8 => match cursor.u8().map_err(cut)? {
            8 => Token::Change(Change::Transaction(cursor.u64().map_err(cut)?)),
            _ => return Err(Stop::broken("a transaction without a number")),
        },
        9 | 10 | 12 | 17 => Token::Change(Change::Transaction(0)),
        20 => {
            cursor.u16().map_err(cut)?;
            cursor.u8().map_err(cut)?;
            let port = cursor.u16().map_err(cut)?;
            Token::Change(Change::Route { host: cursor.text().map_err(cut)?, port })
        }
        _ => Token::Other,
    })
}

/// FEATUREEXTACK.
fn features(cursor: &mut Cursor<'_>) -> Result<Token, Stop> {
    while cursor.u8()? != 0xFF {
        cursor.long_bytes()?;
    }
    Ok(Token::Other)
}
