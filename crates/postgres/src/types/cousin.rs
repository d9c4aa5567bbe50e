//! The columns of a server that is not PostgreSQL: binary where it sends PostgreSQL's own form, else text, which is
//! decoded here.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result, SOURCE_TYPE, format_type};
use postgres_types::Type;

use super::{Column, Described, Native, Types, extend, native, scalar};
use crate::decode::{Binary, Decimal, Text, Written};
use crate::family::Family;

/// A type with its decoder, and whether that reads text.
type Read = (Native, bool);

impl Types<'_> {
    /// How a cousin's column is read: as the user wants it, else as its type says, else as text.
    pub(crate) fn column_of(&self, family: Family, described: &Described, wanted: Option<&DataType>) -> Result<Column> {
        let builtin = Type::from_oid(described.oid);
        let name = builtin.as_ref().map_or_else(|| format!("type {}", described.oid), |known| known.name().to_owned());
        let own = builtin.as_ref().and_then(|known| self.own(family, known, described.modifier)).unwrap_or_else(text);
        let (native, text) = match wanted {
            None => own,
            Some(wanted) if own.0.data_type == *wanted => own,
            Some(wanted) => self.wish(family, builtin.as_ref(), &own.0.data_type, wanted).ok_or_else(|| {
                let message = format!(
                    "column \"{}\" ({name}) of {} cannot be read as {}",
                    described.name,
                    family.name(),
                    format_type(wanted)
                );
                Error::new(ErrorKind::Config, message)
                    .with_column(&described.name)
                    .with_hint("every column can be read as utf8, or be cast in the query")
            })?,
        };
        let mut metadata = HashMap::from([(SOURCE_TYPE.to_owned(), name.clone())]);
        extend(&mut metadata, native.extension);
        // Nobody is asked which columns are NOT NULL.
        let field = Field::new(&described.name, native.data_type, true).with_metadata(metadata);
        Ok(Column { field: Arc::new(field), decoder: native.decoder, cast: None, text, type_name: name })
    }

    /// As PostgreSQL's type of this name is read; `None` for types that have no row in the table.
    fn own(&self, family: Family, builtin: &Type, modifier: i32) -> Option<Read> {
        if *builtin == Type::FLOAT8_ARRAY && family.sends_binary(builtin) {
            return Some((self.list(Type::FLOAT8.oid(), -1, 1)?, false));
        }
        let known = scalar(builtin, modifier, self.infinity, None)?;
        if family.sends_binary(builtin) {
            return Some((known, false));
        }
        if known.data_type == DataType::Utf8 {
            return Some((Native { extension: known.extension, ..text().0 }, true));
        }
        let decoder = Written::new(&known.data_type, self.infinity)?;
        Some((native(known.data_type, decoder), true))
    }

    /// As the user wishes; `None` where nothing here can do that.
    fn wish(&self, family: Family, builtin: Option<&Type>, own: &DataType, wanted: &DataType) -> Option<Read> {
        let is = |known: Type| builtin == Some(&known);
        match wanted {
            DataType::Utf8 => Some(text()),
            DataType::Binary if *own == DataType::Utf8 => Some((native(DataType::Binary, Binary), true)),
            DataType::Decimal128(..) | DataType::Decimal256(..)
                if is(Type::NUMERIC) && family.sends_binary(&Type::NUMERIC) =>
            {
                Some((native(wanted.clone(), Decimal::new(wanted)?), false))
            }
            DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) if is(Type::TIMESTAMP) => {
                // QuestDB's are in UTC, whatever the session's zone. Others would depend on that.
                let utc = family == Family::QuestDb && zone.as_ref() == "UTC";
                utc.then(|| scalar(&Type::TIMESTAMPTZ, -1, self.infinity, None))?.map(|native| (native, false))
            }
            _ => Some((native(wanted.clone(), Written::new(wanted, self.infinity)?), true)),
        }
    }
}

/// The server's text.
fn text() -> Read {
    (native(DataType::Utf8, Text { skip: 0 }), true)
}
