//! Columns from the names of folders: `year=2024/month=5/part.parquet`.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Date32Array, Int32Array, Int64Array, StringArray, new_null_array};
use arrow_ord::cmp::{eq, gt, gt_eq, lt, lt_eq};
use arrow_schema::{DataType, Field};
use bowshot_core::{Error, ErrorKind, Options, Result, SOURCE_TYPE, Test, parse::temporal};
use percent_encoding::percent_decode_str;

use crate::snapshot::File;

/// Hive's folder of the rows whose key is NULL.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The keys in the folders of a path that begins below the root of the read.
pub(crate) fn keys(path: &str) -> Vec<(String, Option<String>)> {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let key = |folder: &str| {
        let (name, value) = folder.split_once('=')?;
        let text = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        (!name.is_empty()).then(|| (text(name), (value != NULL).then(|| text(value))))
    };
    folders.split('/').filter_map(key).collect()
}

/// The columns of all files' keys: whole numbers where all are, dates where all are, else text.
pub(crate) fn fields(files: &[Arc<File>], options: &Options) -> Result<Vec<Field>> {
    let Some(first) = files.first() else { return Ok(Vec::new()) };
    let names = |file: &File| file.keys.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let wanted = names(first);
    if let Some(other) = files.iter().find(|file| names(file) != wanted) {
        return Err(Error::new(
            ErrorKind::Config,
            format!(
                "the folders of {} have the keys ({}), those of {} ({})",
                first.name,
                wanted.join(", "),
                other.name,
                names(other).join(", ")
            ),
        )
        .with_hint("name one of the folders, or add ?hive=false to the URI to leave the keys out"));
    }
    let is_whole: fn(&str) -> bool =
        if options.spark_keys { |value| value.parse::<i64>().is_ok() } else { |value| whole(value).is_some() };
    let field = |(place, name): (usize, String)| {
        let values = files.iter().filter_map(|file| file.keys.get(place)?.1.as_deref());
        let all = |fits: fn(&str) -> bool| values.clone().next().is_some() && values.clone().all(fits);
        // As a number, a text that the user asks for would lose its zeroes.
        let as_text =
            matches!(options.types.get(&name), Some(DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View));
        let data_type = if options.spark_keys && as_text {
            DataType::Utf8
        } else if options.spark_keys && all(|value| value.parse::<i32>().is_ok()) {
            DataType::Int32
        } else if all(is_whole) {
            DataType::Int64
        } else if all(|value| date(value).is_some()) {
            DataType::Date32
        } else {
            DataType::Utf8
        };
        let nullable = files.iter().any(|file| file.keys.get(place).is_none_or(|(_, value)| value.is_none()));
        Field::new(name, data_type, nullable).with_metadata([(SOURCE_TYPE.to_owned(), "folder".to_owned())].into())
    };
    Ok(wanted.into_iter().enumerate().map(field).collect())
}

/// The column of one file: the same value in every row.
pub(crate) fn column(value: Option<&str>, data_type: &DataType, rows: usize) -> ArrayRef {
    let Some(value) = value else { return new_null_array(data_type, rows) };
    match data_type {
        DataType::Int32 => Arc::new(Int32Array::from(vec![value.parse().ok(); rows])),
        DataType::Int64 => Arc::new(Int64Array::from(vec![value.parse().ok(); rows])),
        DataType::Date32 => Arc::new(Date32Array::from(vec![date(value); rows])),
        _ => Arc::new(StringArray::from_iter_values(std::iter::repeat_n(value, rows))),
    }
}

/// Whether a test holds for the value of a key; `None` where the value it compares with is of another type.
pub(crate) fn holds(value: Option<&str>, data_type: &DataType, test: &Test) -> Option<bool> {
    let compared = match test {
        Test::Null => return Some(value.is_none()),
        Test::NotNull => return Some(value.is_some()),
        Test::Equal(other)
        | Test::Less(other)
        | Test::LessOrEqual(other)
        | Test::Greater(other)
        | Test::GreaterOrEqual(other) => other,
    };
    let own = column(value, data_type, 1);
    if own.data_type() != compared.data_type() || compared.len() != 1 {
        return None;
    }
    let found = match test {
        Test::Equal(_) => eq(&own, compared),
        Test::Less(_) => lt(&own, compared),
        Test::LessOrEqual(_) => lt_eq(&own, compared),
        Test::Greater(_) => gt(&own, compared),
        _ => gt_eq(&own, compared),
    };
    let found = found.ok()?;
    // No comparison holds for NULL.
    Some(found.is_valid(0) && found.value(0))
}

/// A whole number as it would be written: `007` is text.
fn whole(value: &str) -> Option<i64> {
    let number: i64 = value.parse().ok()?;
    (number.to_string() == value).then_some(number)
}

fn date(value: &str) -> Option<i32> {
    temporal::date(value.as_bytes()).and_then(|days| i32::try_from(days).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_types() {
        let file = |path: &str| {
            let version = crate::snapshot::Version::Local { modified: None, number: None };
            Arc::new(File {
                name: path.into(),
                path: path.into(),
                below: path.into(),
                size: 0,
                version,
                keys: keys(path),
            })
        };
        let files = [file("y=2024/d=2024-05-01/m=01/f"), file("y=-1/d=2024-05-02/m=__HIVE_DEFAULT_PARTITION__/f")];
        let fields = fields(&files, &Options::default()).unwrap();
        let types: Vec<_> = fields.iter().map(|field| (field.data_type().clone(), field.is_nullable())).collect();
        assert_eq!(types, [(DataType::Int64, false), (DataType::Date32, false), (DataType::Utf8, true)]);
        assert_eq!(keys("a%20b=c%2Fd/f"), [("a b".to_owned(), Some("c/d".to_owned()))]);
        let spark = Options { spark_keys: true, ..Options::default() };
        let types = |options: &Options, path: &[&str]| -> Vec<DataType> {
            let files: Vec<_> = path.iter().map(|path| file(path)).collect();
            super::fields(&files, options).unwrap().iter().map(|field| field.data_type().clone()).collect()
        };
        let keys = ["m=01/n=2147483648/d=2024-05-01/x=1.5/f", "m=-12/n=__HIVE_DEFAULT_PARTITION__/d=2024-05-02/x=1/f"];
        assert_eq!(types(&spark, &keys), [DataType::Int32, DataType::Int64, DataType::Date32, DataType::Utf8]);
        let texts = Options { types: [("m".to_owned(), DataType::Utf8)].into(), ..spark };
        assert_eq!(types(&texts, &["m=01/f", "m=2/f"]), [DataType::Utf8]);
        assert_eq!(column(Some("01"), &DataType::Int32, 2).as_ref(), &Int32Array::from(vec![1, 1]) as &dyn Array);
        assert!(
            super::fields(&[file("y=1/f"), file("f")], &Options::default())
                .unwrap_err()
                .to_string()
                .contains("hive=false")
        );
    }
}
