//! One schema for all files.

use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result, format_type};

/// The columns that all files have, in the order of the first one; nullable where one file's column is.
pub(crate) fn merge(files: &[(&str, &SchemaRef)]) -> Result<SchemaRef> {
    let Some(((first, schema), rest)) = files.split_first() else { return Ok(Arc::new(Schema::empty())) };
    let mut fields: Vec<Field> = schema.fields().iter().map(|field| field.as_ref().clone()).collect();
    for (other, theirs) in rest {
        if Arc::ptr_eq(schema, theirs) {
            continue;
        }
        if let Some(extra) = theirs.fields().iter().find(|field| schema.index_of(field.name()).is_err()) {
            return Err(missing(extra.name(), first, other));
        }
        for field in &mut fields {
            let Ok(theirs) = theirs.field_with_name(field.name()) else {
                return Err(missing(field.name(), other, first));
            };
            if !field.data_type().equals_datatype(theirs.data_type()) {
                let [ours, theirs] = [field.data_type(), theirs.data_type()].map(format_type);
                let name = field.name();
                return Err(Error::new(
                    ErrorKind::Config,
                    format!("column \"{name}\" is {ours} in {first} and {theirs} in {other}"),
                )
                .with_column(name)
                .with_hint(
                    "read the files apart and put them together in the dataframe, or name only some: data/2024-*",
                ));
            }
            if theirs.is_nullable() {
                field.set_nullable(true);
            }
        }
        let names = |schema: &Schema| schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        let (ours, theirs) = (names(schema), names(theirs));
        let twice = ours.iter().any(|name| ours.iter().filter(|other| *other == name).count() > 1);
        if twice && ours != theirs {
            return Err(Error::new(
                ErrorKind::Config,
                format!("{first} and {other} order their columns differently, and two have the same name"),
            )
            .with_hint("read the files apart"));
        }
        if theirs.len() != ours.len() {
            return Err(Error::new(
                ErrorKind::Config,
                format!("{first} has {} columns and {other} has {}", ours.len(), theirs.len()),
            ));
        }
    }
    Ok(Arc::new(Schema::new(fields)))
}

fn missing(column: &str, file: &str, other: &str) -> Error {
    Error::new(ErrorKind::Config, format!("{file} has no column \"{column}\", which {other} has"))
        .with_column(column)
        .with_hint(
            "read the files apart and put them together in the dataframe, or name only those with the same columns",
        )
}

#[cfg(test)]
mod tests {
    use arrow_schema::DataType;

    use super::*;

    #[test]
    fn files_agree_or_are_named() {
        let schema = |fields: &[(&str, DataType, bool)]| -> SchemaRef {
            let field = |(name, of, null): &(&str, DataType, bool)| Field::new(*name, of.clone(), *null);
            Arc::new(Schema::new(fields.iter().map(field).collect::<Vec<_>>()))
        };
        let a = schema(&[("x", DataType::Int64, false), ("y", DataType::Utf8, false)]);
        let b = schema(&[("y", DataType::Utf8, true), ("x", DataType::Int64, false)]);
        let merged = merge(&[("a", &a), ("b", &b)]).unwrap();
        assert_eq!(merged.field(0).name(), "x");
        assert!(!merged.field(0).is_nullable() && merged.field(1).is_nullable());
        let c = schema(&[("x", DataType::Int32, false), ("y", DataType::Utf8, false)]);
        let error = merge(&[("a", &a), ("c", &c)]).unwrap_err();
        assert_eq!(error.message(), "column \"x\" is int64 in a and int32 in c");
        let d = schema(&[("x", DataType::Int64, false)]);
        assert_eq!(merge(&[("a", &a), ("d", &d)]).unwrap_err().message(), "d has no column \"y\", which a has");
        assert_eq!(merge(&[("d", &d), ("a", &a)]).unwrap_err().message(), "d has no column \"y\", which a has");
    }
}
