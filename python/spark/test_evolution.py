"""Folders of files whose columns have changed over time, each cell compared with Spark's own reader."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from spark.cells import assert_same, rows, types
from spark.shared_types import UTC, D


def written(folder: Path, *files: dict[str, pa.Array]) -> str:
    """A folder of Parquet files, in this order."""
    folder.mkdir(parents=True)
    for number, columns in enumerate(files):
        pq.write_table(pa.table(columns), folder / f"{number}.parquet", row_group_size=2)
    return str(folder)


def bowshot(spark: SparkSession, path: str | Path, **options: Any) -> DataFrame:
    return spark.read.format("bowshot").options(**options).load(str(path))


@pytest.fixture
def grown(tmp_path: Path) -> str:
    """Three files: the second lacks a column and has another, the third has both, in another order."""
    return written(
        tmp_path / "grown",
        {"id": pa.array([1, None, 3]), "name": pa.array(["a", None, "c"])},
        {"id": pa.array([4, 5, 6]), "tags": pa.array([["x"], [], None], pa.list_(pa.string()))},
        {
            "tags": pa.array([["y", None]], pa.list_(pa.string())),
            "name": pa.array(["g"]),
            "at": pa.array([dt.datetime(2024, 1, 1, tzinfo=UTC)], pa.timestamp("us", "UTC")),
            "id": pa.array([7]),
        },
    )


@pytest.mark.parametrize(
    "expression", ["*", "tags", "at, id", "name, tags", "count(*), count(name), count(at), max(id), min(at), max(at)"]
)
def test_a_column_that_a_file_lacks_is_null(spark: SparkSession, grown: str, expression: str) -> None:
    ours, theirs = bowshot(spark, grown), spark.read.option("mergeSchema", True).parquet(grown)
    columns = [column.strip() for column in expression.split(", ")]
    assert_same(ours.selectExpr(*columns), theirs.selectExpr(*columns))
    assert_same(bowshot(spark, grown, partition_bytes=1).selectExpr(*columns), theirs.selectExpr(*columns))


@pytest.mark.parametrize(
    "condition",
    [
        "name IS NULL",
        "name IS NOT NULL",
        "name = 'g'",
        "at > '2000-01-01'",
        "at IS NULL AND id > 2",
        "name <=> NULL OR id = 1",
    ],
)
def test_filters_of_a_column_that_a_file_lacks(spark: SparkSession, grown: str, condition: str) -> None:
    ours, theirs = bowshot(spark, grown), spark.read.option("mergeSchema", True).parquet(grown)
    assert_same(ours.where(condition), theirs.where(condition))


def test_files_that_lack_a_column_are_left_out_by_its_filters(spark: SparkSession, grown: str) -> None:
    chosen = bowshot(spark, grown, partition_bytes=1).where("at IS NOT NULL")
    assert chosen.count() == 1
    assert chosen.rdd.getNumPartitions() == 1


WIDER: list[tuple[str, pa.Array, pa.Array, str]] = [
    ("int_long", pa.array([2**31 - 1, None, -(2**31)], pa.int32()), pa.array([2**63 - 1, None], pa.int64()), "bigint"),
    ("byte_int", pa.array([-128, 127], pa.int8()), pa.array([2**31 - 1, None], pa.int32()), "int"),
    ("short_long", pa.array([-(2**15), None], pa.int16()), pa.array([-(2**63)], pa.int64()), "bigint"),
    ("float_double", pa.array([0.1, None, -0.0, float("nan")], pa.float32()), pa.array([0.1, 1e300]), "double"),
    ("int_double", pa.array([2**31 - 1, None], pa.int32()), pa.array([0.5, float("inf"), -0.0]), "double"),
    (
        "longer",
        pa.array([D("-9999999.99"), None], pa.decimal128(9, 2)),
        pa.array([D("1" * 20 + ".25")], pa.decimal128(22, 2)),
        "decimal(22,2)",
    ),
    (
        "finer",
        pa.array([D("9999999.99"), None], pa.decimal128(9, 2)),
        pa.array([D("-0.0001")], pa.decimal128(11, 4)),
        "decimal(11,4)",
    ),
    (
        "at",
        pa.array([dt.datetime(2024, 1, 1, 1, 1, 1, 1000, UTC), None], pa.timestamp("ms", "UTC")),
        pa.array([dt.datetime(1969, 1, 1, 1, 1, 1, 1, UTC)], pa.timestamp("us", "UTC")),
        "timestamp",
    ),
]


@pytest.fixture
def plain(spark: SparkSession) -> Iterator[None]:
    """Spark filters what its own reader has read: pushed down, filters fail on decimals longer than the file's."""
    spark.conf.set("spark.sql.parquet.filterPushdown", "false")
    yield
    spark.conf.unset("spark.sql.parquet.filterPushdown")


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("name", "narrow", "wide", "kind"), WIDER, ids=[case[0] for case in WIDER])
def test_the_wider_type_is_read(
    spark: SparkSession, tmp_path: Path, name: str, narrow: pa.Array, wide: pa.Array, kind: str, turned: bool
) -> None:
    files = [{name: narrow, "n": pa.array(range(len(narrow)))}, {name: wide, "n": pa.array(range(len(wide)))}]
    path = written(tmp_path / "t", *(reversed(files) if turned else files))
    schema = f"{name} {kind}, n bigint"
    ours, theirs = bowshot(spark, path), spark.read.schema(schema).parquet(path)
    assert types(ours)[name] == kind
    asked = spark.read.format("bowshot").schema(schema).load(path)
    for df in (ours, asked):
        assert_same(df, theirs)
        assert_same(
            df.selectExpr(f"min({name})", f"max({name})", f"count({name})"),
            theirs.selectExpr(f"min({name})", f"max({name})", f"count({name})"),
        )
        for value in (row[0] for row in theirs.selectExpr(f"string({name})").distinct().collect()):
            condition = f"{name} IS NULL" if value is None else f"{name} >= CAST('{value}' AS {kind})"
            assert_same(df.where(condition), theirs.where(condition))


