use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use arrow_flight::sql::{CommandGetSqlInfo, SqlInfo};
use arrow_schema::{DataType, Field, UnionMode};

use super::{Server, sql_info};
use crate::sql_info_schema;

fn ask(codes: &[u32]) -> RecordBatch {
    sql_info(&Server::default(), &CommandGetSqlInfo { info: codes.to_vec() }).unwrap()
}

fn codes(batch: &RecordBatch) -> Vec<u32> {
    batch.column(0).as_primitive::<UInt32Type>().values().to_vec()
}

/// The child of the union that a code's only row is in, and the value.
fn value(code: SqlInfo) -> (i8, arrow_array::ArrayRef) {
    let batch = ask(&[code as u32]);
    assert_eq!(codes(&batch), [code as u32]);
    let union = batch.column(1).as_union();
    (union.type_id(0), union.value(0))
}

fn text(code: SqlInfo) -> String {
    value(code).1.as_string::<i32>().value(0).to_owned()
}

fn truth(code: SqlInfo) -> bool {
    value(code).1.as_boolean().value(0)
}

fn number(code: SqlInfo) -> i32 {
    value(code).1.as_primitive::<Int32Type>().value(0)
}

fn long(code: SqlInfo) -> i64 {
    value(code).1.as_primitive::<Int64Type>().value(0)
}

#[test]
fn who_may_write_is_told_so() {
    use SqlInfo::{FlightSqlServerBulkIngestion, FlightSqlServerReadOnly, SqlBatchUpdatesSupported};
    for writable in [false, true] {
        let told = |code: SqlInfo| {
            let server = Server { writable, ..Server::default() };
            let batch = sql_info(&server, &CommandGetSqlInfo { info: vec![code as u32] }).unwrap();
            batch.column(1).as_union().value(0).as_boolean().value(0)
        };
        assert_eq!(told(FlightSqlServerReadOnly), !writable);
        assert!(told(FlightSqlServerBulkIngestion) == writable && told(SqlBatchUpdatesSupported) == writable);
    }
}

#[test]
fn no_codes_ask_for_every_code_of_the_protocol_and_no_others() {
    let known: Vec<u32> =
        (0..100_000_u32).filter(|code| SqlInfo::try_from(i32::try_from(*code).unwrap()).is_ok()).collect();
    assert_eq!(known.last(), Some(&576));
    assert_eq!(codes(&ask(&[])), known);
    assert_eq!(ask(&[]).schema(), sql_info_schema());
}

#[test]
fn codes_that_nobody_knows_have_no_rows() {
    assert_eq!(ask(&[12, 577, 10_000, u32::MAX]).num_rows(), 0);
    assert_eq!(codes(&ask(&[8, 12_345, 0, 8])), [0, 8]);
}

#[test]
fn the_union_is_laid_out_as_clients_read_it() {
    let schema = sql_info_schema();
    assert_eq!(schema.field(0), &Field::new("info_name", DataType::UInt32, false));
    let DataType::Union(fields, UnionMode::Dense) = schema.field(1).data_type() else { panic!("no dense union") };
    let children: Vec<_> = fields.iter().map(|(id, field)| (id, field.name().as_str())).collect();
    let expected = [
        (0, "string_value"),
        (1, "bool_value"),
        (2, "bigint_value"),
        (3, "int32_bitmask"),
        (4, "string_list"),
        (5, "int32_to_int32_list_map"),
    ];
    assert_eq!(children, expected);
    let types: Vec<_> = fields.iter().take(4).map(|(_, field)| field.data_type().clone()).collect();
    assert_eq!(types, [DataType::Utf8, DataType::Boolean, DataType::Int64, DataType::Int32]);
    // The Go driver reads the third child of this row as int32 right after it connects.
    assert_eq!(value(SqlInfo::FlightSqlServerTransaction).0, 3);
}

#[test]
fn values_are_of_the_types_that_the_jdbc_driver_casts_them_to() {
    let child = |code: u32| -> Option<i8> {
        Some(match code {
            0..=2 | 6 | 7 | 504 | 513 | 514 | 529..=531 => 0,
            3..=5 | 9..=11 | 500..=502 | 506 | 515 | 516 | 518..=521 | 523 | 524 | 527 | 532 | 536 | 537 | 539 => 1,
            556 | 563 | 565 | 566 | 572..=576 => 1,
            541..=555 | 557..=562 => 2,
            508..=512 => 4,
            517 => 5,
            8 | 100 | 101 | 503 | 505 | 507 | 522 | 525 | 526 | 528 | 533..=535 | 538 | 540 | 564 | 567..=571 => 3,
            _ => return None,
        })
    };
    let all = ask(&[]);
    let union = all.column(1).as_union();
    for (row, code) in codes(&all).into_iter().enumerate() {
        assert_eq!(Some(union.type_id(row)), child(code), "code {code}");
        assert_eq!(union.value(row).null_count(), 0, "code {code}");
    }
}

#[test]
fn the_server_reads_cancels_and_does_nothing_else() {
    assert_eq!(text(SqlInfo::FlightSqlServerName), "Bowshot");
    assert_eq!(text(SqlInfo::FlightSqlServerVersion), env!("CARGO_PKG_VERSION"));
    assert!(truth(SqlInfo::FlightSqlServerReadOnly) && truth(SqlInfo::FlightSqlServerSql));
    assert!(truth(SqlInfo::FlightSqlServerCancel) && !truth(SqlInfo::FlightSqlServerBulkIngestion));
    assert!(!truth(SqlInfo::SqlTransactionsSupported) && !truth(SqlInfo::FlightSqlServerSubstrait));
    assert_eq!(number(SqlInfo::FlightSqlServerTransaction), 0);
    assert_eq!(number(SqlInfo::SqlAnsi92SupportedLevel), 0b1);
    assert_eq!(number(SqlInfo::SqlSupportedGrammar), 0b11);
    assert_eq!(number(SqlInfo::SqlOuterJoinsSupportLevel), 0b10);
    assert_eq!(number(SqlInfo::SqlSupportedTransactionsIsolationLevels), 0b1);
    assert_eq!(long(SqlInfo::SqlDefaultTransactionIsolation), 0);
    assert_eq!(text(SqlInfo::SqlIdentifierQuoteChar), "\"");
    assert_eq!(text(SqlInfo::SqlSearchStringEscape), "");
}

#[test]
fn a_list_is_text_and_a_map_may_be_empty() {
    let (_, words) = value(SqlInfo::SqlKeywords);
    let words = words.as_list::<i32>().value(0);
    let words = words.as_string::<i32>();
    assert!(words.iter().any(|word| word == Some("LIMIT")) && words.iter().is_sorted());
    let (_, map) = value(SqlInfo::SqlSupportsConvert);
    assert_eq!(map.as_map().value_length(0), 0);
}

#[test]
fn limits_are_the_gateways_own() {
    let server = Server { statement_length: 1 << 20, statement_timeout: 600_000, ..Server::default() };
    let codes = vec![SqlInfo::SqlMaxStatementLength as u32, SqlInfo::FlightSqlServerStatementTimeout as u32];
    let batch = sql_info(&server, &CommandGetSqlInfo { info: codes }).unwrap();
    let union = batch.column(1).as_union();
    assert_eq!(union.value(0).as_primitive::<Int32Type>().value(0), 600_000);
    assert_eq!(union.value(1).as_primitive::<Int64Type>().value(0), 1 << 20);
}
