//! Whether results that follow each other have the same columns.

use arrow_schema::Schema;

use crate::{Error, ErrorKind, Result, format_type};

/// An error of kind [`Config`](ErrorKind::Config) where query `number` of a list (counted from 1) has other columns than
/// the first one: other names, other types, or more or fewer of them. Whether they may be NULL does not matter.
pub fn same_columns(first: &Schema, other: &Schema, number: usize) -> Result<()> {
    let wrong = |what: String| {
        Error::new(ErrorKind::Config, format!("query {number} of the list differs from the first one: {what}"))
            .with_hint("queries of a list need the same names and types of columns; cast them in the queries")
    };
    let (count, wanted) = (other.fields().len(), first.fields().len());
    if count != wanted {
        return Err(wrong(format!("it has {count} columns, not {wanted}")));
    }
    for (ours, theirs) in first.fields().iter().zip(other.fields()) {
        let name = ours.name();
        if name != theirs.name() {
            return Err(wrong(format!("a column is \"{}\", not \"{name}\"", theirs.name())).with_column(name));
        }
        if ours.data_type() != theirs.data_type() {
            let [ours, theirs] = [ours, theirs].map(|field| format_type(field.data_type()));
            return Err(wrong(format!("column \"{name}\" is {theirs}, not {ours}")).with_column(name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, Field};

    use super::*;

    #[test]
    fn what_differs_is_named() {
        let schema = |fields: &[(&str, DataType)]| {
            Schema::new(fields.iter().map(|(name, of)| Field::new(*name, of.clone(), true)).collect::<Vec<_>>())
        };
        let first = schema(&[("a", DataType::Int64), ("b", DataType::Utf8)]);
        assert!(same_columns(&first, &first, 2).is_ok());
        for (other, words) in [
            (
                schema(&[("a", DataType::Int64)]),
                "query 2 of the list differs from the first one: it has 1 columns, not 2",
            ),
            (schema(&[("a", DataType::Int64), ("c", DataType::Utf8)]), "a column is \"c\", not \"b\""),
            (schema(&[("a", DataType::Int32), ("b", DataType::Utf8)]), "column \"a\" is int32, not int64"),
        ] {
            let error = same_columns(&first, &other, 2).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.message().contains(words), "{error}");
        }
    }
}
