"""Programs that stay as they are: Spark's own reader of Parquet with and without `io.bowshot.spark.DropIn`, cell by cell."""

from __future__ import annotations

import datetime as dt
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from spark.cells import assert_same
from spark.test_files import CONDITIONS, SHARED, written
from spark.version import VERSION

pytestmark = pytest.mark.skipif(VERSION < (4, 0), reason="Spark before 4.0 reads by itself")

SWITCH = "spark.bowshot.dropin"
Read = Callable[[], DataFrame]


@pytest.fixture(autouse=True)
def switched_on(spark: SparkSession) -> Iterator[None]:
    """Bowshot reads in each of these tests."""
    spark.conf.set(SWITCH, "true")
    yield
    spark.conf.set(SWITCH, "false")


@pytest.fixture
def settings(spark: SparkSession) -> Iterator[Callable[..., None]]:
    """Sets options of Spark for one test."""
    before: dict[str, str | None] = {}

    def change(**options: Any) -> None:
        for name, value in options.items():
            key = "spark.sql." + name.replace("_", ".")
            before.setdefault(key, spark.conf.get(key, None))
            spark.conf.set(key, str(value))

    yield change
    for key, value in before.items():
        if value is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, value)


class Words:
    """What Bowshot has said since."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.start = log.stat().st_size if log.exists() else 0

    def all(self) -> str:
        return self.log.read_bytes()[self.start :].decode() if self.log.exists() else ""

    def wait(self, pattern: str) -> None:
        """Until it says this: it comes after the query's end."""
        until = time.monotonic() + 20
        while not re.search(pattern, self.all()):
            assert time.monotonic() < until, f"{pattern!r} is not in {self.all()!r}"
            time.sleep(0.05)


@pytest.fixture
def words(log: Path) -> Words:
    return Words(log)


def plan(df: DataFrame) -> str:
    return str(df._jdf.queryExecution().toString())


def is_read(df: DataFrame) -> bool:
    """Whether the plan goes through Bowshot."""
    return "Format: Bowshot Parquet" in plan(df)


def compare(spark: SparkSession, read: Read, words: Words | None = None, key: Any = repr) -> None:
    """Both readers have the same; with `words`, Bowshot read all files."""
    ours = read()
    assert is_read(ours)
    spark.conf.set(SWITCH, "false")
    try:
        theirs = read()
        assert not is_read(theirs)
        assert_same(ours, theirs, key=key)
    finally:
        spark.conf.set(SWITCH, "true")
    if words is not None:
        time.sleep(0.3)
        assert words.all() == ""


def compare_left(spark: SparkSession, read: Read, words: Words, reason: str) -> None:
    """Both have the same, since Spark's reader read it, for a reason."""
    compare(spark, read)
    words.wait(reason)


@pytest.mark.parametrize("options", [{}, {"data_page_version": "2.0", "use_dictionary": False}, {"row_group_size": 4, "compression": "zstd"}, {"store_schema": False}])
def test_every_type_is_the_same(spark: SparkSession, words: Words, tmp_path: Path, options: dict[str, Any]) -> None:
    path = written(tmp_path / "all.parquet", SHARED, **options)
    compare(spark, lambda: spark.read.parquet(path), words, key=None)


@pytest.mark.parametrize("name", SHARED)
def test_a_column_alone_is_the_same(spark: SparkSession, words: Words, tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "all.parquet", SHARED)
    compare(spark, lambda: spark.read.parquet(path).select(name), words, key=None)


def test_what_spark_wrote_is_the_same(spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path) -> None:
    settings(parquet_outputTimestampType="TIMESTAMP_MICROS")
    source = spark.read.parquet(written(tmp_path / "all.parquet", SHARED))
    source.repartition(3).write.parquet(str(tmp_path / "out"))
    compare(spark, lambda: spark.read.parquet(str(tmp_path / "out")), words)


