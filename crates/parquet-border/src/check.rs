//! Whether what a caller handed over is Arrow data: its offsets, keys and texts.
//!
//! Arrow's import believes every one of them. An offset behind the end of its buffer would be read; bytes that are no text would make a
//! file that its readers refuse.

use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field};
use bowshot_core::{Error, ErrorKind, Result, format_type};

/// Refuses an array that is not what its type says, at any depth.
///
/// # Errors
/// Of kind [`Value`](ErrorKind::Value), with the column's name.
pub(crate) fn check(field: &Field, data: &ArrayData) -> Result<()> {
    whole(data).map_err(|error| invalid(field, &error))
}

fn whole(data: &ArrayData) -> std::result::Result<(), ArrowError> {
    data.validate()?;
    if let Some(nulls) = data.nulls() {
        let found = nulls.len() - nulls.inner().count_set_bits();
        if found != nulls.null_count() {
            let message = format!("it claims {} NULLs and has {found}", nulls.null_count());
            return Err(ArrowError::InvalidArgumentError(message));
        }
    }
    data.validate_values()?;
    data.child_data().iter().try_for_each(whole)
}

fn invalid(field: &Field, error: &ArrowError) -> Error {
    let reason = match error {
        ArrowError::InvalidArgumentError(reason) => reason.clone(),
        other => other.to_string(),
    };
    let (name, is_text) = (field.name(), reason.contains("UTF8") || reason.contains("UTF-8"));
    let data_type = format_type(field.data_type());
    let holds = if is_text { "bytes that are not UTF-8" } else { "what is no valid Arrow data" };
    let message = format!("column \"{name}\" ({data_type}) holds {holds}: {reason}");
    let hint = match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if is_text => {
            "write it as a binary column, or as UTF-8 texts"
        }
        _ if is_text => "write UTF-8 texts",
        _ => "the program that made the vector has to set its offsets and keys",
    };
    Error::new(ErrorKind::Value, message).with_column(name).with_hint(hint)
}
