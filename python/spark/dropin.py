"""What tests of programs that stay as they are share: both readers, compared, and what Bowshot says."""

from __future__ import annotations

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

SWITCH = "spark.bowshot.dropin"
"""By which a session turns Bowshot on and off."""

Read = Callable[[], DataFrame]


def written(path: Path, columns: dict[str, tuple[pa.DataType, list[Any]]], **options: Any) -> str:
    """A file of columns by name, type and values, five times over."""
    data = pa.table({name: pa.array(values * 5, kind) for name, (kind, values) in columns.items()})
    pq.write_table(data, path, **options)
    return str(path)


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
    """What Bowshot says to the log from now on."""

    def __init__(self, log: Path) -> None:
        """Those that come after what is there."""
        self.log = log
        self.start = log.stat().st_size if log.exists() else 0

    def all(self) -> str:
        """Those that have come."""
        return self.log.read_bytes()[self.start :].decode() if self.log.exists() else ""

    def wait(self, pattern: str) -> None:
        """Until it says this: it comes after the query's end."""
        until = time.monotonic() + 20
        while not re.search(pattern, self.all()):
            assert time.monotonic() < until, f"{pattern!r} is not in {self.all()!r}"
            time.sleep(0.05)


@pytest.fixture
def words(log: Path) -> Words:
    """What Bowshot says to the log in one test."""
    return Words(log)


def plan(df: DataFrame) -> str:
    """All plans of a DataFrame, as text."""
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


@pytest.fixture
def orders(tmp_path: Path) -> str:
    """A hive folder of three files, 3,000 rows, in row groups of 100."""
    for day in range(3):
        folder = tmp_path / "orders" / f"day=2026-01-0{day + 1}" / f"shop=s {day}%"
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
