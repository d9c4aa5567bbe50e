//! CommandGetXdbcTypeInfo: the types that columns can have, in the terms of ODBC and JDBC.

mod types;

use arrow_array::RecordBatch;
use arrow_flight::sql::CommandGetXdbcTypeInfo;
use arrow_flight::sql::metadata::XdbcTypeInfoDataBuilder;
use bowshot_core::Result;

use crate::batch::internal;

/// The types that columns of a gateway can have, by the names that the JDBC driver gives to their Arrow types: the answer
/// to CommandGetXdbcTypeInfo.
///
/// Lists, structs and maps have no number in ODBC, so theirs is `XDBC_UNKNOWN_TYPE`.
///
/// # Errors
/// None that can be caused from outside.
///
/// ```
/// use arrow_flight::sql::{CommandGetXdbcTypeInfo, XdbcDataType};
/// use bowshot_gateway_catalog::xdbc_type_info;
///
/// let command = CommandGetXdbcTypeInfo { data_type: Some(XdbcDataType::XdbcVarchar as i32) };
/// assert_eq!(xdbc_type_info(&command)?.num_rows(), 1);
/// # Ok::<(), bowshot_core::Error>(())
/// ```
pub fn xdbc_type_info(command: &CommandGetXdbcTypeInfo) -> Result<RecordBatch> {
    let mut builder = XdbcTypeInfoDataBuilder::new();
    for info in types::types() {
        builder.append(info);
    }
    builder.build().and_then(|all| all.record_batch(command.data_type)).map_err(internal)
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_flight::sql::CommandGetXdbcTypeInfo;

    use super::xdbc_type_info;
    use crate::xdbc_type_info_schema;

    #[test]
    fn types_are_in_the_order_of_their_numbers_and_then_names() {
        let batch = xdbc_type_info(&CommandGetXdbcTypeInfo { data_type: None }).unwrap();
        let numbers = batch.column(1).as_primitive::<Int32Type>().values().to_vec();
        let names: Vec<_> = batch.column(0).as_string::<i32>().iter().flatten().collect();
        assert_eq!(batch.schema(), xdbc_type_info_schema());
        assert_eq!(batch.num_rows(), 24);
        assert!(numbers.iter().zip(&names).is_sorted());
    }

    #[test]
    fn one_number_can_be_asked_for_and_an_unknown_one_has_no_rows() {
        let names = |data_type| {
            let batch = xdbc_type_info(&CommandGetXdbcTypeInfo { data_type: Some(data_type) }).unwrap();
            batch.column(0).as_string::<i32>().iter().flatten().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(names(93), ["TIMESTAMP", "TIMESTAMP WITH TIME ZONE"]);
        assert_eq!(names(12), ["VARCHAR"]);
        assert!(names(4711).is_empty());
    }
}
