//! The types of servers that are not PostgreSQL: binary where one sends PostgreSQL's own form, else text, which is
//! decoded here. PostgreSQL's own table is [`bowshot_postgres_values::Types`].

use arrow_schema::{DataType, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result, format_type};
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
        let (native, text) = match wanted {
            None => own,
            Some(wanted) if own.0.data_type == *wanted => own,
            Some(wanted) => self.wish(builtin.as_ref(), &own.0.data_type, wanted).ok_or_else(|| {
                let message = format!(
                    "column \"{}\" ({name}) of {} cannot be read as {}",
                    described.name,
                    self.family.name(),
                    format_type(wanted)
                );
                Error::new(ErrorKind::Config, message)
                    .with_column(&described.name)
                    .with_hint("every column can be read as utf8, or be cast in the query")
            })?,
        };
        // Nobody is asked which columns are NOT NULL.
        let column = Column::new(&described.name, native, name, true);
        Ok(Column { text, ..column })
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

    /// As the user wishes; `None` where nothing here can do that.
    fn wish(&self, builtin: Option<&Type>, own: &DataType, wanted: &DataType) -> Option<Read> {
        let is = |known: Type| builtin == Some(&known);
        match wanted {
            DataType::Utf8 => Some(text()),
            DataType::Binary if *own == DataType::Utf8 => Some((Native::new(DataType::Binary, Binary), true)),
            DataType::Decimal128(..) | DataType::Decimal256(..)
                if is(Type::NUMERIC) && self.family.sends_binary(&Type::NUMERIC) =>
            {
                Some((Native::new(wanted.clone(), Decimal::new(wanted)?), false))
            }
            DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) if is(Type::TIMESTAMP) => {
                // QuestDB's are in UTC, whatever the session's zone. Others would depend on that.
                let utc = self.family == Family::QuestDb && zone.as_ref() == "UTC";
                utc.then(|| scalar(&Type::TIMESTAMPTZ, -1, self.types.infinity, None))?.map(|native| (native, false))
            }
            _ => Some((Native::new(wanted.clone(), Written::new(wanted, self.types.infinity)?), true)),
        }
    }
}

/// The server's text.
fn text() -> Read {
    (Native::new(DataType::Utf8, Text { skip: 0 }), true)
}
