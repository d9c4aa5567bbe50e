//! The messages of Flight SQL that a reader needs, numbered as in `FlightSql.proto` and `Flight.proto`.

use std::collections::BTreeMap;

use bytes::Bytes;
use prost::Message;

/// What the names of Flight SQL's messages begin with.
const PREFIX: &str = "type.googleapis.com/arrow.flight.protocol.sql.";

/// `google.protobuf.Any`: a message and its name.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Any {
    #[prost(string, tag = "1")]
    pub(crate) type_url: String,
    #[prost(bytes = "bytes", tag = "2")]
    pub(crate) value: Bytes,
}

/// A message with a name.
pub(crate) trait Named: Message + Default {
    const NAME: &'static str;

    /// The message under its name, as commands and actions are sent.
    fn packed(&self) -> Bytes {
        let value = self.encode_to_vec().into();
        Any { type_url: format!("{PREFIX}{}", Self::NAME), value }.encode_to_vec().into()
    }

    /// The message under its name; `None` where it is another one.
    fn unpacked(bytes: Bytes) -> Option<Self> {
        let any = Any::decode(bytes).ok()?;
        let name = any.type_url.rsplit(['.', '/']).next()?;
        (name == Self::NAME).then(|| Self::decode(any.value).ok()).flatten()
    }
}

/// Runs a query.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CommandStatementQuery {
    #[prost(string, tag = "1")]
    pub(crate) query: String,
}

/// Asks what the server can do.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CommandGetSqlInfo {
    #[prost(uint32, repeated, tag = "1")]
    pub(crate) info: Vec<u32>,
}

/// Runs a statement without a result.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CommandStatementUpdate {
    #[prost(string, tag = "1")]
    pub(crate) query: String,
}

/// Runs a prepared query, or names it when its parameters are sent.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CommandPreparedStatementQuery {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) handle: Bytes,
}

/// Prepares a query.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ActionCreatePreparedStatementRequest {
    #[prost(string, tag = "1")]
    pub(crate) query: String,
}

/// A prepared query.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ActionCreatePreparedStatementResult {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) handle: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub(crate) dataset_schema: Bytes,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) parameter_schema: Bytes,
}

/// Forgets a prepared query.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ActionClosePreparedStatementRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) handle: Bytes,
}

/// What a server may answer to parameters: the name of the query that has them.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DoPutPreparedStatementResult {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(crate) handle: Option<Bytes>,
}

impl Named for CommandStatementQuery {
    const NAME: &'static str = "CommandStatementQuery";
}

impl Named for CommandGetSqlInfo {
    const NAME: &'static str = "CommandGetSqlInfo";
}

impl Named for CommandStatementUpdate {
    const NAME: &'static str = "CommandStatementUpdate";
}

impl Named for CommandPreparedStatementQuery {
    const NAME: &'static str = "CommandPreparedStatementQuery";
}

impl Named for ActionCreatePreparedStatementRequest {
    const NAME: &'static str = "ActionCreatePreparedStatementRequest";
}

impl Named for ActionCreatePreparedStatementResult {
    const NAME: &'static str = "ActionCreatePreparedStatementResult";
}

impl Named for ActionClosePreparedStatementRequest {
    const NAME: &'static str = "ActionClosePreparedStatementRequest";
}

/// Sets options of the server's session.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SetSessionOptionsRequest {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(crate) session_options: BTreeMap<String, SessionOptionValue>,
}

/// The value of an option, as text; servers turn it into what they need.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SessionOptionValue {
    #[prost(string, optional, tag = "1")]
    pub(crate) string_value: Option<String>,
}

/// Which options could not be set.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SetSessionOptionsResult {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(crate) errors: BTreeMap<String, SessionOptionError>,
}

/// Why an option could not be set.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SessionOptionError {
    #[prost(int32, tag = "1")]
    pub(crate) value: i32,
}

/// Ends the server's session.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CloseSessionRequest {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_their_name() {
        let packed = CommandStatementQuery { query: "SELECT 1".into() }.packed();
        assert_eq!(CommandStatementQuery::unpacked(packed.clone()).unwrap().query, "SELECT 1");
        assert!(CommandStatementUpdate::unpacked(packed).is_none());
        assert!(CommandStatementUpdate::unpacked(Bytes::from_static(b"\xff\xff")).is_none());
    }
}