@pytest.fixture
def orders(tmp_path: Path) -> str:
    """A hive folder of three files, 3,000 rows, in row groups of 100."""
    for day in range(3):
        folder = tmp_path / "orders" / f"day=2026-01-0{day + 1}" / f"shop=s {day}%"
        folder.mkdir(parents=True)
        ids = range(day * 1000, day * 1000 + 1000)
        data = pa.table({"id": pa.array(ids, pa.int32()), "price": [i / 4 for i in ids], "name": [f"n{i % 10}" if i % 7 else None for i in ids]})
        pq.write_table(data, folder / "part.parquet", row_group_size=100)
    return str(tmp_path / "orders")


# What Spark knows to be false, and reads nothing for.
NOTHING = ("false", "id = 2147483648")


@pytest.mark.parametrize("condition", [*(c for c in CONDITIONS if "day" not in c and c not in NOTHING), "day = '2026-01-02'", "day > '2026-01-01' AND id < 2500", "shop = 's 1%'"])
def test_filters_keep_the_same_rows(spark: SparkSession, words: Words, orders: str, condition: str) -> None:
    compare(spark, lambda: spark.read.parquet(orders).where(condition), words)


@pytest.mark.parametrize("size", ["1000b", "3333b", "8kb"])
def test_splits_have_each_row_group_once(spark: SparkSession, words: Words, settings: Callable[..., None], orders: str, size: str) -> None:
    settings(files_maxPartitionBytes=size, files_openCostInBytes="0")
    df = spark.read.parquet(orders)
    assert df.rdd.getNumPartitions() > 3
    assert df.selectExpr("count(id)", "sum(id)").first() == (3000, sum(range(3000)))
    compare(spark, lambda: spark.read.parquet(orders), words)


def test_row_groups_are_left_out_by_filters(spark: SparkSession, orders: str, words: Words) -> None:
    def rows(condition: str) -> int:
        df = spark.read.parquet(orders).where(condition)
        df._jdf.collectToPython()
        scan = re.search(r"FileScan", plan(df))
        assert scan
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
        compare(spark, lambda sql=sql: spark.sql(sql))


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


def test_a_default_of_a_column_is_sparks(spark: SparkSession, words: Words, tmp_path: Path) -> None:
    spark.sql(f"CREATE TABLE defaults (id INT) USING parquet LOCATION '{tmp_path}/defaults'")
    try:
        spark.sql("INSERT INTO defaults VALUES (1)")
        spark.sql("ALTER TABLE defaults ADD COLUMN n INT DEFAULT 42")
        compare_left(spark, lambda: spark.table("defaults"), words, 'column "n" has a default')
        assert spark.table("defaults").first() == (1, 42)
    finally:
        spark.sql("DROP TABLE defaults")


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
    compare_left(spark, lambda: spark.read.schema("b STRING").parquet(str(folder)), words, "left 2 files to Spark: it has none of the columns")


def test_other_types_than_the_files_are_sparks(spark: SparkSession, words: Words, tmp_path: Path) -> None:
    folder = tmp_path / "widened"
    folder.mkdir()
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int32())}), folder / "1.parquet")
    pq.write_table(pa.table({"a": pa.array([3, 2**40], pa.int64())}), folder / "2.parquet")
    read = lambda: spark.read.schema("a LONG").parquet(str(folder))  # noqa: E731
    compare_left(spark, read, words, r'left 1 file to Spark: the column "a" is INT32, read as bigint')


@pytest.mark.parametrize("sensitive", [True, False])
def test_case_is_sparks(spark: SparkSession, words: Words, settings: Callable[..., None], tmp_path: Path, sensitive: bool) -> None:
    settings(caseSensitive=str(sensitive).lower())
    pq.write_table(pa.table({"Id": [1, 2], "NAME": ["a", "b"]}), tmp_path / "x.parquet")
    schema = "id LONG, NAME STRING, Id LONG" if sensitive else "ID LONG, name STRING"
    compare(spark, lambda: spark.read.schema(schema).parquet(str(tmp_path / "x.parquet")), words)
    compare(spark, lambda: spark.read.schema(schema).parquet(str(tmp_path / "x.parquet")).where("id > 1 OR name = 'a'" if not sensitive else "Id > 1"), words)


