//! A column of a result: as the server describes it, and as it is read.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};
use bowshot_core::{Error, ErrorKind, Misfit, SOURCE_TYPE};

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
    /// The type that the user asks for, where what is read has to be turned into it.
    pub wanted: Option<DataType>,
    /// Its bytes are read in another way than its type says, which only Bowshot's own decoder can.
    pub decoded_here: bool,
    /// Its text is how the server writes a number.
    pub is_number: bool,
}

/// What the server does to a column before it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cast {
    /// Writes it as text with this function.
    Output(String),
    /// Writes the elements of an array as text.
    Texts,
}

impl Cast {
    /// The SQL for a column of this name, already quoted.
    pub fn sql(&self, column: &str) -> String {
        match self {
            Cast::Output(function) => format!("pg_catalog.textin({function}({column}))"),
            Cast::Texts => format!("{column}::pg_catalog.text[]"),
        }
    }
}

impl Column {
    /// A column of this name whose values come in their type's binary form, with the type's name in its metadata.
    pub fn new(name: &str, native: Native, type_name: String, nullable: bool) -> Self {
        let mut metadata = HashMap::from([(SOURCE_TYPE.to_owned(), type_name.clone())]);
        extend(&mut metadata, native.extension);
        let field = Field::new(name, native.data_type, nullable).with_metadata(metadata);
        let (cast, wanted) = (None, None);
        Column {
            field: Arc::new(field),
            decoder: native.decoder,
            cast,
            text: false,
            type_name,
            wanted,
            decoded_here: false,
            is_number: false,
        }
    }

    /// The error of a value that cannot be in the column.
    pub fn rejected(&self, reject: Reject) -> Error {
        let (name, type_name) = (self.field.name(), &self.type_name);
        match reject {
            Reject::Value { holds, way_out } => {
                let wanted = self.wanted.as_ref().unwrap_or_else(|| self.field.data_type());
                Misfit::new(name, type_name, wanted, holds).or_as(way_out).into()
            }
            Reject::Broken(what) => broken(&format!("column \"{name}\" ({type_name}): {what}")).with_column(name),
        }
    }
}

/// The error of a server whose answer to a query is not what the protocol allows.
pub fn broken(what: &str) -> Error {
    Error::new(ErrorKind::Protocol, format!("the server broke the protocol: {what}"))
}
