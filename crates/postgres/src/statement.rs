//! The messages that start a partition, for each protocol.

use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Impossible, Options, Result, Value};
use bytes::{BufMut, BytesMut};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;

use crate::extension::LOAD;

/// How rows come from the server. All but the first carry fields in the same binary form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// `COPY (query) TO STDOUT (FORMAT arrow)`: the server's bowshot extension sends batches, without parameters.
    Arrow,
    /// `COPY (SELECT bowshot.fetch(…)) TO STDOUT (FORMAT arrow)`: the same of a part of what the extension deals.
    Dealt,
    /// `COPY (query) TO STDOUT (FORMAT binary)`: the fastest that every server has, without parameters.
    Copy,
    /// Parse, Bind, Execute with binary results: parameters, poolers, servers without COPY.
    Extended,
    /// The same, some rows at a time, so that the server never runs ahead.
    Cursor,
}

impl Protocol {
    /// The protocol of this name, ours or ConnectorX's. The values read are the same over each of them.
    pub(crate) fn parse(name: &str) -> Result<Self> {
        match name {
            "arrow" => Ok(Protocol::Arrow),
            "copy" | "binary" | "csv" => Ok(Protocol::Copy),
            "extended" | "simple" | "text" => Ok(Protocol::Extended),
            "cursor" => Ok(Protocol::Cursor),
            _ => Err(Error::new(ErrorKind::Config, format!("PostgreSQL has no protocol \"{name}\""))
                .with_hint("protocol is \"arrow\", \"copy\", \"extended\" or \"cursor\"")),
        }
    }

    /// Whether Bowshot's own decoders make the columns: then a column has the type that was proven of it from the start.
    pub(crate) fn decodes_here(self) -> bool {
        !matches!(self, Protocol::Arrow | Protocol::Dealt)
    }

    /// The tag of messages that hold rows.
    pub(crate) fn row_tag(self) -> u8 {
        match self {
            Protocol::Arrow | Protocol::Dealt | Protocol::Copy => b'd',
            Protocol::Extended | Protocol::Cursor => b'D',
        }
    }
}

/// How large the extension's batches are for a consumer that keeps them all.
const KEPT_BATCH_BYTES: usize = 2 << 20;

/// The largest batch that the extension makes.
const MOST_BATCH_BYTES: usize = 512 << 20;

/// What one partition asks of the server.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) protocol: Protocol,
    pub(crate) sql: String,
    pub(crate) params: Arc<[Value]>,
    /// Whether each column comes as binary; otherwise as the server's text. Not for COPY.
    pub(crate) binary: Vec<bool>,
}

impl Statement {
    /// The messages that run it.
    pub(crate) fn start(&self, options: &Options, cursor_rows: i32) -> Result<BytesMut> {
        let mut messages = BytesMut::new();
        match self.protocol {
            Protocol::Arrow => {
                let (bytes, infinity) = for_extension(options);
                let sql = format!(
                    "{LOAD}; COPY ({}\n) TO STDOUT (FORMAT arrow, batch_bytes {bytes}, infinity '{infinity}')",
                    self.sql
                );
                frontend::query(&sql, &mut messages).map_err(unsendable)?;
            }
            Protocol::Dealt => {
                let sql = format!("{LOAD}; COPY ({}) TO STDOUT (FORMAT arrow)", self.sql);
                frontend::query(&sql, &mut messages).map_err(unsendable)?;
            }
            Protocol::Copy => {
                // The line break ends a comment at the end of the query.
                let sql = format!("COPY ({}\n) TO STDOUT (FORMAT binary)", self.sql);
                frontend::query(&sql, &mut messages).map_err(unsendable)?;
            }
            Protocol::Extended => self.bind(0, &mut messages)?,
            Protocol::Cursor => self.bind(cursor_rows, &mut messages)?,
        }
        Ok(messages)
    }

    /// The messages that ask a cursor for more rows.
    pub(crate) fn resume(&self, cursor_rows: i32) -> Result<BytesMut> {
        let mut messages = BytesMut::new();
        frontend::execute("", cursor_rows, &mut messages).map_err(unsendable)?;
        frontend::sync(&mut messages);
        Ok(messages)
    }

    fn bind(&self, most_rows: i32, messages: &mut BytesMut) -> Result<()> {
        frontend::parse("", &self.sql, std::iter::empty(), messages).map_err(unsendable)?;
        bind_values(&self.params, &self.binary, messages)?;
        frontend::execute("", most_rows, messages).map_err(unsendable)?;
        frontend::sync(messages);
        Ok(())
    }
}

/// Appends the message that gives the unnamed statement its parameters; `binary` says which columns come as binary.
pub(crate) fn bind_values(values: &[Value], binary: &[bool], messages: &mut BytesMut) -> Result<()> {
    let parameter_formats = values.iter().map(|value| i16::from(matches!(value, Value::Bytes(_))));
    let result_formats = binary.iter().map(|&binary| i16::from(binary));
    frontend::bind("", "", parameter_formats, values.iter(), write_value, result_formats, messages).map_err(|error| {
        match error {
            frontend::BindError::Conversion(error) => {
                Error::new(ErrorKind::Config, format!("a parameter cannot be sent: {error}"))
            }
            frontend::BindError::Serialization(error) => unsendable(error),
        }
    })
}

/// The extension's settings for these options: the bytes of a batch, and what infinite dates and timestamps are.
pub(crate) fn for_extension(options: &Options) -> (usize, &'static str) {
    let infinity = match options.infinity {
        Impossible::Error => "error",
        Impossible::Null => "null",
    };
    (options.batch_bytes_or(KEPT_BATCH_BYTES).clamp(1, MOST_BATCH_BYTES), infinity)
}

/// A parameter as text, which the server reads as the type that the query needs; bytes as they are.
fn write_value(
    value: &Value,
    to: &mut BytesMut,
) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
    match value {
        Value::Null => return Ok(IsNull::Yes),
        Value::Bool(value) => to.put_slice(if *value { b"t" } else { b"f" }),
        Value::Int(value) => to.put_slice(value.to_string().as_bytes()),
        // PostgreSQL's own spelling; Rust's shortest form is exact.
        Value::Float(value) if value.is_nan() => to.put_slice(b"NaN"),
        Value::Float(value) if value.is_infinite() => {
            to.put_slice(if *value > 0.0 { b"Infinity" } else { b"-Infinity" });
        }
        Value::Float(value) => to.put_slice(format!("{value:e}").as_bytes()),
        Value::Text(value) => to.put_slice(value.as_bytes()),
        Value::Bytes(value) => to.put_slice(value),
    }
    Ok(IsNull::No)
}

pub(crate) fn unsendable(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Config, format!("the query cannot be sent: {error}")).with_source(error)
}
