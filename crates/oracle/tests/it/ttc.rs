//! The server's half of the messages (TTC): what a database writes and a client reads.

use oracledb_protocol::wire::{TtcReader, TtcWriter};

/// The field version of 19c, which does not mark the end of a response, and of 23ai, which does.
pub const VERSION_19: u8 = 13;
pub const VERSION_23: u8 = 24;

/// A column of a result.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: u8,
    pub precision: i8,
    pub scale: i8,
    pub size: u32,
    pub form: u8,
    pub type_name: Option<&'static str>,
}

/// A column of a type that has no more to say.
pub fn column(name: &'static str, kind: u8) -> Column {
    let form = if matches!(kind, 1 | 8 | 96 | 112) { 1 } else { 0 };
    Column { name, kind, precision: 0, scale: 0, size: 100, form, type_name: None }
}

/// A NUMBER.
pub fn number(name: &'static str, precision: i8, scale: i8) -> Column {
    Column { precision, scale, size: 22, ..column(name, 2) }
}

pub type Row = Vec<Option<Vec<u8>>>;

fn text(writer: &mut TtcWriter, text: &str) {
    writer.write_bytes_with_two_lengths((!text.is_empty()).then_some(text.as_bytes())).unwrap();
}

fn small(value: i8) -> u8 {
    value.to_ne_bytes()[0]
}

/// What a query returns.
pub fn describe(columns: &[Column], version: u8) -> Vec<u8> {
    let mut writer = TtcWriter::new();
    writer.write_u8(16);
    writer.write_bytes_with_length(b"signature").unwrap();
    writer.write_ub4(100);
    writer.write_ub4(columns.len().try_into().unwrap());
    if !columns.is_empty() {
        writer.write_u8(7);
    }
    for (position, column) in (1_u16..).zip(columns) {
        writer.write_u8(column.kind);
        writer.write_u8(0);
        writer.write_u8(small(column.precision));
        writer.write_u8(small(column.scale));
        writer.write_ub4(column.size);
        writer.write_ub4(0);
        writer.write_ub8(0);
        writer.write_ub4(0);
        writer.write_ub2(0);
        writer.write_ub2(873);
        writer.write_u8(column.form);
        writer.write_ub4(column.size);
        writer.write_ub4(0);
        writer.write_u8(1);
        writer.write_u8(0);
        text(&mut writer, column.name);
        text(&mut writer, if column.type_name.is_some() { "SYS" } else { "" });
        text(&mut writer, column.type_name.unwrap_or_default());
        writer.write_ub2(position);
        writer.write_ub4(0);
        if version >= 17 {
            writer.write_ub4(0);
            writer.write_ub4(0);
        }
        if version >= 20 {
            writer.write_ub4(0);
        }
        if version >= 24 {
            writer.write_ub4(0);
            writer.write_u8(0);
            writer.write_u8(0);
        }
    }
    writer.write_ub4(0);
    for _ in 0..4 {
        writer.write_ub4(0);
    }
    writer.write_ub4(0);
    writer.into_bytes()
}

/// How a request went.
pub fn status(code: u32, message: &str, position: u16, cursor: u16, version: u8) -> Vec<u8> {
    let mut writer = TtcWriter::new();
    writer.write_u8(4);
    writer.write_ub4(1);
    writer.write_ub2(1);
    writer.write_ub4(0);
    for _ in 0..3 {
        writer.write_ub2(0);
    }
    writer.write_ub2(cursor);
    writer.write_ub2(position);
    writer.write_raw(&[0; 5]);
    writer.write_u8(0);
    writer.write_ub4(0);
    writer.write_ub2(0);
    writer.write_u8(0);
    writer.write_ub4(0);
    writer.write_ub2(0);
    writer.write_ub4(0);
    writer.write_raw(&[0; 2]);
    writer.write_ub2(0);
    writer.write_ub4(0);
    writer.write_ub4(0);
    writer.write_ub2(0);
    writer.write_ub4(0);
    writer.write_ub2(0);
    writer.write_ub4(code);
    writer.write_ub8(0);
    if version >= 14 {
        // The kind of the statement, where there was one.
        writer.write_ub4(if cursor == 0 { 0 } else { 3 });
        writer.write_ub4(0);
    }
    if code != 0 {
        writer.write_bytes_with_length(message.as_bytes()).unwrap();
    }
    writer.into_bytes()
}

