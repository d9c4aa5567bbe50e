//! What the driver and the database say of themselves.

use std::collections::HashSet;
use std::sync::Arc;

use adbc_core::options::{AdbcVersion, InfoCode};
use adbc_core::schemas::GET_INFO_SCHEMA;
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray, UInt32Array, UnionArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;
use bowshot_core::{Cancel, Error, ErrorKind, Options, Result};

use crate::objects::field_of;
use crate::target::Target;

/// The version of the Arrow library, with the letter that ADBC's drivers write before it.
const ARROW: &str = "v59";

enum Value {
    Text(String),
    Truth(bool),
    Number(i64),
}

/// Everything that is known, or the codes that are asked for; codes that nobody knows are left out.
pub(crate) fn info(target: &Target, codes: Option<&HashSet<InfoCode>>, cancel: &Cancel) -> Result<RecordBatch> {
    let wanted = |code: &InfoCode| codes.is_none_or(|codes| codes.is_empty() || codes.contains(code));
    let mut found: Vec<(InfoCode, Value)> = vec![
        (InfoCode::VendorName, Value::Text(target.catalog.vendor().to_owned())),
        (InfoCode::VendorSql, Value::Truth(true)),
        (InfoCode::VendorSubstrait, Value::Truth(false)),
        (InfoCode::DriverName, Value::Text("ADBC Driver for Bowshot".into())),
        (InfoCode::DriverVersion, Value::Text(env!("CARGO_PKG_VERSION").into())),
        (InfoCode::DriverArrowVersion, Value::Text(ARROW.into())),
        (InfoCode::DriverAdbcVersion, Value::Number(i32::from(AdbcVersion::V110).into())),
    ];
    found.retain(|(code, _)| wanted(code));
    if wanted(&InfoCode::VendorVersion)
        && let Some(version) = target.lister(Options::default()).version(cancel)?
    {
        found.push((InfoCode::VendorVersion, Value::Text(version)));
    }
    let codes = UInt32Array::from_iter_values(found.iter().map(|(code, _)| u32::from(code)));
    let values = values(&field_of(&GET_INFO_SCHEMA, "info_value")?, &found)?;
    Ok(RecordBatch::try_new(Arc::clone(&GET_INFO_SCHEMA), vec![Arc::new(codes), values])?)
}

fn values(kind: &DataType, found: &[(InfoCode, Value)]) -> Result<ArrayRef> {
    let DataType::Union(fields, _) = kind else {
        return Err(Error::new(ErrorKind::Internal, "ADBC's information has another shape; please report this"));
    };
    let (mut texts, mut truths, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ids, mut places) = (Vec::<i8>::new(), Vec::<i32>::new());
    for (_, value) in found {
        let (id, place) = match value {
            Value::Text(text) => (0, push(&mut texts, text.as_str())),
            Value::Truth(truth) => (1, push(&mut truths, *truth)),
            Value::Number(number) => (2, push(&mut numbers, *number)),
        };
        ids.push(id);
        places.push(place);
    }
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(texts)),
        Arc::new(BooleanArray::from(truths)),
        Arc::new(Int64Array::from(numbers)),
    ];
    let rest = fields.iter().skip(arrays.len()).map(|(_, field)| arrow_array::new_empty_array(field.data_type()));
    arrays.extend(rest.collect::<Vec<_>>());
    let places = Some(ScalarBuffer::from(places));
    let union = UnionArray::try_new(fields.clone(), ScalarBuffer::from(ids), places, arrays)?;
    debug_assert_eq!(union.len(), found.len());
    Ok(Arc::new(union))
}

/// Where the value stands now among its kind: there are but a few.
fn push<T>(all: &mut Vec<T>, value: T) -> i32 {
    all.push(value);
    i32::try_from(all.len() - 1).unwrap_or_default()
}
