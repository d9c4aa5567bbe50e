//! Tokens of a response, byte for byte ([MS-TDS] 2.2.7).

/// A column: its name, whether it can be NULL, its TYPE_INFO.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: &'static str,
    pub nullable: bool,
    pub type_info: Vec<u8>,
}

pub fn column(name: &'static str, type_info: &[u8]) -> Column {
    Column { name, nullable: true, type_info: type_info.to_vec() }
}

pub fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn units(text: &str) -> u16 {
    u16::try_from(text.encode_utf16().count()).unwrap()
}

/// Text behind its length in one byte.
pub fn short_text(text: &str) -> Vec<u8> {
    [vec![u8::try_from(units(text)).unwrap()], utf16(text)].concat()
}

fn long_text(text: &str) -> Vec<u8> {
    [units(text).to_le_bytes().to_vec(), utf16(text)].concat()
}

fn with_length(token: u8, content: Vec<u8>) -> Vec<u8> {
    [vec![token], u16::try_from(content.len()).unwrap().to_le_bytes().to_vec(), content].concat()
}

/// COLMETADATA.
pub fn columns(columns: &[Column]) -> Vec<u8> {
    let mut bytes = vec![0x81];
    bytes.extend(u16::try_from(columns.len()).unwrap().to_le_bytes());
    for column in columns {
        bytes.extend([0, 0, 0, 0, u8::from(column.nullable), 0]);
        bytes.extend(&column.type_info);
        bytes.extend(short_text(column.name));
    }
    bytes
}

/// ROW.
pub fn row(values: &[Vec<u8>]) -> Vec<u8> {
    [vec![0xD1], values.concat()].concat()
}

/// NBCROW: a row that leaves out its NULLs.
pub fn compact_row(values: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut bitmap = vec![0_u8; values.len().div_ceil(8)];
    for (index, _) in values.iter().enumerate().filter(|(_, value)| value.is_none()) {
        bitmap[index / 8] |= 1 << (index % 8);
    }
    [vec![0xD2], bitmap, values.iter().flatten().flatten().copied().collect()].concat()
}

/// DONE, the last one.
pub fn done() -> Vec<u8> {
    done_with(0x10)
}

pub fn done_with(status: u16) -> Vec<u8> {
    [vec![0xFD], status.to_le_bytes().to_vec(), vec![0; 10]].concat()
}

/// DONEPROC after RETURNSTATUS, as procedures end.
pub fn done_procedure() -> Vec<u8> {
    [vec![0x79, 0, 0, 0, 0, 0xFE, 0, 0], vec![0; 10]].concat()
}

/// ERROR with the DONE that ends its statement.
pub fn failed(number: u32, class: u8, line: u32, message: &str) -> Vec<u8> {
    [error(number, class, line, message), done_with(0x02)].concat()
}

pub fn error(number: u32, class: u8, line: u32, message: &str) -> Vec<u8> {
    let mut content = number.to_le_bytes().to_vec();
    content.extend([1, class]);
    content.extend(long_text(message));
    content.extend(short_text("mock"));
    content.extend(short_text(""));
    content.extend(line.to_le_bytes());
    with_length(0xAA, content)
}

/// INFO, which nobody needs.
pub fn info(message: &str) -> Vec<u8> {
    info_of(5701, message)
}

/// INFO of this number; 0 is that of PRINT.
pub fn info_of(number: u32, message: &str) -> Vec<u8> {
    let mut bytes = error(number, 0, 1, message);
    bytes[0] = 0xAB;
    bytes
}

/// ENVCHANGE: the database, the language and the collation are others; nobody minds.
pub fn environment() -> Vec<u8> {
    let change = |kind: u8| with_length(0xE3, [vec![kind], short_text("new"), short_text("old")].concat());
    [change(1), change(2), with_length(0xE3, vec![7, 5, 9, 4, 0xD0, 0, 52, 0]), change(13)].concat()
}

/// ENVCHANGE: a transaction begins.
pub fn transaction(number: u64) -> Vec<u8> {
    with_length(0xE3, [vec![8, 8], number.to_le_bytes().to_vec(), vec![0]].concat())
}

