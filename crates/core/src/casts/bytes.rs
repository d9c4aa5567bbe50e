//! Bytes and text, which are the same bytes where these are UTF-8.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::turn::{Turned, by_arrow};

pub(super) fn turn(column: &ArrayRef, wanted: &DataType) -> Turned {
    let is_text = |data_type: &DataType| matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match (column.data_type(), wanted) {
        // Of a fixed width only bytes of any can be made, and the other way round.
        (DataType::FixedSizeBinary(_), DataType::Binary) | (DataType::Binary, DataType::FixedSizeBinary(_)) => {
            by_arrow(column, wanted)
        }
        (DataType::FixedSizeBinary(_), _) => turn(&by_arrow(column, &DataType::Binary)?, wanted),
        (_, DataType::FixedSizeBinary(_)) => by_arrow(&turn(column, &DataType::Binary)?, wanted),
        (from, to) if is_text(from) != is_text(to) => {
            // Between the kinds of equal offsets no byte moves.
            let between = if is_text(to) { DataType::LargeBinary } else { DataType::LargeUtf8 };
            let across = if is_text(to) { DataType::LargeUtf8 } else { DataType::LargeBinary };
            by_arrow(&by_arrow(&by_arrow(column, &between)?, &across)?, wanted)
        }
        _ => by_arrow(column, wanted),
    }
}
