"""Programs that stay as they are: Spark's reader of Parquet with and without Bowshot, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from spark.dropin import (
    SWITCH,
    Words,
    compare,
    compare_left,
    is_read,
    orders,
    plan,
    settings,
    switched_on,
    words,
    written,
)
from spark.shared_types import SHARED

__all__ = ["orders", "settings", "switched_on", "words"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0", "use_dictionary": False},
        {"row_group_size": 4, "compression": "zstd"},
        {"store_schema": False},
    ],
)
def test_every_type_is_the_same(spark: SparkSession, words: Words, tmp_path: Path, options: dict[str, Any]) -> None:
    path = written(tmp_path / "all.parquet", SHARED, **options)
    compare(spark, lambda: spark.read.parquet(path), words, key=None)


@pytest.mark.parametrize("name", SHARED)
def test_a_column_alone_is_the_same(spark: SparkSession, words: Words, tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "all.parquet", SHARED)
    compare(spark, lambda: spark.read.parquet(path).select(name), words, key=None)


def test_what_spark_wrote_is_the_same(
    spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path
) -> None:
    settings(parquet_outputTimestampType="TIMESTAMP_MICROS")
    source = spark.read.parquet(written(tmp_path / "all.parquet", SHARED))
    source.repartition(3).write.parquet(str(tmp_path / "out"))
    compare(spark, lambda: spark.read.parquet(str(tmp_path / "out")), words)


CONDITIONS = [
    "id = 1234",
    "id < 5 OR id >= 2995",
    "id IN (1, 500, 2999)",
    "name IS NULL AND id < 100",
    "name = 'n3'",
    "price > 700.5 AND price <= 710",
    "id > 1.5D",
    "NOT (id < 2990)",
    "name <=> 'n4' AND id < 300",
    "id <> 5 AND id < 10",
    "price = double('NaN')",
    "name LIKE 'n1%'",
    "id % 100 = 7",
    "name IN ('n1', NULL)",
    "day = '2026-01-02'",
    "day > '2026-01-01' AND id < 2500",
    "shop = 's 1%'",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_filters_keep_the_same_rows(spark: SparkSession, words: Words, orders: str, condition: str) -> None:
    compare(spark, lambda: spark.read.parquet(orders).where(condition), words)


@pytest.mark.parametrize("size", ["1000b", "3333b", "8kb"])
def test_splits_have_each_row_group_once(
    spark: SparkSession, words: Words, settings: Callable[..., None], orders: str, size: str
) -> None:
    settings(files_maxPartitionBytes=size, files_openCostInBytes="0")
    df = spark.read.parquet(orders)
    assert df.rdd.getNumPartitions() > 3
    assert df.selectExpr("count(id)", "sum(id)").first() == (3000, sum(range(3000)))
    compare(spark, lambda: spark.read.parquet(orders), words)


def test_row_groups_are_left_out_by_filters(spark: SparkSession, orders: str) -> None:
    def rows(condition: str) -> int:
        df = spark.read.parquet(orders).where(condition)
        df._jdf.collectToPython()
        node = df._jdf.queryExecution().executedPlan()
        leaves = node.collectLeaves()
        return int(leaves.apply(0).metrics().apply("numOutputRows").value())

    assert rows("id >= 950 AND id < 1100") == 200
    assert rows("name = 'n3'") == 3000


def test_aggregates_and_joins_are_the_same(spark: SparkSession, orders: str) -> None:
    spark.read.parquet(orders).createOrReplaceTempView("orders")
    for sql in (
        "SELECT count(*) FROM orders",
        "SELECT count(*), count(name), max(price), day FROM orders GROUP BY day",
        "SELECT a.id, b.name FROM orders a JOIN orders b ON a.id = b.id + 7",
        "SELECT name, count(*) FROM orders WHERE id IN (SELECT id * 2 FROM orders) GROUP BY name",
        f"SELECT id, shop FROM parquet.`{orders}` WHERE id < 30",
        "SELECT id FROM orders ORDER BY id DESC LIMIT 5",
        "SELECT regexp_replace(input_file_name(), '.*/', '') f, count(name) FROM orders GROUP BY 1",
        f"SELECT id, _metadata.file_name, _metadata.file_size, _metadata.file_block_start FROM parquet.`{orders}`",
    ):
        compare(spark, partial(spark.sql, sql))


def test_python_functions_are_given_the_same(spark: SparkSession, orders: str) -> None:
    from pyspark.sql import functions as f

    double = f.udf(lambda name, price: None if name is None else f"{name}{price}", "string")
    compare(spark, lambda: spark.read.parquet(orders).select("id", double("name", "price").alias("x")))
    assert len(spark.read.parquet(orders).select(double("name", "price").alias("x")).limit(3).collect()) == 3


def test_tables_of_the_metastore_are_read(spark: SparkSession, words: Words) -> None:
    spark.sql("CREATE TABLE items (id INT, name STRING, day DATE) USING parquet PARTITIONED BY (day)")
    try:
        spark.sql("INSERT INTO items VALUES (1, 'a', DATE '2026-01-01'), (2, NULL, NULL)")
        compare(spark, lambda: spark.table("items"), words)
        spark.sql("INSERT INTO items SELECT id + 10, name, day FROM items")
        assert spark.table("items").count() == 4
        spark.sql("ALTER TABLE items ADD COLUMN price DOUBLE")
        spark.sql("INSERT INTO items (id, price, day) VALUES (3, 0.5, DATE '2026-01-02')")
        compare(spark, lambda: spark.table("items"), words)
        spark.sql("TRUNCATE TABLE items")
        assert spark.table("items").count() == 0
    finally:
        spark.sql("DROP TABLE items")


def test_columns_come_and_go(spark: SparkSession, words: Words, tmp_path: Path) -> None:
    folder = tmp_path / "evolved"
    folder.mkdir()
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", None]}), folder / "1.parquet")
    pq.write_table(pa.table({"c": [0.5, None], "a": [3, 4], "s": [{"x": 1}, None]}), folder / "2.parquet")
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), folder / "3.parquet")
    compare(spark, lambda: spark.read.option("mergeSchema", "true").parquet(str(folder)), words)
    schema = "b STRING, a LONG, z ARRAY<DATE>, c DOUBLE"
    compare(spark, lambda: spark.read.schema(schema).parquet(str(folder)), words)
    compare(spark, lambda: spark.read.schema(schema).parquet(str(folder)).where("c IS NULL AND a > 1"), words)
    compare_left(
        spark,
        lambda: spark.read.schema("b STRING").parquet(str(folder)),
        words,
        "left 2 files to Spark: it has none of the columns",
    )


@pytest.mark.parametrize("sensitive", [True, False])
def test_case_is_sparks(
    spark: SparkSession, words: Words, settings: Callable[..., None], tmp_path: Path, sensitive: bool
) -> None:
    settings(caseSensitive=str(sensitive).lower())
    pq.write_table(pa.table({"Id": [1, 2], "NAME": ["a", "b"]}), tmp_path / "x.parquet")
    schema = "id LONG, NAME STRING, Id LONG" if sensitive else "ID LONG, name STRING"
    compare(spark, lambda: spark.read.schema(schema).parquet(str(tmp_path / "x.parquet")), words)
    compare(
        spark,
        lambda: (
            spark.read.schema(schema)
            .parquet(str(tmp_path / "x.parquet"))
            .where("id > 1 OR name = 'a'" if not sensitive else "Id > 1")
        ),
        words,
    )


@pytest.mark.parametrize("expression", ["s.a.b", "s.d", "s.a", "s.a.c AS x", "l.x", "s"])
def test_parts_of_structs_are_the_same(spark: SparkSession, tmp_path: Path, expression: str) -> None:
    inner = pa.struct([("b", pa.int64()), ("c", pa.string())])
    data = pa.table(
        {
            "s": pa.array(
                [{"a": {"b": 1, "c": "x"}, "d": 2}, None, {"a": None, "d": None}],
                pa.struct([("a", inner), ("d", pa.int8())]),
            ),
            "l": pa.array(
                [[{"x": 1, "y": "z"}], None, []], pa.list_(pa.struct([("x", pa.int32()), ("y", pa.string())]))
            ),
        }
    )
    pq.write_table(data, tmp_path / "x.parquet")
    compare(spark, lambda: spark.read.parquet(str(tmp_path / "x.parquet")).selectExpr(expression), key=None)


def test_a_cache_is_shared(spark: SparkSession, orders: str) -> None:
    cached = spark.read.parquet(orders).cache()
    try:
        assert cached.count() == 3000
        again = spark.read.parquet(orders).where("id < 5")
        assert "InMemoryTableScan" in plan(again)
        assert sorted(row.id for row in again.collect()) == [0, 1, 2, 3, 4]
    finally:
        cached.unpersist()


def test_strange_paths_and_names(spark: SparkSession, words: Words, tmp_path: Path) -> None:
    folder = tmp_path / "a b%20c#d=$HOME+é"
    folder.mkdir()
    pq.write_table(pa.table({'a "b" `c`.d': [1, 2], "e,f;g": ["x", None], "ä": [0.5, 1.5]}), folder / "x+y&z.parquet")
    compare(spark, lambda: spark.read.parquet(str(folder / "x+y&z.parquet")), words)
    compare(spark, lambda: spark.read.parquet(str(folder / "x+y&z.parquet")).where('`a "b" ``c``.d` > 1'), words)


def test_streams_are_read(spark: SparkSession, orders: str, tmp_path: Path) -> None:
    stream = spark.readStream.schema("id INT, price DOUBLE, name STRING, day DATE, shop STRING").parquet(orders)
    query = (
        stream.writeStream.format("memory")
        .queryName("streamed")
        .trigger(availableNow=True)
        .option("checkpointLocation", str(tmp_path / "c"))
        .start()
    )
    query.awaitTermination(60)
    assert spark.table("streamed").selectExpr("count(*)", "sum(id)").first() == (3000, sum(range(3000)))


def test_a_session_turns_it_off(spark: SparkSession, orders: str) -> None:
    df = spark.read.parquet(orders).select("id")
    assert is_read(df)
    spark.conf.set(SWITCH, "false")
    assert not is_read(spark.read.parquet(orders).select("id"))
    # Each session has its own word.
    other = spark.newSession()
    other.conf.set(SWITCH, "true")
    assert is_read(other.read.parquet(orders).select("id"))


def test_old_files_are_the_same(spark: SparkSession) -> None:
    """Those that pyarrow brings along for its own tests, written by its version 0.7."""
    paths = sorted((Path(pa.__file__).parent / "tests" / "data" / "parquet").glob("*.parquet"))
    assert paths
    for path in paths:
        compare(spark, partial(spark.read.parquet, str(path)))
