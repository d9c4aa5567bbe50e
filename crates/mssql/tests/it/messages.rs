//! What clients send, taken apart ([MS-TDS] 2.2.6).

/// The fields of LOGIN7 that matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Login {
    pub version: u32,
    pub packet_size: u32,
    pub user: String,
    pub password: String,
    pub application: String,
    pub server: String,
    pub database: String,
    pub read_only: bool,
    /// What it asks for beyond the fields, as it was sent.
    pub features: Vec<u8>,
    /// Whether it came encrypted.
    pub encrypted: bool,
}

/// A query, with its parameters if it came as `sp_executesql`.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub sql: String,
    pub declared: String,
    pub parameters: Vec<Parameter>,
    pub transaction: u64,
    /// The number of its connection.
    pub connection: usize,
}

/// A parameter: its name, its type's token, its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub token: u8,
    pub value: Option<Vec<u8>>,
}

impl Parameter {
    pub fn text(&self) -> String {
        let bytes = self.value.clone().unwrap_or_default();
        let units: Vec<u16> = bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        String::from_utf16(&units).unwrap()
    }
}

impl Request {
    pub fn is_describe(&self) -> bool {
        self.sql.contains("sp_describe_first_result_set")
    }
}

pub fn prelogin_encryption(message: &[u8]) -> u8 {
    let option = message.chunks(5).find(|option| option[0] == 1).expect("the option ENCRYPTION");
    message[usize::from(u16::from_be_bytes([option[1], option[2]]))]
}

impl Login {
    /// Reads LOGIN7 ([MS-TDS] 2.2.6.4).
    pub fn read(message: &[u8]) -> Login {
        let u32_at = |at: usize| u32::from_le_bytes(message[at..at + 4].try_into().unwrap());
        let u16_at = |at: usize| usize::from(u16::from_le_bytes([message[at], message[at + 1]]));
        assert_eq!(u32_at(0) as usize, message.len());
        let bytes = |at: usize| message[u16_at(at)..u16_at(at) + 2 * u16_at(at + 2)].to_vec();
        let text = |bytes: Vec<u8>| {
            String::from_utf16(&bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>())
                .unwrap()
        };
        // The password's halves of bytes are swapped, then its bits.
        let password = bytes(44).into_iter().map(|byte| (byte ^ 0xA5).rotate_left(4)).collect();
        Login {
            version: u32_at(4),
            packet_size: u32_at(8),
            user: text(bytes(40)),
            password: text(password),
            application: text(bytes(48)),
            server: text(bytes(52)),
            database: text(bytes(68)),
            features: message[u32_at(u16_at(56)) as usize..].to_vec(),
            read_only: message[26] & 0x20 != 0,
            encrypted: false,
        }
    }
}

/// Reads from the front of bytes.
struct Front<'a>(&'a [u8]);

impl<'a> Front<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn number(&mut self, length: usize) -> u64 {
        self.take(length).iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn length(&mut self, length: usize) -> usize {
        usize::try_from(self.number(length)).unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf16(&bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>()).unwrap()
}

impl Request {
    pub fn batch(message: &[u8], connection: usize) -> Request {
        let mut front = Front(message);
        let transaction = headers(&mut front);
        Request { sql: text(front.0), declared: String::new(), parameters: Vec::new(), transaction, connection }
    }

    /// `sp_executesql` ([MS-TDS] 2.2.6.6).
    pub fn procedure(message: &[u8], connection: usize) -> Request {
        let mut front = Front(message);
        let transaction = headers(&mut front);
        assert_eq!((front.number(2), front.number(2), front.number(2)), (0xFFFF, 10, 0));
        let mut parameters = Vec::new();
        while !front.0.is_empty() {
            parameters.push(Parameter::read(&mut front));
        }
        let values = parameters.split_off(2);
        let [sql, declared] = [0, 1].map(|index: usize| parameters[index].text());
        Request { sql, declared, parameters: values, transaction, connection }
    }
}

fn headers(front: &mut Front<'_>) -> u64 {
    assert_eq!((front.number(4), front.number(4), front.number(2)), (22, 18, 2));
    let transaction = front.number(8);
    assert_eq!(front.number(4), 1);
    transaction
}

impl Parameter {
    fn read(front: &mut Front<'_>) -> Parameter {
        let length = front.length(1);
        let name = text(front.take(2 * length));
        assert_eq!(front.number(1), 0);
        let token = front.take(1)[0];
        let value = match token {
            0x26 | 0x68 | 0x6D => {
                front.number(1);
                match front.length(1) {
                    0 => None,
                    length => Some(front.take(length).to_vec()),
                }
            }
            0xE7 | 0xA5 => {
                let most = front.number(2);
                if token == 0xE7 {
                    front.take(5);
                }
                if most == 0xFFFF { chunks(front) } else { short(front) }
            }
            _ => panic!("a parameter of type {token:#x}"),
        };
        Parameter { name, token, value }
    }
}

fn short(front: &mut Front<'_>) -> Option<Vec<u8>> {
    match front.length(2) {
        0xFFFF => None,
        length => Some(front.take(length).to_vec()),
    }
}

fn chunks(front: &mut Front<'_>) -> Option<Vec<u8>> {
    if front.number(8) == u64::MAX {
        return None;
    }
    let mut value = Vec::new();
    loop {
        match front.length(4) {
            0 => return Some(value),
            length => value.extend(front.take(length)),
        }
    }
}