/// Rows of a page; a value that repeats the one above is left out, as servers do.
pub fn rows(columns: &[Column], rows: &[Row], above: Option<&Row>, defined_long: bool) -> Vec<u8> {
    let mut writer = TtcWriter::new();
    writer.write_u8(6);
    writer.write_u8(0);
    writer.write_ub2(0);
    writer.write_ub4(0);
    writer.write_ub4(0);
    writer.write_ub2(0);
    writer.write_ub4(0);
    writer.write_ub4(0);
    let mut above = above;
    for row in rows {
        let repeats = |index: usize| above.is_some_and(|above| above[index] == row[index]);
        let repeated = (0..row.len()).filter(|index| repeats(*index)).count();
        if repeated > 0 {
            let mut bits = vec![0_u8; columns.len().div_ceil(8)];
            for index in (0..row.len()).filter(|index| !repeats(*index)) {
                bits[index / 8] |= 1 << (index % 8);
            }
            writer.write_u8(21);
            writer.write_ub2((row.len() - repeated).try_into().unwrap());
            writer.write_raw(&bits);
        }
        writer.write_u8(7);
        for (index, (column, value)) in columns.iter().zip(row).enumerate() {
            if column.size != 0 && !repeats(index) {
                field(&mut writer, column, value.as_deref(), defined_long);
            }
        }
        above = Some(row);
    }
    writer.into_bytes()
}

fn field(writer: &mut TtcWriter, column: &Column, value: Option<&[u8]>, defined_long: bool) {
    match (column.kind, value) {
        // The parts of an address, as they are on the wire.
        (11, Some(parts)) => writer.write_raw(parts),
        (_, None | Some([])) => writer.write_u8(0),
        (_, Some(value)) => writer.write_bytes_with_length(value).unwrap(),
    }
    let long = matches!(column.kind, 8 | 24) || defined_long && matches!(column.kind, 112 | 113);
    match (long, value) {
        (false, _) => {}
        (true, Some(_)) => writer.write_raw(&[0, 0]),
        (true, None) => writer.write_raw(&[0x81, 1, 2, 0x05, 0x7d]),
    }
}

/// Names and values, as a login has them.
pub fn pairs(pairs: &[(&str, &str, u32)]) -> Vec<u8> {
    let mut writer = TtcWriter::new();
    writer.write_u8(8);
    writer.write_ub2(pairs.len().try_into().unwrap());
    for (name, value, flags) in pairs {
        text(&mut writer, name);
        text(&mut writer, value);
        writer.write_ub4(*flags);
    }
    writer.into_bytes()
}

/// The end of a part of the login.
pub fn done() -> Vec<u8> {
    vec![9, 1, 1, 1, 1]
}