def test_columns_that_differ_by_case_are_sparks_error(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "ID": [3, 4]}), tmp_path / "x.parquet")
    with pytest.raises(Exception, match=r"(?i)duplicate field"):
        spark.read.schema("id LONG").parquet(str(tmp_path / "x.parquet")).collect()


@pytest.mark.parametrize("expression", ["s.a.b", "s.d", "s.a", "s.a.c AS x", "l.x", "s"])
def test_parts_of_structs_are_the_same(spark: SparkSession, tmp_path: Path, expression: str) -> None:
    inner = pa.struct([("b", pa.int64()), ("c", pa.string())])
    data = pa.table({
        "s": pa.array([{"a": {"b": 1, "c": "x"}, "d": 2}, None, {"a": None, "d": None}], pa.struct([("a", inner), ("d", pa.int8())])),
        "l": pa.array([[{"x": 1, "y": "z"}], None, []], pa.list_(pa.struct([("x", pa.int32()), ("y", pa.string())]))),
    })
    pq.write_table(data, tmp_path / "x.parquet")
    compare(spark, lambda: spark.read.parquet(str(tmp_path / "x.parquet")).selectExpr(expression), key=None)


@pytest.mark.parametrize("kind", ["INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"])
def test_timestamps_that_spark_wrote_are_the_same(spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path, kind: str) -> None:
    settings(parquet_outputTimestampType=kind)
    spark.sql("SELECT t FROM VALUES (TIMESTAMP '1883-01-01 00:00:00.123'), (NULL), (TIMESTAMP '2024-03-10 02:30:00') AS x(t)").write.parquet(str(tmp_path / "t"))
    read = lambda: spark.read.parquet(str(tmp_path / "t"))  # noqa: E731
    if kind == "INT96":
        compare_left(spark, read, words, 'the column "t" is INT96')
    else:
        compare(spark, read, words)


@pytest.mark.parametrize("mode", ["LEGACY", "CORRECTED"])
def test_days_of_the_old_calendar_are_the_same(spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path, mode: str) -> None:
    settings(parquet_datetimeRebaseModeInWrite=mode, parquet_outputTimestampType="TIMESTAMP_MICROS")
    spark.sql("SELECT id, DATE '1200-01-01' d, TIMESTAMP '1200-01-01 00:00:00' t FROM range(3)").write.parquet(str(tmp_path / "t"))
    read = lambda: spark.read.parquet(str(tmp_path / "t"))  # noqa: E731
    if mode == "LEGACY":
        compare_left(spark, read, words, 'column "d" may be of the calendar before')
    else:
        compare(spark, read, words)


def test_days_of_nobody_knows_which_calendar_are_sparks(spark: SparkSession, words: Words, tmp_path: Path) -> None:
    pq.write_table(pa.table({"d": [dt.date(1200, 1, 1)]}), tmp_path / "x.parquet")
    for mode in ("LEGACY", "CORRECTED"):
        compare(spark, lambda mode=mode: spark.read.option("datetimeRebaseMode", mode).parquet(str(tmp_path / "x.parquet")))
    words.wait('column "d" may be of the calendar before')
    with pytest.raises(Exception, match="(?i)rebase|calendar|upgrad"):
        spark.read.option("datetimeRebaseMode", "EXCEPTION").parquet(str(tmp_path / "x.parquet")).collect()


OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"parquet_binaryAsString": True}, 'the column "binary" is BINARY'),
    ({"parquet_inferTimestampNTZ_enabled": False}, 'the column "timestamp us" is INT64'),
    ({"parquet_enableVectorizedReader": False}, "it wants rows, not batches"),
    ({"codegen_maxFields": 5}, "it wants rows, not batches"),
    ({"parquet_fieldId_read_enabled": True}, "fieldId"),
]


