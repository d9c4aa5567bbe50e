//! Statements with parameters and rows in binary form: prepare, execute, close.

use std::sync::Arc;

use bowshot_core::{Result, Value};

use crate::connect::{Session, command};
use crate::error::{ERR, from_packet_to};
use crate::packet::{Fields, put_length};
use crate::result::{self, Definition, Header};
use crate::uri::Protocol;

/// What starts the reading of one partition.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) protocol: Protocol,
    pub(crate) sql: String,
    /// None with the text protocol.
    pub(crate) values: Arc<[Value]>,
}

/// A statement that the server has prepared.
pub(crate) struct Handle {
    number: u32,
    /// What its result looks like; empty where it returns none, or where only its execution shows.
    pub(crate) columns: Vec<Definition>,
    parameters: usize,
}

impl Statement {
    /// Sends it; how its answer begins, and the prepared statement that has to be closed after the answer.
    pub(crate) fn start(&self, session: &mut Session) -> Result<(Header, Option<Handle>)> {
        match self.protocol {
            Protocol::Text => {
                session.command(command::QUERY, self.sql.as_bytes())?;
                Ok((result::header(session, &self.sql)?, None))
            }
            Protocol::Binary => {
                let handle = Handle::prepare(session, &self.sql)?;
                session.command(command::EXECUTE, &handle.execution(&self.values))?;
                Ok((result::header(session, &self.sql)?, Some(handle)))
            }
        }
    }
}

impl Handle {
    /// Lets the server prepare a statement, which is not run yet.
    pub(crate) fn prepare(session: &mut Session, sql: &str) -> Result<Handle> {
        session.command(command::PREPARE, sql.as_bytes())?;
        let body = session.receive()?;
        let mut fields = Fields(body);
        let read = |fields: &mut Fields<'_>| {
            let _ok = fields.u8()?;
            Some((fields.u32()?, fields.u16()?, fields.u16()?))
        };
        let (number, columns, parameters) = match body.first() {
            Some(&ERR) => {
                let error = from_packet_to(body, sql);
                session.idle();
                return Err(error);
            }
            Some(0) => read(&mut fields).ok_or_else(result::cut_off)?,
            _ => return Err(session.give_up("its answer to a statement to prepare is none")),
        };
        // The parameters' types are not known to it either.
        let parameters = result::definitions(session, usize::from(parameters))?.len();
        let columns = result::definitions(session, usize::from(columns))?;
        session.idle();
        Ok(Handle { number, columns, parameters })
    }

    /// Lets the server forget it.
    pub(crate) fn close(self, session: &mut Session) -> Result<()> {
        session.command(command::CLOSE, &self.number.to_le_bytes())?;
        // There is no answer.
        session.idle();
        Ok(())
    }

    /// The body of the command that runs it with these values.
    pub(crate) fn execution(&self, values: &[Value]) -> Vec<u8> {
        let mut body = self.number.to_le_bytes().to_vec();
        // No cursor: the rows come at once; and one execution.
        body.push(0);
        body.extend(1_u32.to_le_bytes());
        if self.parameters == 0 {
            return body;
        }
        let mut nulls = vec![0_u8; self.parameters.div_ceil(8)];
        let (mut types, mut data) = (Vec::new(), Vec::new());
        for place in 0..self.parameters {
            // The query's placeholders were counted before: there is a value for each.
            let value = values.get(place).unwrap_or(&Value::Null);
            if let (Value::Null, Some(byte)) = (value, nulls.get_mut(place / 8)) {
                *byte |= 1 << (place % 8);
            }
            types.extend([put(value, &mut data), 0]);
        }
        body.extend(nulls);
        // The types follow.
        body.push(1);
        body.extend(types);
        body.extend(data);
        body
    }
}

/// Appends a value in binary form; the number of its type.
fn put(value: &Value, out: &mut Vec<u8>) -> u8 {
    let mut text = |bytes: &[u8]| {
        put_length(out, bytes.len());
        out.extend_from_slice(bytes);
    };
    match value {
        Value::Null => 6,
        Value::Text(value) => {
            text(value.as_bytes());
            253
        }
        Value::Bytes(value) => {
            text(value);
            252
        }
        Value::Bool(value) => {
            out.push(u8::from(*value));
            1
        }
        Value::Int(value) => {
            out.extend(value.to_le_bytes());
            8
        }
        Value::Float(value) => {
            out.extend(value.to_le_bytes());
            5
        }
    }
}
