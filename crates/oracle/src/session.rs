//! A session: statements, and small results as text.

use bowshot_core::{Cancel, Error, ErrorKind, Result, Value};
use oracledb_protocol::ProtocolError;
use oracledb_protocol::thin::{
    BindValue, ClientCapabilities, ColumnMetadata, ExecuteOptions, QueryResult, QueryValue, TNS_FUNC_LOGOFF,
    build_close_cursors_piggyback, build_execute_payload_with_bind_rows_and_options_with_seq,
    build_fetch_payload_with_seq, build_function_payload_with_seq, parse_fetch_response_with_context_and_limits,
    parse_query_response_with_binds_options_columns_and_limits,
};
use oracledb_protocol::wire::ProtocolLimits;

use crate::error::{guarded, is_incomplete, protocol, unexpected};
use crate::wire::{MARKER, Wire};

/// What a response may hold: a value of a LOB is as long as Arrow's own offsets allow, a row of them longer.
pub(crate) const LIMITS: ProtocolLimits = ProtocolLimits {
    max_packet_bytes: 4 << 20,
    max_frame_bytes: 4 << 30,
    max_response_bytes: 4 << 30,
    max_lob_chunks: 100_000_000,
    ..ProtocolLimits::DEFAULT
};
/// Rows of small results that come with one answer.
const SMALL: u32 = 1000;
/// More rows are no small result.
const MOST_SMALL: usize = 200_000;

/// A session, logged in.
pub(crate) struct Session {
    pub(crate) wire: Wire,
    pub(crate) capabilities: ClientCapabilities,
    /// Whether the server marks where a response ends (23ai and later).
    pub(crate) marked: bool,
    sequence: u8,
    /// Cursors of the server that are told to close with the next request.
    closing: Vec<u32>,
    /// A response may be on its way that nobody reads.
    busy: bool,
}

/// What the server answered to a statement.
pub(crate) struct Executed {
    pub(crate) cursor: u32,
    /// Its description, where the server sent one.
    pub(crate) columns: Vec<ColumnMetadata>,
    /// Whether there may be rows to fetch.
    pub(crate) more: bool,
}

impl Session {
    pub(crate) fn new(wire: Wire, capabilities: ClientCapabilities, marked: bool) -> Self {
        // The login used the numbers up to 2.
        Session { wire, capabilities, marked, sequence: 2, closing: Vec::new(), busy: false }
    }

    /// Who asks the work to stop.
    pub(crate) fn cancel(&self) -> &Cancel {
        self.wire.cancel()
    }

    /// The number of the next request: from 1 to 255, and again from 1.
    pub(crate) fn next_number(&mut self) -> u8 {
        self.sequence = self.sequence.checked_add(1).unwrap_or(1);
        self.sequence
    }

    /// Runs a statement whose result, if any, does not matter.
    pub(crate) fn execute(&mut self, sql: &str) -> Result<()> {
        self.execute_with(sql, &[])
    }

    /// The same with parameters.
    pub(crate) fn execute_with(&mut self, sql: &str, values: &[Value]) -> Result<()> {
        let result = self.run(sql, values, is_query(sql), 1, ExecuteOptions::default())?;
        self.close_cursor(result.cursor_id);
        Ok(())
    }

    /// Asks what a query returns, without running it.
    pub(crate) fn describe(&mut self, sql: &str) -> Result<Vec<ColumnMetadata>> {
        let result = self.run(sql, &[], true, 0, ExecuteOptions::default().with_parse_only(true))?;
        self.close_cursor(result.cursor_id);
        Ok(result.columns)
    }

    /// Runs a query, whose rows are then fetched.
    pub(crate) fn open(&mut self, sql: &str, values: &[Value]) -> Result<Executed> {
        let result = self.run(sql, values, true, 1, ExecuteOptions::default().with_no_prefetch(true))?;
        if !result.rows.is_empty() {
            return Err(unexpected("rows that were not asked for"));
        }
        Ok(Executed { cursor: result.cursor_id, columns: result.columns, more: result.more_rows })
    }

