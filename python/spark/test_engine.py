"""What Spark's engine does with a read by `format("bowshot")`, beside the same on rows of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f
from spark.cells import assert_same

ROWS = 4_000
TABLE = f"""SELECT n::int8 AS id, (n % 7)::int4 AS part, n * 1.25 AS price,
    CASE WHEN n % 5 > 0 THEN 'item ' || n % 50 END AS name FROM generate_series(1, {ROWS}) n"""
OWN = f"""SELECT id, CAST(id % 7 AS INT) AS part, CAST(id * 1.25 AS DECIMAL(38, 18)) AS price,
    CASE WHEN id % 5 > 0 THEN concat('item ', id % 50) END AS name FROM range(1, {ROWS + 1})"""


def read(spark: SparkSession, postgres: str) -> DataFrame:
    return (
        spark.read.format("bowshot").option("query", TABLE).option("types.price", "decimal128(38, 18)").load(postgres)
    )


@pytest.fixture
def ours(spark: SparkSession, postgres: str) -> DataFrame:
    """A result of PostgreSQL."""
    return read(spark, postgres)


@pytest.fixture
def theirs(spark: SparkSession) -> DataFrame:
    """The same rows, of Spark alone."""
    return spark.sql(OWN)


@contextmanager
def configured(spark: SparkSession, **settings: str) -> Iterator[None]:
    """Settings of Spark SQL, by names without dots: `adaptive_enabled` is `spark.sql.adaptive.enabled`."""
    names = {f"spark.sql.{name.replace('_', '.')}": value for name, value in settings.items()}
    before = {name: spark.conf.get(name) for name in names}
    for name, value in names.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


QUERIES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "rows": lambda df: df,
    "groups": lambda df: df.groupBy("part", "name").agg(f.sum("price"), f.count("*"), f.max("id")),
    "broadcast join": lambda df: df.join(
        f.broadcast(df.where("id <= 20").select("part", f.col("id").alias("other"))), "part"
    ),
    "self join": lambda df: df.alias("a").join(df.alias("b"), f.expr("a.id = b.id + 1")).select("a.id", "b.name"),
    "union": lambda df: df.where("id < 100").union(df.where("part = 3")),
    "window": lambda df: df.withColumn(
        "n", f.row_number().over(Window.partitionBy("part").orderBy(f.desc("id")))
    ).where("n < 4"),
    "running sum": lambda df: df.select("id", f.sum("price").over(Window.partitionBy("name").orderBy("id"))),
    "sort and limit": lambda df: df.orderBy(f.desc("price")).limit(7),
    "distinct": lambda df: df.select("name").distinct(),
}

SETTINGS = {
    "as it is": {},
    "not adaptive": {"adaptive_enabled": "false"},
    "sort merge joins": {"autoBroadcastJoinThreshold": "-1"},
    "no generated code": {"codegen_wholeStage": "false", "codegen_factoryMode": "NO_CODEGEN"},
    "vectors off the heap": {"columnVector_offheap_enabled": "true"},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_answers_are_those_on_rows_of_spark_s_own(
    spark: SparkSession, ours: DataFrame, theirs: DataFrame, settings: dict[str, str]
) -> None:
    with configured(spark, **settings):
        for name, query in QUERIES.items():
            try:
                assert_same(query(ours), query(theirs))
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}") from error


def test_subqueries(spark: SparkSession, ours: DataFrame, theirs: DataFrame) -> None:
    query = """SELECT id, (SELECT max(price) FROM {t} b WHERE b.part = a.part) AS top FROM {t} a
        WHERE price > (SELECT avg(price) FROM {t}) AND part IN (SELECT part FROM {t} WHERE id < 4)
        AND NOT EXISTS (SELECT 1 FROM {t} c WHERE c.id = a.id AND c.name IS NULL)"""
    ours.createOrReplaceTempView("ours")
    theirs.createOrReplaceTempView("theirs")
    assert_same(spark.sql(query.format(t="ours")), spark.sql(query.format(t="theirs")))


def test_partitions_are_pruned_by_what_is_read(
    spark: SparkSession, ours: DataFrame, theirs: DataFrame, tmp_path: Path
) -> None:
    theirs.write.partitionBy("part").parquet(str(tmp_path / "parts"))
    parts = spark.read.parquet(str(tmp_path / "parts"))
    with configured(spark, optimizer_dynamicPartitionPruning_enabled="true"):
        few = "name = 'item 3' AND id < 60"
        joined = parts.join(ours.where(few).select("part"), "part").groupBy("part").count()
        assert "dynamicpruning" in joined._jdf.queryExecution().toString()
        assert_same(joined, parts.join(theirs.where(few).select("part"), "part").groupBy("part").count())


def test_caches_are_filled_evicted_and_read_again(ours: DataFrame, theirs: DataFrame) -> None:
    cached = ours.cache()
    assert cached.count() == ROWS
    assert_same(cached, theirs)
    cached.unpersist(blocking=True)
    assert_same(cached, theirs)


def test_checkpoints(spark: SparkSession, ours: DataFrame, theirs: DataFrame, tmp_path: Path) -> None:
    spark.sparkContext.setCheckpointDir(str(tmp_path))
    assert_same(ours.checkpoint(), theirs)
    assert_same(ours.localCheckpoint(), theirs)


def test_rows_one_by_one(spark: SparkSession, ours: DataFrame, theirs: DataFrame) -> None:
    expected = sorted(theirs.collect())
    assert sorted(ours.toLocalIterator(prefetchPartitions=True)) == expected
    assert sorted(ours.rdd.map(lambda row: row).collect()) == expected
    total = spark.sparkContext.accumulator(0)

    def add(rows: Any) -> None:
        for row in rows:
            total.add(row.id)

    ours.foreachPartition(add)
    assert total.value == ROWS * (ROWS + 1) // 2


def test_python_functions(ours: DataFrame, theirs: DataFrame) -> None:
    plain = f.udf(lambda name, part: None if name is None else f"{name}/{part}", "string")

    def twice(batches: Any) -> Any:
        for batch in batches:
            ids = pa.array([2 * value for value in batch.column(0).to_pylist()], pa.int64())
            yield pa.RecordBatch.from_arrays([ids, batch.column(1)], ["id", "name"])

    def longest(frames: Any) -> Any:
        for frame in frames:
            frame["length"] = frame["name"].str.len().fillna(-1).astype("int64")
            yield frame[["id", "length"]]

    queries: tuple[Callable[[DataFrame], DataFrame], ...] = (
        lambda df: df.select("id", plain("name", "part")),
        lambda df: df.select("id", "name").mapInArrow(twice, "id long, name string"),
        lambda df: df.select("id", "name").mapInPandas(longest, "id long, length long"),
    )
    for query in queries:
        assert_same(query(ours), query(theirs))


def test_it_is_written_as_parquet(spark: SparkSession, ours: DataFrame, theirs: DataFrame, tmp_path: Path) -> None:
    ours.write.parquet(str(tmp_path / "copy"))
    assert_same(spark.read.parquet(str(tmp_path / "copy")), theirs)


def test_a_stream_joins_it_in_each_batch(spark: SparkSession, ours: DataFrame, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    for number in (3, 5):
        spark.range(number * 100).selectExpr("id AS key").coalesce(1).write.parquet(str(keys / str(number)))
    stream = spark.readStream.schema("key long").option("maxFilesPerTrigger", 1).option("recursiveFileLookup", "true")
    found: list[int] = []

    def join(batch: DataFrame, _number: int) -> None:
        found.append(batch.join(ours, batch.key == ours.id).count())

    writer = stream.parquet(str(keys)).writeStream.foreachBatch(join)
    query = writer.trigger(availableNow=True).option("checkpointLocation", str(tmp_path / "state")).start()
    assert query.awaitTermination(60)
    assert sorted(found) == [299, 499]
