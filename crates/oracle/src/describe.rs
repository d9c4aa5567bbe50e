//! What a query returns: its schema, and how its columns come over the wire.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Casts, Error, ErrorKind, Result, SOURCE_TYPE};
use bowshot_sql::{Dialect, quote_identifier};
use oracledb_protocol::thin::ColumnMetadata;

use crate::cursor::Layout;
use crate::decode::{Column, Decoder};
use crate::rows::Framing;
use crate::session::Session;
use crate::types::{Choice, Reading, choose, define, name};

/// What a query returns and how it is read.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) layout: Layout,
    /// Before the user's choice of types.
    schema: SchemaRef,
    /// What is left of that choice.
    pub(crate) casts: Casts,
    decoders: Vec<Decoder>,
    /// What the server is asked in the query's place, where it has to turn columns into text.
    list: Option<String>,
}

impl Description {
    /// Asks the server what a query returns.
    pub(crate) fn ask(session: &mut Session, sql: &str, types: &BTreeMap<String, DataType>) -> Result<Self> {
        let columns = session.describe(sql)?;
        let sources: Vec<String> = columns.iter().map(name).collect();
        let Some(list) = list(&columns)? else { return Self::new(columns, sources, types, None) };
        let columns = session.describe(&around(&list, sql))?;
        Self::new(columns, sources, types, Some(list))
    }

    /// What is described so; `sources` are the types that the query's own columns have.
    fn new(
        columns: Vec<ColumnMetadata>,
        sources: Vec<String>,
        types: &BTreeMap<String, DataType>,
        list: Option<String>,
    ) -> Result<Self> {
        let mut fields = Vec::with_capacity(columns.len());
        let (mut decoders, mut framings, mut defined) = (Vec::new(), Vec::new(), Vec::new());
        let mut differs = false;
        for (column, source) in columns.iter().zip(sources) {
            let Reading { data_type, decoder, framing, sent_as } = match choose(column, types.get(column.name())) {
                Choice::Read(reading) => reading,
                Choice::Refused(what, way) => return Err(unreadable(column, what, way)),
                Choice::Cast(_) => return Err(unreadable(column, "cannot be made text", "cast it in the query")),
            };
            let sent = define(column, sent_as);
            differs |= sent != *column;
            defined.push(sent);
            decoders.push(decoder);
            // What is NULL by its description is not sent at all.
            let nothing = column.buffer_size() == 0 && framing == Framing::Bytes;
            framings.push(if nothing { Framing::Nothing } else { framing });
            // Whether a column of a table is NOT NULL says little on a result; no server has confirmed more.
            let metadata = [(SOURCE_TYPE.to_owned(), source)].into();
            fields.push(Field::new(column.name(), data_type, true).with_metadata(metadata));
        }
        let schema = Arc::new(Schema::new(fields));
        let casts = Casts::new(&schema, types)?;
        let layout = Layout { described: columns, defined: differs.then_some(defined), framings };
        Ok(Description { layout, schema, casts, decoders, list })
    }

    /// The SQL that reads the query or a part of it.
    pub(crate) fn reading(&self, sql: &str) -> String {
        match &self.list {
            None => sql.to_owned(),
            Some(list) => around(list, sql),
        }
    }

    /// The schema of the batches before the user's choice of types.
    pub(crate) fn read_schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The schema that the user sees.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.casts.schema()
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// Columns that are to be filled.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let decoders = self.decoders.iter().copied();
        let column = |(field, decoder): (&Arc<Field>, Decoder)| {
            let source = field.metadata().get(SOURCE_TYPE).map_or("", String::as_str);
            Column::new(field.name(), source, field.data_type(), decoder)
        };
        self.schema.fields().iter().zip(decoders).map(column).collect()
    }
}