@pytest.mark.parametrize(("options", "reason"), OPTIONS, ids=lambda value: str(value)[:40])
def test_options_of_spark_mean_the_same(spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path, options: dict[str, Any], reason: str) -> None:
    settings(**options)
    columns = {**SHARED, "binary": (pa.binary(), [b"a", None, b"b"])}
    path = written(tmp_path / "all.parquet", columns)
    compare_left(spark, lambda: spark.read.parquet(path), words, reason)


def test_row_numbers_are_sparks(spark: SparkSession, words: Words, orders: str) -> None:
    compare_left(spark, lambda: spark.read.parquet(orders).select("id", "_metadata.row_index"), words, "numbers of rows")


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
    compare(spark, lambda: spark.read.parquet(str(folder / "x+y&z.parquet")).where("`a \"b\" ``c``.d` > 1"), words)


def test_a_damaged_file_is_sparks_error_or_passed_over(spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "d" / "1.parquet")
    (tmp_path / "d" / "2.parquet").write_bytes(b"PAR1 nothing of this is true PAR1")
    read = lambda: spark.read.schema("a LONG").parquet(str(tmp_path / "d"))  # noqa: E731
    with pytest.raises(Exception, match="2.parquet") as ours:
        read().collect()
    spark.conf.set(SWITCH, "false")
    with pytest.raises(Exception, match="2.parquet") as theirs:
        read().collect()
    spark.conf.set(SWITCH, "true")
    assert type(ours.value) is type(theirs.value)
    settings(files_ignoreCorruptFiles=True)
    compare_left(spark, read, words, "cannot be read")
    assert read().count() == 2


@pytest.mark.parametrize("wrong", [60_000, 95_000])
def test_spark_reads_on_where_bowshot_cannot(spark: SparkSession, words: Words, tmp_path: Path, wrong: int) -> None:
    names = pa.array([b"n%d" % i if i != wrong else b"\xff\xfe" for i in range(100_000)], pa.binary())
    text = pa.StringArray.from_buffers(len(names), names.buffers()[1], names.buffers()[2])
    data = pa.table({"id": range(100_000), "name": text, "l": [[i, None] for i in range(100_000)]})
    pq.write_table(data, tmp_path / "x.parquet", row_group_size=20_000)
    query = "SELECT sum(id), count(name), count(DISTINCT name), sum(hash(name, l, id)) FROM parquet.`{}` WHERE id >= 0"
    compare_left(spark, lambda: spark.sql(query.format(tmp_path / "x.parquet")), words, "cannot be read to its end: .*UTF-8")


def test_a_missing_file_is_sparks_error(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "x.parquet")
    df = spark.read.parquet(str(tmp_path / "x.parquet"))
    (tmp_path / "x.parquet").unlink()
    with pytest.raises(Exception, match=r"(?s)x\.parquet.*(not exist|NOT_EXIST)"):
        df.collect()


def test_encrypted_files_are_sparks_error(spark: SparkSession, words: Words, tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PARE" + b"\0" * 60 + b"\x10\0\0\0PARE")
    with pytest.raises(Exception, match=r"x\.parquet"):
        spark.read.schema("a LONG").parquet(str(tmp_path / "x.parquet")).collect()


def test_streams_are_read(spark: SparkSession, orders: str, tmp_path: Path) -> None:
    stream = spark.readStream.schema("id INT, price DOUBLE, name STRING, day DATE, shop STRING").parquet(orders)
    query = stream.writeStream.format("memory").queryName("streamed").trigger(availableNow=True).option("checkpointLocation", str(tmp_path / "c")).start()
    query.awaitTermination(60)
    compare_free = spark.table("streamed")
    assert compare_free.selectExpr("count(*)", "sum(id)").first() == (3000, sum(range(3000)))


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
        compare(spark, lambda path=path: spark.read.parquet(str(path)))