/// What the server is.
pub fn protocol(version: u8) -> Vec<u8> {
    let mut capabilities = [0_u8; 53];
    capabilities[7] = version;
    let mut bytes = vec![1, 6, 0];
    bytes.extend_from_slice(b"bowshot/false\0");
    bytes.extend_from_slice(&873_u16.to_le_bytes());
    bytes.push(1);
    bytes.extend_from_slice(&0_u16.to_le_bytes());
    bytes.extend_from_slice(&11_u16.to_be_bytes());
    bytes.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0x07, 0xd0]);
    bytes.push(53);
    bytes.extend_from_slice(&capabilities);
    bytes.extend_from_slice(&[11, 2, 1, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
    bytes
}

/// A request of a client.
#[derive(Debug)]
pub enum Request {
    Execute { sql: Option<String>, cursor: u32, options: u32, values: Row },
    Fetch { cursor: u32 },
    Login(u8, Vec<u8>),
    Logoff,
    Other(u8),
}

pub const DESCRIBE: u32 = 0x20000;
pub const FETCH: u32 = 0x40;
pub const DEFINE: u32 = 0x10;

/// Reads a request, behind the piggybacks that it brings.
pub fn request(bytes: &[u8], version: u8) -> Request {
    let mut reader = TtcReader::new(bytes);
    loop {
        let (kind, function) = (reader.read_u8().unwrap(), reader.read_u8().unwrap());
        reader.read_u8().unwrap();
        if kind == 3 && matches!(function, 118 | 115) {
            return Request::Login(function, bytes.to_vec());
        }
        if version >= 18 {
            reader.read_ub8().unwrap();
        }
        match (kind, function) {
            (17, 105) => {
                reader.read_u8().unwrap();
                for _ in 0..reader.read_ub4().unwrap() {
                    reader.read_ub4().unwrap();
                }
            }
            (3, 94) => return execute(&mut reader, version),
            (3, 5) => return Request::Fetch { cursor: reader.read_ub4().unwrap() },
            (3, 9) => return Request::Logoff,
            (_, other) => return Request::Other(other),
        }
    }
}

fn execute(reader: &mut TtcReader<'_>, version: u8) -> Request {
    let (options, cursor) = (reader.read_ub4().unwrap(), reader.read_ub4().unwrap());
    reader.read_u8().unwrap();
    let length = reader.read_ub4().unwrap();
    reader.read_u8().unwrap();
    reader.read_ub4().unwrap();
    reader.skip(2).unwrap();
    reader.read_ub4().unwrap();
    reader.read_ub4().unwrap();
    reader.read_ub4().unwrap();
    reader.read_u8().unwrap();
    let binds = reader.read_ub4().unwrap();
    reader.skip(6).unwrap();
    let defines = reader.read_ub4().unwrap();
    reader.read_ub4().unwrap();
    reader.skip(3).unwrap();
    reader.read_ub4().unwrap();
    reader.read_u8().unwrap();
    reader.read_ub4().unwrap();
    reader.read_ub4().unwrap();
    reader.read_u8().unwrap();
    reader.read_ub4().unwrap();
    reader.read_u8().unwrap();
    reader.read_u8().unwrap();
    reader.read_ub4().unwrap();
    reader.read_u8().unwrap();
    reader.read_ub4().unwrap();
    reader.read_u8().unwrap();
    reader.read_u8().unwrap();
    reader.read_ub4().unwrap();
    let sql = (length > 0).then(|| reader.read_string().unwrap().unwrap());
    for _ in 0..13 {
        reader.read_ub4().unwrap();
    }
    let mut values = Vec::new();
    if binds > 0 && options & 0x08 != 0 {
        for _ in 0..binds {
            metadata(reader, version);
        }
        assert_eq!(reader.read_u8().unwrap(), 7);
        values = (0..binds).map(|_| reader.read_bytes().unwrap()).collect();
    }
    for _ in 0..defines {
        metadata(reader, version);
    }
    assert_eq!(reader.remaining(), 0, "something is left of the request");
    Request::Execute { sql, cursor, options, values }
}

fn metadata(reader: &mut TtcReader<'_>, _version: u8) {
    reader.skip(4).unwrap();
    reader.read_ub4().unwrap();
    reader.read_ub4().unwrap();
    reader.read_ub8().unwrap();
    reader.read_ub4().unwrap();
    reader.read_ub2().unwrap();
    reader.read_ub2().unwrap();
    reader.read_u8().unwrap();
    reader.read_ub4().unwrap();
    reader.read_ub4().unwrap();
}
