//! A column of a result: as the server describes it, and as it is read.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use bowshot_core::{Error, ErrorKind, SOURCE_TYPE, format_type};

use crate::decode::{Decode, Reject};
use crate::types::{Native, extend};

/// A column of the result, as the server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// The type's OID.
    pub oid: u32,
    /// The type modifier: length, precision and scale; -1 for none.
    pub modifier: i32,
    /// The table's OID and the column's number in it, for a plain column of a table.
    pub origin: Option<(u32, i16)>,
}

/// A column of the result, as it is read.
pub struct Column {
    /// Its Arrow field.
    pub field: FieldRef,
    /// Its decoder.
    pub decoder: Box<dyn Decode>,
    /// What the server does to it first.
    pub cast: Option<Cast>,
    /// It comes as the server's text, not in binary form.
    pub text: bool,
    /// The name of its PostgreSQL type.
    pub type_name: String,
}

/// What the server does to a column before it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cast {
    /// Writes it as text with this function.
    Output(String),
    /// Casts it to this type.
    To(&'static str),
}

impl Cast {
    /// The SQL for a column of this name, already quoted.
    pub fn sql(&self, column: &str) -> String {
        match self {
            Cast::Output(function) => format!("pg_catalog.textin({function}({column}))"),
            Cast::To(target) => format!("{column}::{target}"),
        }
    }
}

impl Column {
    /// A column of this name whose values come in their type's binary form, with the type's name in its metadata.
    pub fn new(name: &str, native: Native, type_name: String, nullable: bool) -> Self {
        let mut metadata = HashMap::from([(SOURCE_TYPE.to_owned(), type_name.clone())]);
        extend(&mut metadata, native.extension);
        let field = Field::new(name, native.data_type, nullable).with_metadata(metadata);
        Column { field: Arc::new(field), decoder: native.decoder, cast: None, text: false, type_name }
    }

    /// The error of a value that cannot be in the column.
    pub fn rejected(&self, reject: Reject) -> Error {
        let (name, type_name) = (self.field.name(), &self.type_name);
        match reject {
            Reject::Value { holds, way_out } => {
                let arrow = format_type(self.field.data_type());
                let message = format!("column \"{name}\" ({type_name}) holds {holds}, which {arrow} cannot");
                Error::new(ErrorKind::Value, message)
                    .with_hint(format!("read it as another type: types={{\"{name}\": \"{way_out}\"}}"))
            }
            Reject::Broken(what) => broken(&format!("column \"{name}\" ({type_name}): {what}")),
        }
        .with_column(name)
    }
}

/// The error of a server whose answer to a query is not what the protocol allows.
pub fn broken(what: &str) -> Error {
    Error::new(ErrorKind::Protocol, format!("the server broke the protocol: {what}"))
}
