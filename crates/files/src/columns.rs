//! One schema for all files.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Casts, Error, ErrorKind, Result, SOURCE_TYPE, format_type};

use crate::widen::wider;

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
                return Err(different(field, first, theirs, other).with_hint(
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

/// The columns that any file has, in the order in which they are met. They may be NULL where some file lacks them, and have the type that holds
/// all values of all files, or else the user's; columns that are not read need none.
pub(crate) fn union(
    files: &[(&str, &SchemaRef)],
    types: &BTreeMap<String, DataType>,
    is_read: &dyn Fn(&str) -> bool,
) -> Result<SchemaRef> {
    let alike = files.windows(2).all(|pair| matches!(pair, [(_, one), (_, other)] if one == other));
    // Of two columns of one name, nobody knows which is which in another file.
    if alike || files.iter().any(|(_, schema)| has_twins(schema)) {
        return merge(files);
    }
    let mut fields: Vec<Field> = Vec::new();
    // Of each name its place, the first file that has it, and how many have it.
    let mut known: HashMap<&str, (usize, &str, usize)> = HashMap::new();
    for (file, schema) in files {
        for theirs in schema.fields() {
            let (place, first, count) = known.entry(theirs.name()).or_insert((fields.len(), file, 0));
            *count += 1;
            match fields.get_mut(*place) {
                Some(field) if is_read(field.name()) => widen(field, first, theirs, file, types)?,
                Some(_) => {}
                None => fields.push(theirs.as_ref().clone()),
            }
        }
    }
    for field in &mut fields {
        if known.get(field.name().as_str()).is_none_or(|(_, _, count)| *count < files.len()) {
            field.set_nullable(true);
        }
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// Gives a column the type that it has in two files, or one that holds both.
fn widen(field: &mut Field, first: &str, theirs: &Field, file: &str, types: &BTreeMap<String, DataType>) -> Result<()> {
    if theirs.is_nullable() {
        field.set_nullable(true);
    }
    let (one, other) = (field.data_type(), theirs.data_type());
    if one.equals_datatype(other) {
        return Ok(());
    }
    let chosen = || {
        let chosen = types.get(field.name())?;
        (Casts::are_possible(one, chosen) && Casts::are_possible(other, chosen)).then(|| chosen.clone())
    };
    let Some(wide) = wider(one, other).or_else(chosen) else {
        let name = field.name();
        return Err(different(field, first, theirs, file)
            .with_hint(format!("no type holds all values of both; say which to read: types={{\"{name}\": …}}")));
    };
    if wide != *one {
        field.set_metadata([(SOURCE_TYPE.to_owned(), format_type(&wide))].into());
        field.set_data_type(wide);
    }
    Ok(())
}

fn has_twins(schema: &Schema) -> bool {
    let mut names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair.first() == pair.last())
}

fn different(ours: &Field, file: &str, theirs: &Field, other: &str) -> Error {
    let [one, two] = [ours, theirs].map(|field| format_type(field.data_type()));
    let name = ours.name();
    let message = format!("column \"{name}\" is {one} in {file} and {two} in {other}");
    Error::new(ErrorKind::Config, message).with_column(name)
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

    #[test]
    fn columns_of_all_files_are_put_together() {
        let schema = |fields: &[(&str, DataType)]| -> SchemaRef {
            Arc::new(Schema::new(
                fields.iter().map(|(name, of)| Field::new(*name, of.clone(), false)).collect::<Vec<_>>(),
            ))
        };
        let a = schema(&[("x", DataType::Int32), ("y", DataType::Utf8)]);
        let b = schema(&[("z", DataType::Date32), ("x", DataType::Int64)]);
        let none = BTreeMap::new();
        let found = union(&[("a", &a), ("b", &b)], &none, &|_| true).unwrap();
        let shown: Vec<_> =
            found.fields().iter().map(|of| (of.name().as_str(), of.data_type(), of.is_nullable())).collect();
        let expected = [("x", &DataType::Int64, false), ("y", &DataType::Utf8, true), ("z", &DataType::Date32, true)];
        assert_eq!(shown, expected);
        let c = schema(&[("x", DataType::Float64)]);
        let error = union(&[("a", &a), ("b", &b), ("c", &c)], &none, &|_| true).unwrap_err();
        assert_eq!(error.message(), "column \"x\" is int64 in a and float64 in c");
        assert!(union(&[("a", &a), ("b", &b), ("c", &c)], &none, &|name| name != "x").is_ok());
        let types = BTreeMap::from([("x".to_owned(), DataType::Float64)]);
        let found = union(&[("a", &a), ("b", &b), ("c", &c)], &types, &|_| true).unwrap();
        assert_eq!(found.field(0).data_type(), &DataType::Float64);
    }
}
