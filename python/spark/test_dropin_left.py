"""Files that Bowshot leaves to Spark's own reader: why, and that they are the same."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from spark.dropin import (
    SWITCH,
    Words,
    compare,
    compare_left,
    orders,
    settings,
    switched_on,
    words,
    written,
)
from spark.shared_types import SHARED

__all__ = ["orders", "settings", "switched_on", "words"]


def test_a_default_of_a_column_is_sparks(spark: SparkSession, words: Words, tmp_path: Path) -> None:
    spark.sql(f"CREATE TABLE defaults (id INT) USING parquet LOCATION '{tmp_path}/defaults'")
    try:
        spark.sql("INSERT INTO defaults VALUES (1)")
        spark.sql("ALTER TABLE defaults ADD COLUMN n INT DEFAULT 42")
        compare_left(spark, lambda: spark.table("defaults"), words, 'column "n" has a default')
        assert spark.table("defaults").first() == (1, 42)
    finally:
        spark.sql("DROP TABLE defaults")


def test_other_types_than_the_files_are_sparks(spark: SparkSession, words: Words, tmp_path: Path) -> None:
    folder = tmp_path / "widened"
    folder.mkdir()
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int32())}), folder / "1.parquet")
    pq.write_table(pa.table({"a": pa.array([3, 2**40], pa.int64())}), folder / "2.parquet")

    def read() -> DataFrame:
        return spark.read.schema("a LONG").parquet(str(folder))

    compare_left(spark, read, words, r'left 1 file to Spark: the column "a" is INT32, read as bigint')


def test_columns_that_differ_by_case_are_sparks_error(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "ID": [3, 4]}), tmp_path / "x.parquet")
    with pytest.raises(Exception, match=r"(?i)duplicate field"):
        spark.read.schema("id LONG").parquet(str(tmp_path / "x.parquet")).collect()


@pytest.mark.parametrize("kind", ["INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"])
def test_timestamps_that_spark_wrote_are_the_same(
    spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path, kind: str
) -> None:
    settings(parquet_outputTimestampType=kind)
    spark.sql(
        "SELECT t FROM VALUES (TIMESTAMP '1883-01-01 00:00:00.123'), (NULL), (TIMESTAMP '2024-03-10 02:30:00') AS x(t)"
    ).write.parquet(str(tmp_path / "t"))

    def read() -> DataFrame:
        return spark.read.parquet(str(tmp_path / "t"))

    if kind == "INT96":
        compare_left(spark, read, words, 'the column "t" is INT96')
    else:
        compare(spark, read, words)


@pytest.mark.parametrize("mode", ["LEGACY", "CORRECTED"])
def test_days_of_the_old_calendar_are_the_same(
    spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path, mode: str
) -> None:
    settings(parquet_datetimeRebaseModeInWrite=mode, parquet_outputTimestampType="TIMESTAMP_MICROS")
    spark.sql("SELECT id, DATE '1200-01-01' d, TIMESTAMP '1200-01-01 00:00:00' t FROM range(3)").write.parquet(
        str(tmp_path / "t")
    )

    def read() -> DataFrame:
        return spark.read.parquet(str(tmp_path / "t"))

    if mode == "LEGACY":
        compare_left(spark, read, words, 'column "d" may be of the calendar before')
    else:
        compare(spark, read, words)


def test_days_of_nobody_knows_which_calendar_are_sparks(spark: SparkSession, words: Words, tmp_path: Path) -> None:
    pq.write_table(pa.table({"d": [dt.date(1200, 1, 1)]}), tmp_path / "x.parquet")
    for mode in ("LEGACY", "CORRECTED"):
        compare(spark, partial(spark.read.option("datetimeRebaseMode", mode).parquet, str(tmp_path / "x.parquet")))
    words.wait('column "d" may be of the calendar before')
    with pytest.raises(Exception, match=r"(?i)rebase|calendar|upgrad"):
        spark.read.option("datetimeRebaseMode", "EXCEPTION").parquet(str(tmp_path / "x.parquet")).collect()


OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"parquet_binaryAsString": True}, 'the column "binary" is BINARY'),
    ({"parquet_inferTimestampNTZ_enabled": False}, 'the column "timestamp us" is INT64'),
    ({"parquet_enableVectorizedReader": False}, "it wants rows, not batches"),
    ({"codegen_maxFields": 5}, "it wants rows, not batches"),
    ({"parquet_fieldId_read_enabled": True}, "fieldId"),
]


@pytest.mark.parametrize(("options", "reason"), OPTIONS, ids=lambda value: str(value)[:40])
def test_options_of_spark_mean_the_same(
    spark: SparkSession,
    settings: Callable[..., None],
    words: Words,
    tmp_path: Path,
    options: dict[str, Any],
    reason: str,
) -> None:
    settings(**options)
    columns = {**SHARED, "binary": (pa.binary(), [b"a", None, b"b"])}
    path = written(tmp_path / "all.parquet", columns)
    compare_left(spark, lambda: spark.read.parquet(path), words, reason)


def test_row_numbers_are_sparks(spark: SparkSession, words: Words, orders: str) -> None:
    compare_left(
        spark, lambda: spark.read.parquet(orders).select("id", "_metadata.row_index"), words, "numbers of rows"
    )


def test_a_damaged_file_is_sparks_error_or_passed_over(
    spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path
) -> None:
    (tmp_path / "d").mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "d" / "1.parquet")
    (tmp_path / "d" / "2.parquet").write_bytes(b"PAR1 nothing of this is true PAR1")

    def read() -> DataFrame:
        return spark.read.schema("a LONG").parquet(str(tmp_path / "d"))

    with pytest.raises(Exception, match=r"2\.parquet") as ours:
        read().collect()
    spark.conf.set(SWITCH, "false")
    with pytest.raises(Exception, match=r"2\.parquet") as theirs:
        read().collect()
    spark.conf.set(SWITCH, "true")
    assert type(ours.value) is type(theirs.value)
    settings(files_ignoreCorruptFiles=True)
    compare_left(spark, read, words, "cannot be read")
    assert read().count() == 2


def with_broken_text(path: Path, wrong: int, group: int) -> Path:
    """A file of 100,000 rows of which one holds text that is not UTF-8, which Spark does not mind."""
    names = pa.array([b"n%d" % i if i != wrong else b"\xff\xfe" for i in range(100_000)], pa.binary())
    text = pa.StringArray.from_buffers(len(names), names.buffers()[1], names.buffers()[2])
    data = pa.table({"id": range(100_000), "name": text, "l": [[i, None] for i in range(100_000)]})
    pq.write_table(data, path, row_group_size=group)
    return path


SUMS = "SELECT sum(id), count(name), count(DISTINCT name), sum(hash(name, l, id)) FROM parquet.`{}` WHERE id >= 0"


@pytest.mark.parametrize("wrong", [60_000, 95_000])
def test_spark_reads_on_where_bowshot_cannot(spark: SparkSession, words: Words, tmp_path: Path, wrong: int) -> None:
    path = with_broken_text(tmp_path / "x.parquet", wrong, 20_000)
    reason = "left 1 file to Spark: it cannot be read to its end: .*UTF-8"
    compare_left(spark, partial(spark.sql, SUMS.format(path)), words, reason)


def test_both_may_read_parts_of_one_file(
    spark: SparkSession, settings: Callable[..., None], words: Words, tmp_path: Path
) -> None:
    settings(files_maxPartitionBytes="100kb", files_openCostInBytes="0")
    path = with_broken_text(tmp_path / "x.parquet", 60_000, 3_000)
    assert spark.read.parquet(str(path)).rdd.getNumPartitions() > 5
    compare_left(spark, partial(spark.sql, SUMS.format(path)), words, "left 1 file to Spark: .*UTF-8")


def test_a_missing_file_is_sparks_error(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "x.parquet")
    df = spark.read.parquet(str(tmp_path / "x.parquet"))
    (tmp_path / "x.parquet").unlink()
    with pytest.raises(Exception, match=r"(?s)x\.parquet.*(not exist|NOT_EXIST)"):
        df.collect()


def test_encrypted_files_are_sparks_error(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PARE" + b"\0" * 60 + b"\x10\0\0\0PARE")
    with pytest.raises(Exception, match=r"x\.parquet"):
        spark.read.schema("a LONG").parquet(str(tmp_path / "x.parquet")).collect()