@pytest.mark.parametrize(
    ("name", "narrow", "kind"),
    [(name, narrow, kind) for name, narrow, _, kind in WIDER],
    ids=[case[0] for case in WIDER],
)
def test_a_wider_type_than_that_of_the_files_is_read(
    spark: SparkSession, tmp_path: Path, name: str, narrow: pa.Array, kind: str
) -> None:
    path = written(tmp_path / "t", {name: narrow})
    ours, theirs = (spark.read.format(source).schema(f"{name} {kind}").load(path) for source in ("bowshot", "parquet"))
    assert_same(ours, theirs)


def test_a_narrower_type_is_an_error_by_column(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "t", {"v": pa.array([1], pa.int32())}, {"v": pa.array([2**40])})
    with pytest.raises(Exception, match=r'(?s)"v".*1099511627776'):
        spark.read.format("bowshot").schema("v INT").load(path).collect()
    path = written(tmp_path / "u", {"v": pa.array([D("1.25")], pa.decimal128(9, 2))})
    with pytest.raises(Exception, match=r'(?s)"v".*1\.25'):
        spark.read.format("bowshot").schema("v DECIMAL(9, 1)").load(path).collect()


def test_types_that_have_no_wider_one_are_refused_or_chosen(spark: SparkSession, tmp_path: Path) -> None:
    path = written(
        tmp_path / "t", {"v": pa.array([2**53]), "k": pa.array([1])}, {"v": pa.array([0.5]), "k": pa.array([2])}
    )
    with pytest.raises(
        IllegalArgumentException, match=r'(?s)column "v" is int64 in .*0\.parquet and float64 in .*1\.parquet'
    ):
        bowshot(spark, path)
    chosen = spark.read.format("bowshot").schema("v DOUBLE, k LONG").load(path)
    assert rows(chosen.orderBy("k")) == rows(pa.table({"v": [2.0**53, 0.5], "k": [1, 2]}))
    # What is not read has no say.
    assert sorted(row.k for row in chosen.select("k").collect()) == [1, 2]
    path = written(tmp_path / "u", {"v": pa.array([2**53 + 1])}, {"v": pa.array([0.5])})
    with pytest.raises(Exception, match=r'(?s)"v".*9007199254740993'):
        spark.read.format("bowshot").schema("v DOUBLE").load(path).collect()


def test_texts_of_every_layout_are_one_column(spark: SparkSession, tmp_path: Path) -> None:
    plain = pa.array(["a", None, "b"])
    path = written(
        tmp_path / "t",
        {"v": plain},
        {"v": plain.cast(pa.large_string())},
        {"v": plain.dictionary_encode()},
        {"v": plain.cast(pa.string_view())},
    )
    assert_same(bowshot(spark, path), spark.read.parquet(path))


def test_arrow_files_grow_too(spark: SparkSession, tmp_path: Path) -> None:
    for number, columns in enumerate([{"a": pa.array([1, None], pa.int16())}, {"b": ["x"], "a": pa.array([2**40])}]):
        pyarrow.feather.write_feather(pa.table(columns), tmp_path / f"{number}.arrow", compression="uncompressed")
    found = rows(bowshot(spark, tmp_path).selectExpr("a", "b").orderBy("a"))
    assert found == rows(pa.table({"a": [None, 1, 2**40], "b": [None, None, "x"]}))


def test_files_that_grow_lie_in_folders_of_keys(spark: SparkSession, tmp_path: Path) -> None:
    written(tmp_path / "t" / "day=1", {"v": pa.array([1], pa.int32())})
    written(tmp_path / "t" / "day=2", {"v": pa.array([2**40]), "w": pa.array(["x"])})
    ours = bowshot(spark, tmp_path / "t")
    theirs = spark.read.schema("v LONG, w STRING, day INT").parquet(str(tmp_path / "t"))
    assert_same(ours, theirs)
    assert_same(ours.where("day = 1"), theirs.where("day = 1"))
    assert_same(ours.select("day"), theirs.select("day"))


def test_several_paths_are_refused_with_a_way_out(spark: SparkSession, grown: str) -> None:
    with pytest.raises(IllegalArgumentException, match=r"several paths are given; .*unionByName"):
        spark.read.format("bowshot").load([f"{grown}/0.parquet", f"{grown}/1.parquet"])
    assert bowshot(spark, f"{grown}/0.parquet").unionByName(bowshot(spark, f"{grown}/1.parquet"), True).count() == 6
