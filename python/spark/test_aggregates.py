"""Aggregates that are answered by footers, each compared with Spark's own reader of the same files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from spark.cells import assert_same
from spark.shared_types import UTC, D

KNOWN: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i8": (pa.int8(), [-128, None, 127]),
    "i16": (pa.int16(), [-32768, None, 32767]),
    "i32": (pa.int32(), [-(2**31), None, 2**31 - 1]),
    "i64": (pa.int64(), [-(2**63), None, 2**63 - 1]),
    "u8": (pa.uint8(), [0, None, 255]),
    "u16": (pa.uint16(), [1, None, 65535]),
    "u32": (pa.uint32(), [1, None, 2**32 - 1]),
    "u64": (pa.uint64(), [1, None, 2**64 - 1]),
    "yes": (pa.bool_(), [True, None, True]),
    "day": (pa.date32(), [dt.date(1582, 10, 15), None, dt.date(9999, 12, 31)]),
    "at": (
        pa.timestamp("us", "UTC"),
        [dt.datetime(1969, 1, 1, 1, 1, 1, 1, UTC), None, dt.datetime(2038, 1, 1, 0, 0, tzinfo=UTC)],
    ),
    "ms": (
        pa.timestamp("ms", "UTC"),
        [dt.datetime(1969, 1, 1, 1, 1, 1, 1000, UTC), None, dt.datetime(2038, 1, 1, 0, 0, tzinfo=UTC)],
    ),
    "ntz": (pa.timestamp("us"), [dt.datetime(1969, 1, 1, 1, 1, 1, 1), None, dt.datetime(2038, 1, 1)]),
    "d9": (pa.decimal128(9, 2), [D("-9999999.99"), None, D("0.01")]),
    "d18": (pa.decimal128(18, 0), [D(-(10**17)), None, D(10**17)]),
    "d38": (pa.decimal128(38, 10), [D("-1234567890123456789012345678.0123456789"), None, D("0.0000000001")]),
    "empty": (pa.int32(), [None, None, None]),
}
"""Columns whose statistics are their least and greatest values."""

COUNTED: dict[str, tuple[pa.DataType, list[Any]]] = {
    "text": (pa.string(), ["a" * 200, None, "z"]),
    "bytes": (pa.binary(), [b"\xff" * 100, None, b""]),
    "f32": (pa.float32(), [-0.0, None, float("nan")]),
    "f64": (pa.float64(), [0.0, None, -0.0]),
}
"""Columns of which only the number of values is sure."""


def written(path: Path, columns: dict[str, tuple[pa.DataType, list[Any]]], **options: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.table({name: pa.array(values, kind) for name, (kind, values) in columns.items()}), path, **options
    )
    return str(path)


def bowshot(spark: SparkSession, path: str | Path, **options: Any) -> DataFrame:
    return spark.read.format("bowshot").options(**options).load(str(path))


def is_known(df: DataFrame) -> bool:
    """Whether footers answer it."""
    return "from footers" in df._jdf.queryExecution().toString()


def check(spark: SparkSession, path: str | Path, *aggregates: str, known: bool) -> None:
    """Both readers have the same answer, and ours has it from footers or reads."""
    ours, theirs = (df.selectExpr(*aggregates) for df in (bowshot(spark, path), spark.read.parquet(str(path))))
    assert is_known(ours) == known, aggregates
    assert_same(ours, theirs, key=None)


@pytest.mark.parametrize(
    "options", [{}, {"row_group_size": 1}, {"row_group_size": 2, "store_decimal_as_integer": True}]
)
@pytest.mark.parametrize("name", KNOWN)
def test_the_least_and_the_greatest_value_are_known(
    spark: SparkSession, tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    path = written(tmp_path / "x.parquet", KNOWN | COUNTED, **options)
    check(spark, path, f"min({name})", f"max({name}) AS most", f"count({name})", "count(*)", known=True)
    check(spark, path, f"max({name})", known=True)


@pytest.mark.parametrize("name", COUNTED)
def test_bounds_that_may_be_no_values_are_not_taken(spark: SparkSession, tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "x.parquet", KNOWN | COUNTED)
    check(spark, path, f"count({name})", "count(1)", known=True)
    check(spark, path, f"min({name})", known=False)
    check(spark, path, f"max({name})", f"count({name})", known=False)


def test_many_at_once_and_expressions_over_them(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", KNOWN)
    every = [f"{what}({name})" for name in KNOWN for what in ("min", "max", "count")]
    check(spark, path, *every, "count(*)", known=True)
    check(spark, path, "count(*) + 1 AS more", "max(i32) - max(i8) AS width", known=True)
    assert bowshot(spark, path).count() == 3
    assert is_known(bowshot(spark, path).groupBy().count())


def test_files_and_folders_are_added_up(spark: SparkSession, tmp_path: Path) -> None:
    days: list[list[Any]] = [[5, None], [], [None], [-7, 9, 3]]
    for day, values in enumerate(days):
        written(tmp_path / "t" / f"day={day}" / "x.parquet", {"v": (pa.int64(), values)})
    folder = tmp_path / "t" / "day=__HIVE_DEFAULT_PARTITION__"
    written(folder / "x.parquet", {"v": (pa.int64(), [1])})
    check(spark, tmp_path / "t", "count(*)", "count(v)", "min(v)", "max(v)", known=True)
    check(spark, tmp_path / "t", "count(day)", "count(*)", known=True)


def test_a_key_without_rows_is_no_value(spark: SparkSession, tmp_path: Path) -> None:
    days: list[tuple[int, list[Any]]] = [(1, []), (3, [1]), (7, [2]), (9, [])]
    for day, values in days:
        written(tmp_path / "t" / f"day={day}" / "x.parquet", {"v": (pa.int64(), values)})
    df = bowshot(spark, tmp_path / "t").selectExpr("min(day)", "max(day)")
    assert is_known(df)
    assert df.collect() == [(3, 7)]


def test_no_rows_are_null_and_zero(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", {"v": (pa.int32(), [])})
    check(spark, path, "min(v)", "max(v)", "count(v)", "count(*)", known=True)


def test_files_of_sparks_own_writer(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    rows = spark.range(1000).selectExpr(
        "id",
        "int(id % 7) AS small",
        "date_add(DATE'2024-01-01', int(id)) AS day",
        "decimal(id) / 4 AS price",
        "string(id) AS text",
    )
    rows.repartition(3).write.parquet(path)
    check(spark, path, "min(id)", "max(id)", "max(small)", "min(day)", "max(price)", "count(text)", known=True)
    check(spark, path, "max(text)", known=False)


@pytest.mark.parametrize(
    "aggregates",
    [["sum(i32)"], ["avg(i32)"], ["count(DISTINCT i32)"], ["min(i32 + 1)"], ["count(i32, i64)"], ["max(struct(i32))"]],
)
def test_what_footers_do_not_say_is_read(spark: SparkSession, tmp_path: Path, aggregates: list[str]) -> None:
    path = written(
        tmp_path / "x.parquet",
        {name: (kind, values) for name, (kind, values) in KNOWN.items() if name != "i64"}
        | {"i64": (pa.int64(), [1, None, 3]), "i32": (pa.int32(), [1, None, 5])},
    )
    check(spark, path, *aggregates, known=False)


def test_groups_filters_and_limits_are_read(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", {"k": (pa.int32(), [1, 1, 2]), "v": (pa.int32(), [1, 2, 3])})
    for ours, theirs in [
        [df.where("v > 1").selectExpr("count(*)", "min(v)") for df in (bowshot(spark, path), spark.read.parquet(path))],
        [df.limit(2).selectExpr("count(*)") for df in (bowshot(spark, path), spark.read.parquet(path))],
        [df.groupBy("k").count() for df in (bowshot(spark, path), spark.read.parquet(path))],
        [df.distinct().selectExpr("count(*)") for df in (bowshot(spark, path), spark.read.parquet(path))],
    ]:
        assert not is_known(ours)
        assert_same(ours, theirs)
    limited = spark.read.format("bowshot").option("query", "SELECT v FROM data LIMIT 2").load(path)
    assert limited.count() == 2
    assert not is_known(limited.groupBy().count())


def test_a_file_without_statistics_has_all_read(spark: SparkSession, tmp_path: Path) -> None:
    written(tmp_path / "t" / "a.parquet", {"v": (pa.int32(), [1, None])})
    written(tmp_path / "t" / "b.parquet", {"v": (pa.int32(), [-5])}, write_statistics=False)
    check(spark, tmp_path / "t", "min(v)", known=False)
    check(spark, tmp_path / "t", "count(v)", known=False)
    check(spark, tmp_path / "t", "count(*)", known=True)


def test_values_of_another_type_than_the_files_are_read(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", {"v": (pa.int32(), [1, 70000]), "w": (pa.int32(), [1, 2])})
    df = spark.read.format("bowshot").schema("v LONG, w INT").load(path)
    assert not is_known(df.selectExpr("max(v)"))
    assert df.selectExpr("max(v)").collect() == [(70000,)]
    assert is_known(df.selectExpr("max(w)", "count(*)"))
    narrow = spark.read.format("bowshot").schema("v SHORT").load(path)
    with pytest.raises(Exception, match=r'(?s)"v".*70000'):
        narrow.selectExpr("max(v)").collect()


def test_columns_of_a_query_are_found_by_their_names_in_it(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", {"a": (pa.int32(), [1, 2]), "b": (pa.int32(), [None, 9])})
    df = spark.read.format("bowshot").option("query", "SELECT b AS a, a AS b FROM data").load(path)
    assert is_known(df.selectExpr("max(a)", "count(a)", "max(b)"))
    assert df.selectExpr("max(a)", "count(a)", "max(b)").collect() == [(9, 1, 2)]


def test_nested_columns_and_lists_are_read(spark: SparkSession, tmp_path: Path) -> None:
    path = written(
        tmp_path / "x.parquet",
        {
            "s": (pa.struct([("a", pa.int32())]), [{"a": 1}, None, {"a": None}]),
            "l": (pa.list_(pa.int32()), [[1, 2], None, []]),
        },
    )
    for aggregate in ("count(s)", "count(l)", "max(s.a)", "count(s.a)"):
        check(spark, path, aggregate, known=False)
    check(spark, path, "count(*)", known=True)


def test_each_action_sees_the_files_as_they_are_then(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    written(path, {"v": (pa.int32(), [1, 2])})
    df = bowshot(spark, path).selectExpr("count(*)", "max(v)")
    assert df.collect() == [(2, 2)]
    written(path, {"v": (pa.int32(), [1, 2, 9])})
    assert df.collect() == [(3, 9)]
    written(path, {"v": (pa.int32(), [1])}, write_statistics=False)
    with pytest.raises(Exception, match=r"(?s)the files have changed: their footers do not tell .*v"):
        df.collect()
    written(path, {"v": (pa.string(), ["x"])})
    with pytest.raises(Exception, match=r"(?s)the files have changed"):
        df.collect()
    path.unlink()
    with pytest.raises(Exception, match=r"x\.parquet"):
        df.collect()


def test_a_count_joins_and_nests_like_any_row(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", {"v": (pa.int32(), [1, 2, 3])})
    df = bowshot(spark, path)
    df.createOrReplaceTempView("footers")
    assert spark.sql("SELECT v FROM footers WHERE v = (SELECT max(v) FROM footers)").collect() == [(3,)]
    both = df.selectExpr("count(*) AS n").unionAll(df.selectExpr("max(v) AS n"))
    assert sorted(row.n for row in both.collect()) == [3, 3]
    assert df.selectExpr("count(*) AS n").cache().collect() == [(3,)]
    assert df.selectExpr("max(v) AS m").where("m > 5").count() == 0


def test_other_formats_are_read(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("v\n1\n5\n", "utf-8")
    df = bowshot(spark, path).selectExpr("count(*)", "max(v)")
    assert not is_known(df)
    assert df.collect() == [(2, 5)]
