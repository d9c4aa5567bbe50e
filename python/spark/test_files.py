"""`format("bowshot")` over files, each cell compared with Spark's own reader, or with pyarrow where Spark has none."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from spark.cells import assert_same, rows, table, types
from spark.shared_types import SHARED, UTC, D


def written(path: Path, columns: dict[str, tuple[pa.DataType, list[Any]]], **options: Any) -> str:
    data = pa.table({name: pa.array(values * 5, kind) for name, (kind, values) in columns.items()})
    pq.write_table(data, path, **options)
    return str(path)


def bowshot(spark: SparkSession, path: str | Path, **options: Any) -> DataFrame:
    return spark.read.format("bowshot").options(**options).load(str(path))


@pytest.mark.parametrize(
    "options", [{}, {"data_page_version": "2.0", "use_dictionary": False}, {"row_group_size": 4, "compression": "zstd"}]
)
def test_every_type_is_what_sparks_own_reader_has(spark: SparkSession, tmp_path: Path, options: dict[str, Any]) -> None:
    path = written(tmp_path / "all.parquet", SHARED, **options)
    assert_same(bowshot(spark, path), spark.read.parquet(path), key=None)


@pytest.mark.parametrize("name", SHARED)
def test_a_column_alone_is_the_same(spark: SparkSession, tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "all.parquet", SHARED)
    assert_same(bowshot(spark, path).select(name), spark.read.parquet(path).select(name), key=None)


def arrow(spark: SparkSession, path: Path, column: pa.Array) -> DataFrame:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, pa.schema([("c", column.type)])) as writer:
        # A slice, so that offsets into the arrays are not zero.
        writer.write_batch(pa.record_batch([column.slice(1)], ["c"]))
    return bowshot(spark, path)


LAYOUTS: list[tuple[pa.Array, str, list[Any]]] = [
    (
        pa.array([None, "short", "long enough to be no inline view", None, ""], pa.string_view()),
        "string",
        ["short", "long enough to be no inline view", None, ""],
    ),
    (pa.array([None, b"x", b"y" * 30], pa.binary_view()), "binary", [b"x", b"y" * 30]),
    (pa.array(["a", "b", None, "a"]).dictionary_encode(), "string", ["b", None, "a"]),
    (
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1], pa.int8()), pa.array([7, None, 9])),
        "bigint",
        [None, 9, None],
    ),
    (
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.uint16()), pa.array([{"x": 1}, {"x": None}])),
        "struct<x:bigint>",
        [{"x": None}, {"x": 1}],
    ),
    (pa.array([[1], [2, None], None, []], pa.large_list(pa.int16())), "array<smallint>", [[2, None], None, []]),
    (pa.array([[1, 2], None, [3, None]], pa.list_(pa.int64(), 2)), "array<bigint>", [None, [3, None]]),
    (pa.array([[1], [2, None], None, [3]], pa.list_view(pa.int64())), "array<bigint>", [[2, None], None, [3]]),
    (
        pa.array(np.array([1.0, 0.5, 0, -65504.0, 6e-8], np.float16), mask=np.array([0, 0, 1, 0, 0], bool)),
        "float",
        [0.5, None, -65504.0, 2.0**-24],
    ),
    (pa.array([D(0), D("12345.67"), None], pa.decimal32(7, 2)), "decimal(7,2)", [D("12345.67"), None]),
    (pa.array([D(0), D("-12345.6789"), None], pa.decimal64(18, 4)), "decimal(18,4)", [D("-12345.6789"), None]),
    (pa.array([D(0), D("1.5"), None], pa.decimal256(76, 38)), "decimal(38,18)", [D("1.5").quantize(D("1E-18")), None]),
    (pa.array([D(0), D("9" * 30), None], pa.decimal256(38, 0)), "decimal(38,0)", [D("9" * 30), None]),
    (pa.array([dt.date(1970, 1, 2), dt.date(1970, 1, 1), None], pa.date64()), "date", [dt.date(1970, 1, 1), None]),
    (pa.array([0, -1, None], pa.timestamp("s")), "timestamp_ntz", [dt.datetime(1969, 12, 31, 23, 59, 59), None]),
    (
        pa.array([0, 1_000, None], pa.timestamp("ns", "UTC")),
        "timestamp",
        [dt.datetime(1970, 1, 1, 0, 0, 0, 1, UTC), None],
    ),
    (pa.array([0, 86_399_999_999, None], pa.time64("us")), "string", ["23:59:59.999999", None]),
    (pa.array([0, 3661, None], pa.time32("s")), "string", ["01:01:01", None]),
    (pa.array([0, 90, None], pa.duration("s")), "interval day to second", [dt.timedelta(seconds=90), None]),
    (
        pa.array([(0, 0, 0), (14, 3, 4_500_000_000), None], pa.month_day_nano_interval()),
        "string",
        ["14 months 3 days 4.5 seconds", None],
    ),
    (pa.array([None, None, None], pa.null()), "void", [None, None]),
    (pa.array([b"0" * 4, b"1234", None], pa.binary(4)), "binary", [b"1234", None]),
    (pa.array([{"a": 1}, {"a": None}, None], pa.struct([("a", pa.uint32())])), "struct<a:bigint>", [{"a": None}, None]),
]


@pytest.mark.parametrize(
    ("column", "kind", "expected"), LAYOUTS, ids=lambda value: str(value.type) if isinstance(value, pa.Array) else ""
)
def test_every_layout_of_arrow_is_read(
    spark: SparkSession, tmp_path: Path, column: pa.Array, kind: str, expected: list[Any]
) -> None:
    df = arrow(spark, tmp_path / "x.arrow", column)
    assert types(df) == {"c": kind}
    if kind == "void":
        assert [row.c for row in df.collect()] == expected
    else:
        assert rows(df) == rows(pa.table({"c": pa.array(expected, table(df).schema.field("c").type)}))


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pa.array([0, 1], pa.timestamp("ns")), r'"c" holds 1 ns, which has nanoseconds.*types\.c'),
        (
            pa.array([D(0), D("1E-38")], pa.decimal256(76, 38)),
            r'"c" holds 0\.0+1, which Spark.s decimal\(38,18\) would round',
        ),
        (pa.array([0, 2**62], pa.timestamp("s")), r'"c" holds 4611686018427387904 s, which is beyond'),
    ],
)
def test_what_spark_cannot_hold_is_an_error(spark: SparkSession, tmp_path: Path, column: pa.Array, words: str) -> None:
    df = arrow(spark, tmp_path / "x.arrow", column)
    with pytest.raises(Exception, match=f"(?s){words}"):
        df.collect()


def test_a_union_is_refused_by_name(spark: SparkSession, tmp_path: Path) -> None:
    union = pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["a"])]
    )
    with pytest.raises(IllegalArgumentException, match=r'(?s)the column "c" .*union'):
        arrow(spark, tmp_path / "x.arrow", union)


@pytest.fixture
def orders(tmp_path: Path) -> str:
    """A hive folder of three files, 3,000 rows, with row groups that statistics tell apart."""
    for day in range(3):
        folder = tmp_path / "orders" / f"day={day}"
        folder.mkdir(parents=True)
        ids = range(day * 1000, day * 1000 + 1000)
        data = pa.table(
            {
                "id": pa.array(ids, pa.int32()),
                "price": [i / 4 for i in ids],
                "name": [f"n{i % 10}" if i % 7 else None for i in ids],
            }
        )
        pq.write_table(data, folder / "part.parquet", row_group_size=100)
    return str(tmp_path / "orders")


CONDITIONS = [
    "id = 1234",
    "id < 5 OR id >= 2995",
    "id IN (1, 500, 2999)",
    "name IS NULL AND id < 100",
    "name = 'n3'",
    "price > 700.5 AND price <= 710",
    "id > 1.5D",
    "day = 1",
    "day = 1 AND id > 1990",
    "NOT (id < 2990)",
    "name <=> 'n4' AND id < 300",
    "id <> 5 AND id < 10",
    "price = double('NaN')",
    "id = 2147483648",
    "name LIKE 'n1%'",
    "id % 100 = 7",
    "false",
    "name IN ('n1', NULL)",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_filters_keep_the_rows_that_spark_keeps(spark: SparkSession, orders: str, condition: str) -> None:
    ours, theirs = (df.where(condition) for df in (bowshot(spark, orders), spark.read.parquet(orders)))
    assert_same(ours, theirs)


KEYS = {
    "whole": ["0", "-3", "2147483647"],
    "zeroes": ["01", "2", "+3"],
    "large": ["1", "2147483648"],
    "days": ["2024-02-29", "1999-12-31"],
    "no_days": ["2024-02-29", "2023-02-29"],
    "nulls": ["7", "__HIVE_DEFAULT_PARTITION__"],
    "null_days": ["2024-05-01", "__HIVE_DEFAULT_PARTITION__"],
    "texts": ["a b", "1", "c%2Fd%3De", "é"],
    "mixed": ["01", "2024-05-01"],
}


@pytest.mark.parametrize("name", KEYS)
def test_keys_of_folders_are_those_of_sparks_own_reader(spark: SparkSession, tmp_path: Path, name: str) -> None:
    for number, value in enumerate(KEYS[name]):
        folder = tmp_path / "t" / f"{name}={value}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"v": [number]}), folder / "x.parquet")
    ours, theirs = bowshot(spark, tmp_path / "t"), spark.read.parquet(str(tmp_path / "t"))
    assert_same(ours, theirs)
    for value in (row[0] for row in theirs.select(name).distinct().collect()):
        chosen = [df.where(f.col(name).eqNullSafe(f.lit(value))) for df in (ours, theirs)]
        assert_same(*chosen)


def test_a_key_that_is_asked_for_as_text_keeps_its_zeroes(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "t" / "month=01"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"v": [5]}), folder / "x.parquet")
    ours, theirs = (
        spark.read.format(name).schema("v LONG, month STRING").load(str(tmp_path / "t"))
        for name in ("bowshot", "parquet")
    )
    assert_same(ours, theirs)
    assert ours.collect() == [(5, "01")]


def test_row_groups_are_left_out_by_filters(spark: SparkSession, orders: str) -> None:
    df = bowshot(spark, orders).where("id >= 2950")
    assert df.count() == 50
    plan = df._jdf.queryExecution().toString()
    assert "filters [id IS NOT NULL, id >= 2950]" in plan
    assert df.rdd.getNumPartitions() == 1


def test_folders_are_left_out_by_filters(spark: SparkSession, orders: str) -> None:
    day = bowshot(spark, orders, partition_bytes=1).where("day = 2")
    assert day.rdd.getNumPartitions() < bowshot(spark, orders, partition_bytes=1).rdd.getNumPartitions() / 2
    assert day.selectExpr("count(*)", "min(id)").collect() == [(1000, 2000)]


def test_joins_leave_out_folders_while_they_run(spark: SparkSession, orders: str) -> None:
    days = spark.createDataFrame([(day, day % 2) for day in range(100)], "day INT, odd INT").where("odd = 1")
    joined = bowshot(spark, orders).join(f.broadcast(days), "day")
    assert joined.selectExpr("count(*)", "min(id)", "max(id)").collect() == [(1000, 1000, 1999)]
    assert "dynamicpruning" in joined._jdf.queryExecution().toString()


def test_rows_are_counted_without_columns(spark: SparkSession, orders: str) -> None:
    df = bowshot(spark, orders)
    assert df.count() == 3000
    assert df.select(f.lit(1).alias("one")).groupBy().sum().collect()[0][0] == 3000
    assert (
        df.selectExpr("max(id)", "count(name)", "count(*)").collect()
        == spark.read.parquet(orders).selectExpr("max(id)", "count(name)", "count(*)").collect()
    )


def test_a_limit_reads_no_more_than_it_needs(spark: SparkSession, orders: str) -> None:
    df = bowshot(spark, orders).limit(5)
    assert len(df.collect()) == 5
    assert "limit 5" in df._jdf.queryExecution().toString()
    assert bowshot(spark, orders).where("id > 10").limit(5).count() == 5
    assert len(bowshot(spark, orders).take(7)) == 7


def test_a_part_of_a_struct_is_read(spark: SparkSession, tmp_path: Path) -> None:
    path = written(
        tmp_path / "all.parquet",
        {
            "s": (
                pa.struct([("a", pa.struct([("b", pa.int64()), ("c", pa.string())])), ("d", pa.int8())]),
                [{"a": {"b": 1, "c": "x"}, "d": 2}, None, {"a": None, "d": None}],
            )
        },
    )
    for expression in ("s.a.b", "s.d", "s.a", "s.a.c AS x"):
        assert_same(
            bowshot(spark, path).selectExpr(expression), spark.read.parquet(path).selectExpr(expression), key=None
        )


def test_csv_is_read_with_and_without_a_schema(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text('id;name;price\n1;"a;b";0.50\n2;;1.25\n', "utf-8")
    inferred = bowshot(spark, path, sep=";")
    assert types(inferred) == {"id": "bigint", "name": "string", "price": "double"}
    schema = "id INT, name STRING, price DECIMAL(9, 2)"
    ours = spark.read.format("bowshot").schema(schema).option("sep", ";").load(str(path))
    theirs = spark.read.schema(schema).option("sep", ";").option("header", True).csv(str(path))
    assert_same(ours, theirs, key=None)
    assert_same(ours.select("price", "id"), theirs.select("price", "id"), key=None)


def test_a_schema_that_the_source_does_not_have_is_refused(spark: SparkSession, orders: str) -> None:
    with pytest.raises(IllegalArgumentException, match="colour"):
        spark.read.format("bowshot").schema("id INT, colour STRING").load(orders)


def test_a_changed_file_is_an_error_and_the_next_dataframe_reads_it(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), path)
    df = bowshot(spark, path)
    assert df.count() == 2
    pq.write_table(pa.table({"a": [1, 2, 3]}), path)
    # Each action plans anew: it sees the file as it is then.
    assert sorted(row.a for row in df.collect()) == [1, 2, 3]
    pq.write_table(pa.table({"b": ["x"]}), path)
    with pytest.raises(Exception, match='"a"'):
        df.collect()


def test_errors_say_what_to_do(spark: SparkSession, tmp_path: Path) -> None:
    for options, path, words in [
        ({"colour": "red"}, "x.parquet", 'Bowshot has no option "colour"'),
        ({"query": "SELECT 1", "dbtable": "t"}, "x.db", "query and dbtable are both given"),
        ({}, str(tmp_path / "missing.parquet"), "missing.parquet"),
        ({}, "mongodb://localhost/x", "postgresql"),
        ({"batch_bytes": "many"}, "x.parquet", "batch_bytes"),
    ]:
        with pytest.raises(IllegalArgumentException, match=words):
            bowshot(spark, path, **options)
    with pytest.raises(IllegalArgumentException, match="no address is given"):
        spark.read.format("bowshot").load()


def test_metrics_are_told(spark: SparkSession, orders: str) -> None:
    df = bowshot(spark, orders)
    df.write.format("noop").mode("overwrite").save()
    statuses = spark._jsparkSession.sharedState().statusStore()
    last = statuses.executionsList().last()
    shown = {m.name() for m in (last.metrics().apply(i) for i in range(last.metrics().size()))}
    assert {"bytes of columns", "number of batches", "time to read and decode in ms"} <= shown
