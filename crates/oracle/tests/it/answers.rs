//! What the false database answers to statements.

use std::time::Duration;

use crate::ttc::{Column, Row};

/// What comes of a statement.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It was done; there are no rows.
    Done,
    /// A result.
    Rows(Vec<Column>, Vec<Row>),
    /// ORA-…, at a byte of the SQL.
    Error(u32, &'static str, u16),
    /// A result that fails after its rows.
    Breaks(Vec<Column>, Vec<Row>, u32, &'static str),
    /// A result whose rows are awaited in vain.
    Hangs(Vec<Column>, Vec<Row>),
    /// A result in the middle of which the server dies.
    Dies(Vec<Column>, Vec<Row>),
    /// The answer comes late.
    Late(Duration, Box<Answer>),
}

impl Answer {
    /// The columns, if it has any.
    pub fn columns(&self) -> &[Column] {
        match self {
            Answer::Rows(columns, _) | Answer::Hangs(columns, _) | Answer::Dies(columns, _) => columns,
            Answer::Breaks(columns, ..) => columns,
            Answer::Late(_, answer) => answer.columns(),
            Answer::Done | Answer::Error(..) => &[],
        }
    }

    pub fn rows(&self) -> &[Row] {
        match self {
            Answer::Rows(_, rows) | Answer::Hangs(_, rows) | Answer::Dies(_, rows) | Answer::Breaks(_, rows, ..) => {
                rows
            }
            Answer::Late(_, answer) => answer.rows(),
            Answer::Done | Answer::Error(..) => &[],
        }
    }
}

/// A value of VARCHAR2.
pub fn text(value: &str) -> Option<Vec<u8>> {
    Some(value.as_bytes().to_vec())
}

/// A NUMBER of at most 18 digits.
pub fn number(value: i64) -> Option<Vec<u8>> {
    let mut digits = Vec::new();
    let mut rest = value.unsigned_abs();
    while rest > 0 {
        digits.insert(0, u8::try_from(rest % 100).unwrap());
        rest /= 100;
    }
    if digits.is_empty() {
        return Some(vec![0x80]);
    }
    let exponent = 192 + u8::try_from(digits.len()).unwrap();
    while digits.last() == Some(&0) {
        digits.pop();
    }
    let mut bytes = vec![if value < 0 { !exponent } else { exponent }];
    bytes.extend(digits.iter().map(|digit| if value < 0 { 101 - digit } else { digit + 1 }));
    if value < 0 {
        bytes.push(102);
    }
    Some(bytes)
}