/// What the server selects from the query where it has to turn columns into text; `None` where it need not.
fn list(columns: &[ColumnMetadata]) -> Result<Option<String>> {
    let mut casts = false;
    let mut names = BTreeSet::new();
    let mut list = Vec::with_capacity(columns.len());
    for column in columns {
        let quoted = quote_identifier(column.name(), Dialect::Oracle);
        match choose(column, None) {
            Choice::Read(_) => list.push(quoted),
            Choice::Cast(function) => {
                casts = true;
                list.push(format!("{} AS {quoted}", function.replace("{}", &quoted)));
            }
            Choice::Refused(what, way) => return Err(unreadable(column, what, way)),
        }
    }
    if !casts {
        return Ok(None);
    }
    for column in columns {
        if !names.insert(column.name()) || column.name().contains('"') {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "two columns are called \"{}\", and the server has to turn one of this result into text",
                    column.name()
                ),
            )
            .with_column(column.name())
            .with_hint("give each a name of its own: … AS other_name"));
        }
    }
    Ok(Some(list.join(", ")))
}

fn around(list: &str, sql: &str) -> String {
    // The line's end closes a comment that the query may end with.
    format!("SELECT {list} FROM ({sql}\n)")
}

fn unreadable(column: &ColumnMetadata, what: &str, way: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("column \"{}\" ({}) {what}", column.name(), name(column)))
        .with_column(column.name())
        .with_hint(way)
}

#[cfg(test)]
mod tests {
    use oracledb_protocol::thin::{
        ORA_TYPE_NUM_CLOB, ORA_TYPE_NUM_JSON, ORA_TYPE_NUM_NUMBER, ORA_TYPE_NUM_OBJECT, ORA_TYPE_NUM_VARCHAR,
    };

    use super::*;

    fn column(name: &str, kind: u8) -> ColumnMetadata {
        ColumnMetadata::new(name, kind).with_csfrm(1).with_buffer_size(10)
    }

    #[test]
    fn the_server_makes_text_of_what_has_none() {
        let columns = [column("ID", ORA_TYPE_NUM_NUMBER), column("doc", ORA_TYPE_NUM_JSON)];
        let list = list(&columns).unwrap().unwrap();
        assert_eq!(
            around(&list, "SELECT id, doc FROM t -- all"),
            "SELECT \"ID\", JSON_SERIALIZE(\"doc\" RETURNING CLOB) AS \"doc\" FROM (SELECT id, doc FROM t -- all\n)",
        );
        assert_eq!(super::list(&columns[..1]).unwrap(), None);
        let twice = [column("A", ORA_TYPE_NUM_NUMBER), column("A", ORA_TYPE_NUM_JSON)];
        assert_eq!(super::list(&twice).unwrap_err().kind(), ErrorKind::Unsupported);
        let error = super::list(&[column("ADDR", ORA_TYPE_NUM_OBJECT)]).unwrap_err();
        assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("ADDR")));
    }

    #[test]
    fn lobs_are_asked_for_as_their_content() {
        let columns = vec![
            column("A", ORA_TYPE_NUM_VARCHAR),
            column("B", ORA_TYPE_NUM_CLOB),
            column("N", ORA_TYPE_NUM_VARCHAR).with_buffer_size(0),
        ];
        let sources = columns.iter().map(name).collect();
        let description = Description::new(columns, sources, &BTreeMap::new(), None).unwrap();
        assert_eq!(description.layout.framings, [Framing::Bytes, Framing::Long, Framing::Nothing]);
        assert!(description.layout.defined.is_some());
        assert_eq!(description.names(), ["A", "B", "N"]);
        assert_eq!(description.schema().field(1).metadata()[SOURCE_TYPE], "CLOB");
    }

    #[test]
    fn the_users_types_are_honoured_or_refused() {
        let describe = |types: &[(&str, DataType)]| {
            let columns = vec![column("A", ORA_TYPE_NUM_NUMBER), column("B", ORA_TYPE_NUM_VARCHAR)];
            let sources = columns.iter().map(name).collect();
            let types = types.iter().map(|(name, data_type)| ((*name).to_owned(), data_type.clone())).collect();
            Description::new(columns, sources, &types, None)
        };
        let description = describe(&[("A", DataType::Utf8), ("B", DataType::Int32)]).unwrap();
        assert_eq!(description.read_schema().field(0).data_type(), &DataType::Utf8);
        assert_eq!(description.read_schema().field(1).data_type(), &DataType::Utf8);
        assert_eq!(description.schema().field(1).data_type(), &DataType::Int32);
        assert_eq!(describe(&[("C", DataType::Int32)]).unwrap_err().kind(), ErrorKind::Config);
    }
}
