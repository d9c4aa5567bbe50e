//! The types of servers that are not PostgreSQL: binary where one sends PostgreSQL's own form, else text, which is
//! decoded here. PostgreSQL's own table is [`bowshot_postgres_values::Types`].

use arrow_schema::DataType;
use bowshot_core::{Casts, Error, ErrorKind, Result, format_type};
use bowshot_postgres_values::{Binary, Column, Decimal, Described, Native, Text, Types, scalar};
use postgres_types::Type;

use crate::family::Family;
use crate::written::Written;

/// A type with its decoder, and whether that reads text.
type Read = (Native, bool);

/// What turns a cousin's columns into columns.
pub(crate) struct CousinTypes<'a> {
    pub(crate) types: Types<'a>,
    pub(crate) family: Family,
}

impl CousinTypes<'_> {
    /// How a cousin's column is read: as the user wants it, else as its type says, else as text.
    pub(crate) fn column(&self, described: &Described, wanted: Option<&DataType>) -> Result<Column> {
        let builtin = Type::from_oid(described.oid);
        let name = builtin.as_ref().map_or_else(|| format!("type {}", described.oid), |known| known.name().to_owned());
        let own = builtin.as_ref().and_then(|known| self.own(known, described.modifier)).unwrap_or_else(text);
        // Nobody is asked which columns are NOT NULL.
        let column = |(native, text): Read| Column { text, ..Column::new(&described.name, native, name.clone(), true) };
        let Some(wanted) = wanted else { return Ok(column(own)) };
        let natural = own.0.data_type.clone();
        let is_text = matches!(wanted, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        if !is_text && !Casts::are_possible(&natural, wanted) {
            let (server, to) = (self.family.name(), format_type(wanted));
            let message = format!("column \"{}\" ({name}) of {server} cannot be read as {to}", described.name);
            let hint = Casts::why_impossible(&described.name, &natural, wanted);
            return Err(Error::new(ErrorKind::Config, message).with_column(&described.name).with_hint(
                hint.unwrap_or_else(|| "every column can be read as utf8, or be cast in the query".into()),
            ));
        }
        let is_numeric = builtin.as_ref() == Some(&Type::NUMERIC);
        let read = match Decimal::new(wanted).filter(|_| is_numeric && self.family.sends_binary(&Type::NUMERIC)) {
            Some(decimal) => (Native::new(wanted.clone(), decimal), false),
            None if natural == *wanted => own,
            // Numbers, too, as the server writes them, whatever its decimals hold.
            None if is_text || is_numeric => text(),
            None if natural == DataType::Utf8 && is_bytes(wanted) => (Native::new(DataType::Binary, Binary), true),
            None => own,
        };
        Ok(Column { wanted: Some(wanted.clone()), is_number: is_numeric, ..column(read) })
    }

    /// As PostgreSQL's type of this name is read; `None` for types that have no row in the table.
    fn own(&self, builtin: &Type, modifier: i32) -> Option<Read> {
        if *builtin == Type::FLOAT8_ARRAY && self.family.sends_binary(builtin) {
            return Some((self.types.list(Type::FLOAT8.oid(), -1, 1)?, false));
        }
        let known = scalar(builtin, modifier, self.types.infinity, None)?;
        if self.family.sends_binary(builtin) {
            return Some((known, false));
        }
        if known.data_type == DataType::Utf8 {
            return Some((Native { extension: known.extension, ..text().0 }, true));
        }
        let decoder = Written::new(&known.data_type, self.types.infinity)?;
        Some((Native::new(known.data_type, decoder), true))
    }
}

fn is_bytes(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// The server's text.
fn text() -> Read {
    (Native::new(DataType::Utf8, Text { skip: 0 }), true)
}
