use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, TimeUnit};
use datafusion::common::ScalarValue;
use datafusion::prelude::{cast, col, lit};

use super::*;
use crate::doubt::Doubt;

fn described() -> Described {
    let columns: [(&str, DataType, &str); 8] = [
        ("id", DataType::Int32, "int4"),
        ("price", DataType::Decimal128(15, 2), "numeric"),
        ("day", DataType::Date32, "date"),
        ("at", DataType::Timestamp(TimeUnit::Microsecond, None), "timestamp"),
        ("name", DataType::Utf8, "text"),
        ("label", DataType::Utf8, "citext"),
        ("share", DataType::Float64, "float8"),
        ("paid", DataType::Boolean, "bool"),
    ];
    let doubt = |equality| {
        Some(Arc::new(Doubt { column: "c".into(), why: String::new(), equality, order: false, division: true }))
    };
    let doubts = vec![None, None, None, None, doubt(true), doubt(false), None, None];
    let fields: Vec<Field> = columns.iter().map(|(name, of, _)| Field::new(*name, of.clone(), true)).collect();
    Described {
        path: TablePath { catalog: "shop".into(), schema: Some("public".into()), table: "t".into() },
        schema: Arc::new(Schema::new(fields)),
        types: columns.iter().map(|(_, _, name)| Some((*name).to_owned())).collect(),
        doubts,
    }
}

fn postgres(filter: &Expr) -> Option<String> {
    pushed(filter, &described(), Some(Dialect::Postgres))
}

#[test]
fn filters_that_mean_the_same_are_pushed() {
    for (filter, sql) in [
        (col("id").gt(lit(5)), "\"id\" > 5"),
        (lit(5).lt(col("id")), "\"id\" > 5"),
        (cast(col("id"), DataType::Int64).eq(lit(5_i64)), "\"id\" = 5"),
        (col("price").gt_eq(lit(ScalarValue::Decimal128(Some(1250), 15, 2))), "\"price\" >= 12.50"),
        (col("day").lt(lit(ScalarValue::Date32(Some(10471)))), "\"day\" < DATE '1998-09-02'"),
        (
            col("at").eq(lit(ScalarValue::TimestampMicrosecond(Some(1), None))),
            "\"at\" = TIMESTAMP '1970-01-01 00:00:00.000001'",
        ),
        (col("name").eq(lit("it's")), "\"name\" = 'it''s'"),
        (col("name").in_list(vec![lit("a"), lit("b")], true), "\"name\" NOT IN ('a', 'b')"),
        (col("paid").and(col("id").is_null()), "(\"paid\" AND \"id\" IS NULL)"),
        (col("label").is_not_null(), "\"label\" IS NOT NULL"),
        (!col("id").between(lit(1), lit(3)), "(NOT (\"id\" BETWEEN 1 AND 3))"),
        (col("id").eq(lit(1)).or(col("id").eq(lit(i64::MIN))), "(\"id\" = 1 OR \"id\" = -9223372036854775808)"),
    ] {
        assert_eq!(postgres(&filter).as_deref(), Some(sql), "{filter}");
    }
}

#[test]
fn filters_that_could_mean_something_else_stay_here() {
    for filter in [
        col("name").gt(lit("m")),
        col("name").between(lit("a"), lit("b")),
        col("name").like(lit("a%")),
        col("name").eq(lit("a\0")),
        col("label").eq(lit("a")),
        col("share").gt(lit(0.5)),
        col("share").eq(lit(0.0)),
        cast(col("id"), DataType::Float64).gt(lit(0.5)),
        cast(col("id"), DataType::Int16).gt(lit(5_i16)),
        cast(col("price"), DataType::Decimal128(15, 1)).gt(lit(ScalarValue::Decimal128(Some(5), 15, 1))),
        (col("id") + lit(1)).gt(lit(5)),
        col("id").eq(col("id")),
        col("id").gt(lit(5)).or(col("share").gt(lit(0.5))),
        col("id").eq(lit(ScalarValue::Int32(None))),
        col("nobody").gt(lit(5)),
    ] {
        assert_eq!(postgres(&filter), None, "{filter}");
    }
}

#[test]
fn a_column_of_sqlite_is_compared_there_only_where_it_must_hold_whole_numbers() {
    let mut table = described();
    let sqlite = |table: &Described| pushed(&col("id").gt(lit(5)), table, Some(Dialect::Sqlite));
    assert_eq!(sqlite(&table).as_deref(), Some("\"id\" > 5"));
    table.types[0] = Some("NUMERIC".into());
    assert_eq!(sqlite(&table), None);
    assert_eq!(pushed(&col("name").eq(lit("a")), &table, Some(Dialect::Sqlite)), None);
    assert_eq!(pushed(&col("id").gt(lit(5)), &table, None), None);
}

#[test]
fn the_first_rows_are_asked_for_as_each_database_says_it() {
    let path = TablePath { catalog: "m".into(), schema: Some("s".into()), table: "t".into() };
    let sql = |dialect, limit| {
        let filters = vec!["x".to_owned()];
        Select { dialect: Some(dialect), path: &path, columns: vec!["a"], filters, limit }.sql()
    };
    assert_eq!(sql(Dialect::Postgres, Some(3)), "SELECT \"a\" FROM \"s\".\"t\" WHERE x LIMIT 3");
    assert_eq!(sql(Dialect::SqlServer, Some(3)), "SELECT TOP (3) [a] FROM [s].[t] WHERE x");
    assert_eq!(sql(Dialect::Oracle, Some(3)), "SELECT \"a\" FROM \"s\".\"t\" WHERE x FETCH FIRST 3 ROWS ONLY");
    assert_eq!(sql(Dialect::MySql, None), "SELECT `a` FROM `s`.`t` WHERE x");
    let counted = Select { dialect: Some(Dialect::Sqlite), path: &path, columns: vec![], filters: vec![], limit: None };
    assert_eq!(counted.sql(), "SELECT 1 AS \"one\" FROM \"s\".\"t\"");
}