/// ENVCHANGE: a transaction ended.
pub fn transaction_ended(number: u64) -> Vec<u8> {
    with_length(0xE3, [vec![10, 0, 8], number.to_le_bytes().to_vec()].concat())
}

/// ENVCHANGE: the login goes on elsewhere.
pub fn route(host: &str, port: u16) -> Vec<u8> {
    let place = [vec![0], port.to_le_bytes().to_vec(), long_text(host)].concat();
    let length = u16::try_from(place.len()).unwrap().to_le_bytes().to_vec();
    with_length(0xE3, [vec![20], length, place, vec![0, 0]].concat())
}

/// What a server says to a login that it accepts.
pub fn welcome(packet_size: u16) -> Vec<u8> {
    let size = with_length(0xE3, [vec![4], short_text(&packet_size.to_string()), short_text("4096")].concat());
    let database = with_length(0xE3, [vec![1], short_text("shop"), short_text("master")].concat());
    let collation = with_length(0xE3, vec![7, 5, 9, 4, 0xD0, 0, 52, 0]);
    let acknowledged =
        with_length(0xAD, [vec![1, 0x74, 0, 0, 4], short_text("Microsoft SQL Server"), vec![16, 0, 3, 232]].concat());
    let features = vec![0xAE, 10, 1, 0, 0, 0, 1, 0xFF];
    [database, info("Changed database context to 'shop'."), collation, acknowledged, size, features, done_with(0)]
        .concat()
}

pub const INT: &[u8] = &[0x26, 4];
pub const BIGINT: &[u8] = &[0x26, 8];
pub const BIT: &[u8] = &[0x68, 1];
/// nvarchar(128) in Latin1_General_CI_AS.
pub const NVARCHAR: &[u8] = &[0xE7, 0, 1, 9, 4, 0xD0, 0, 0];

pub fn int(value: i32) -> Vec<u8> {
    [vec![4], value.to_le_bytes().to_vec()].concat()
}

pub fn bigint(value: i64) -> Vec<u8> {
    [vec![8], value.to_le_bytes().to_vec()].concat()
}

pub fn nvarchar(value: &str) -> Vec<u8> {
    [(2 * units(value)).to_le_bytes().to_vec(), utf16(value)].concat()
}

/// A result with one column of numbers.
pub fn numbers(name: &'static str, values: &[i32]) -> Vec<u8> {
    let rows: Vec<u8> = values.iter().flat_map(|value| row(&[int(*value)])).collect();
    [columns(&[column(name, INT)]), rows, done()].concat()
}

/// What a column is to `sp_describe_first_result_set`.
#[derive(Clone, Debug)]
pub struct Described {
    pub name: &'static str,
    pub nullable: bool,
    pub id: i32,
    pub type_name: &'static str,
    pub precision: u8,
    pub scale: u8,
}

pub fn described(name: &'static str, id: i32, type_name: &'static str, precision: u8, scale: u8) -> Described {
    Described { name, nullable: true, id, type_name, precision, scale }
}

/// The result of `sp_describe_first_result_set`.
pub fn description(found: &[Described]) -> Vec<u8> {
    let head = [
        column("is_hidden", BIT),
        column("column_ordinal", INT),
        column("name", NVARCHAR),
        column("is_nullable", BIT),
        column("system_type_id", INT),
        column("system_type_name", NVARCHAR),
        column("max_length", &[0x26, 2]),
        column("precision", &[0x26, 1]),
        column("scale", &[0x26, 1]),
        column("collation_name", NVARCHAR),
    ];
    let mut bytes = columns(&head);
    for (ordinal, one) in (1..).zip(found) {
        let type_name = if one.type_name.is_empty() { vec![0xFF, 0xFF] } else { nvarchar(one.type_name) };
        bytes.extend(row(&[
            vec![1, 0],
            int(ordinal),
            nvarchar(one.name),
            vec![1, u8::from(one.nullable)],
            int(one.id),
            type_name,
            vec![2, 8, 0],
            vec![1, one.precision],
            vec![1, one.scale],
            vec![0xFF, 0xFF],
        ]));
    }
    bytes.extend(done_procedure());
    bytes
}
