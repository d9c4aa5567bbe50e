//! Whether what a driver returned is Arrow data.
//!
//! Arrow's import believes every offset, key and byte. A string with bytes that are no text would then be passed on, and
//! break whoever reads it; an offset behind the end of its buffer would be worse.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use bowshot_core::{Error, ErrorKind, Result, format_type};

/// An error that names the first column that is not what its type says.
pub(crate) fn check(batch: &RecordBatch) -> Result<()> {
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let valid = column.to_data().validate_full().and_then(|()| digits(column));
        if let Err(error) = valid {
            return Err(invalid(field.name(), field.data_type(), &error));
        }
    }
    Ok(())
}

/// Whether decimals have no more digits than their type.
fn digits(column: &ArrayRef) -> Result<(), ArrowError> {
    match column.data_type() {
        DataType::Decimal32(precision, _) => {
            column.as_primitive::<Decimal32Type>().validate_decimal_precision(*precision)
        }
        DataType::Decimal64(precision, _) => {
            column.as_primitive::<Decimal64Type>().validate_decimal_precision(*precision)
        }
        DataType::Decimal128(precision, _) => {
            column.as_primitive::<Decimal128Type>().validate_decimal_precision(*precision)
        }
        DataType::Decimal256(precision, _) => {
            column.as_primitive::<Decimal256Type>().validate_decimal_precision(*precision)
        }
        _ => Ok(()),
    }
}

fn invalid(name: &str, data_type: &DataType, error: &ArrowError) -> Error {
    let reason = match error {
        ArrowError::InvalidArgumentError(reason) => reason.clone(),
        other => other.to_string(),
    };
    let is_text = matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let message = if is_text && reason.contains("UTF") {
        format!("column \"{name}\" holds bytes that are not UTF-8, which the driver passes on as text: {reason}")
    } else {
        let data_type = format_type(data_type);
        format!("column \"{name}\" ({data_type}) holds what the driver should not have sent: {reason}")
    };
    let hint = match data_type {
        DataType::Decimal128(..) | DataType::Decimal256(..) => "cast it to text in the query",
        _ if is_text => "cast it to a binary type in the query",
        _ => "another version of the driver may do better",
    };
    Error::new(ErrorKind::Value, message).with_column(name).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Decimal128Array, ListArray, StringArray, make_array};
    use arrow_buffer::{Buffer, OffsetBuffer};
    use arrow_schema::{Field, Schema};

    use super::*;

    fn verdict(column: ArrayRef) -> Result<()> {
        let schema = Schema::new(vec![Field::new("c", column.data_type().clone(), true)]);
        check(&RecordBatch::try_new(Arc::new(schema), vec![column]).unwrap())
    }

    /// Text that is none, as a driver may send it.
    fn broken_text() -> ArrayRef {
        let data = StringArray::from(vec!["ab", "cd"]).into_data().into_builder();
        let data = data.buffers(vec![Buffer::from_vec(vec![0_i32, 2, 4]), Buffer::from(b"ab\xff\xfe".as_slice())]);
        // SAFETY: the tests look at the array through `check` alone, which believes nothing.
        #[expect(unsafe_code, reason = "Arrow has no safe way to make what is invalid")]
        make_array(unsafe { data.build_unchecked() })
    }

    #[test]
    fn bytes_that_are_no_text_are_found_wherever_they_are() {
        let error = verdict(broken_text()).unwrap_err();
        assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("c")));
        assert!(error.message().contains("not UTF-8"), "{error}");
        let item = Arc::new(Field::new("item", DataType::Utf8, true));
        let list = ListArray::new(item, OffsetBuffer::new(vec![0, 2].into()), broken_text(), None);
        assert_eq!(verdict(Arc::new(list)).unwrap_err().kind(), ErrorKind::Value);
        assert!(verdict(Arc::new(StringArray::from(vec!["ünï"]))).is_ok());
    }

    #[test]
    fn decimals_have_no_more_digits_than_their_type() {
        let decimal = |value: i128| Decimal128Array::from(vec![value]).with_precision_and_scale(3, 1).unwrap();
        assert!(verdict(Arc::new(decimal(999))).is_ok());
        assert!(verdict(Arc::new(decimal(-1000))).unwrap_err().to_string().contains("cast it to text"));
    }
}