    /// All rows of a small result, as text.
    pub(crate) fn rows(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Option<String>>>> {
        let mut result = self.run(sql, values, true, SMALL, ExecuteOptions::default())?;
        let (columns, cursor) = (std::mem::take(&mut result.columns), result.cursor_id);
        let mut rows = Vec::new();
        loop {
            let last = result.rows.last().cloned();
            rows.extend(
                result.rows.into_iter().map(|row| row.into_iter().map(|value| value.as_ref().map(text)).collect()),
            );
            if !result.more_rows {
                self.close_cursor(cursor);
                return Ok(rows);
            }
            if rows.len() > MOST_SMALL {
                return Err(Error::new(ErrorKind::Internal, "a question about the database has too many answers"));
            }
            let number = self.next_number();
            let request = build_fetch_payload_with_seq(cursor, SMALL, number, self.capabilities.ttc_field_version);
            let capabilities = self.capabilities;
            result = self.call(&request, sql, |body| {
                parse_fetch_response_with_context_and_limits(body, capabilities, &columns, last.as_deref(), LIMITS)
            })?;
        }
    }

    /// The only value of a result of one row and one column.
    pub(crate) fn value(&mut self, sql: &str) -> Result<Option<String>> {
        Ok(self.rows(sql, &[])?.into_iter().flatten().next().flatten())
    }

    /// Frees a cursor of the server, with the next request.
    pub(crate) fn close_cursor(&mut self, cursor: u32) {
        if cursor != 0 {
            self.closing.push(cursor);
        }
    }

    fn run(
        &mut self,
        sql: &str,
        values: &[Value],
        query: bool,
        rows: u32,
        options: ExecuteOptions,
    ) -> Result<QueryResult> {
        let binds: Vec<BindValue> = values.iter().map(bind).collect();
        let bind_rows = if binds.is_empty() { Vec::new() } else { vec![binds.clone()] };
        let capabilities = self.capabilities;
        let options = options.with_max_string_size(capabilities.max_string_size);
        let closing = self.close_cursors();
        let number = self.next_number();
        let request = build_execute_payload_with_bind_rows_and_options_with_seq(
            sql,
            rows,
            number,
            query,
            &bind_rows,
            options,
            capabilities.ttc_field_version,
        )
        .map_err(|error| protocol(error, None))?;
        let request = [closing, request].concat();
        self.call(&request, sql, |body| {
            parse_query_response_with_binds_options_columns_and_limits(body, capabilities, &binds, options, &[], LIMITS)
        })
    }

    /// What tells the server to close cursors, to be sent before a request.
    pub(crate) fn close_cursors(&mut self) -> Vec<u8> {
        if self.closing.is_empty() {
            return Vec::new();
        }
        let number = self.next_number();
        let closing = std::mem::take(&mut self.closing);
        build_close_cursors_piggyback(&closing, number, self.capabilities.ttc_field_version)
    }

    /// Sends a request; its response is on its way until [`Session::answered`].
    pub(crate) fn send(&mut self, request: &[u8]) -> Result<()> {
        self.busy = true;
        self.wire.send_data(request)
    }

    /// The response was read to its end.
    pub(crate) fn answered(&mut self) {
        self.busy = false;
    }

    fn call(
        &mut self,
        request: &[u8],
        sql: &str,
        parse: impl Fn(&[u8]) -> Result<QueryResult, ProtocolError>,
    ) -> Result<QueryResult> {
        self.send(request)?;
        let mut marked = self.marked;
        let mut body = Vec::new();
        loop {
            let head = self.wire.receive(&mut body)?;
            if head.kind == MARKER {
                // The server broke off; its reasons follow.
                self.wire.reset()?;
                body.clear();
                marked = false;
                continue;
            }
            if marked && !head.ends && !head.may_end {
                continue;
            }
            match guarded(|| parse(&body)) {
                // Servers that do not mark the end of a response end it with its status.
                Ok(result) if head.ends || result.txn_in_progress.is_some() => {
                    self.answered();
                    return Ok(result);
                }
                Ok(_) => {}
                Err(error) if !head.ends && is_incomplete(&error) => {}
                Err(error) => {
                    if matches!(error, ProtocolError::ServerErrorInfo(_) | ProtocolError::ServerError(_)) {
                        self.answered();
                    }
                    return Err(protocol(error, Some(sql)));
                }
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.wire.is_broken() {
            return;
        }
        if self.busy {
            // The server would go on and wait for somebody who reads.
            self.wire.break_off();
            return;
        }
        let number = self.next_number();
        let goodbye = build_function_payload_with_seq(TNS_FUNC_LOGOFF, number, self.capabilities.ttc_field_version);
        self.wire.hang_up_with(|wire| {
            wire.send_data(&goodbye)?;
            wire.receive(&mut Vec::new())?;
            wire.end_of_file()
        });
    }
}

/// A parameter in the protocol's form. Text is cast by the database, which was told to read dates in ISO form.
fn bind(value: &Value) -> BindValue {
    match value {
        Value::Null => BindValue::Null,
        // There were no truth values in SQL before 23ai.
        Value::Bool(value) => BindValue::Number(i32::from(*value).to_string()),
        Value::Int(value) => BindValue::Number(value.to_string()),
        Value::Float(value) => BindValue::BinaryDouble(*value),
        Value::Text(value) => BindValue::Text(value.clone()),
        Value::Bytes(value) => BindValue::Raw(value.clone()),
    }
}

fn text(value: &QueryValue) -> String {
    match value {
        QueryValue::Text(text) | QueryValue::Rowid(text) | QueryValue::BinaryDouble(text) => text.clone(),
        QueryValue::Number(number) => number.to_canonical_string(),
        other => format!("{other:?}"),
    }
}

/// Whether a statement returns rows.
fn is_query(sql: &str) -> bool {
    let word = sql.trim_start().trim_start_matches('(').trim_start();
    let word: String = word.chars().take_while(char::is_ascii_alphabetic).collect();
    word.eq_ignore_ascii_case("select") || word.eq_ignore_ascii_case("with")
}
