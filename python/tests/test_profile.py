"""Where the time of real reads went."""

from __future__ import annotations

import asyncio
import json
import pickle
import sqlite3
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bowshot
import psycopg
import pyarrow as pa
import pyarrow.parquet
import pytest
from bowshot.profile import Profile

STATES = ("connecting", "server", "decoding", "waiting", "starved")
SLEEP = "SELECT n, pg_sleep(0.02)::text AS t FROM generate_series(1, 10) n"


def check(profile: Profile) -> Profile:
    """What holds of every profile."""
    for one in profile.partitions:
        assert sum(getattr(one, state) for state in STATES) == pytest.approx(one.duration, abs=1e-6)
        for state in STATES:
            parts = sum(getattr(stretch, state) for stretch in one.stretches)
            assert parts == pytest.approx(getattr(one, state), abs=1e-6)
        connection = next(c for c in profile.connections if c.index == one.connection)
        assert connection.start <= one.start <= one.claimed <= one.end <= connection.end
    assert profile.consumer.waiting + profile.consumer.working == pytest.approx(profile.total, abs=1e-6)
    assert pickle.loads(pickle.dumps(profile)) == profile
    told = profile.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert told["consumer"]["rows"] == profile.rows
    assert profile.summary in str(profile)
    root = ElementTree.fromstring(profile.to_svg())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert profile.outcome in repr(profile)
    return profile


@pytest.fixture(scope="module")
def numbers(postgres: str) -> str:
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS profiled AS SELECT i, 'comment ' || i AS s FROM generate_series(1, 200000) i"
        )
        connection.commit()
        connection.autocommit = True
        connection.execute("ANALYZE profiled")
    return postgres


READS: dict[str, Callable[[bowshot.Query], Any]] = {
    "arrow": lambda query: query.to_arrow(),
    "pandas": lambda query: query.to_pandas(),
    "pandas on arrow": lambda query: query.to_pandas(dtype_backend="pyarrow"),
    "polars": lambda query: query.to_polars(),
    "table": lambda query: query.to_table(),
    "reader": lambda query: query.to_reader().read_all(),
    "batches": lambda query: list(query.batches()),
    "frames": lambda query: list(query.to_pandas_chunks(30_000)),
    "stream": lambda query: pa.table(query),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_every_return_type_has_one(numbers: str, read: Callable[[bowshot.Query], Any]) -> None:
    query = bowshot.query("SELECT * FROM profiled", numbers, connections=2)
    read(query)
    profile = check(query.profile())
    assert (profile.outcome, profile.site, profile.rows) == ("complete", "server", 200_000)
    assert sum(one.rows for one in profile.partitions) == 200_000
    assert all(one.complete for one in profile.partitions)
    assert query.plan.profile() == profile
    labels = [partition.label for partition in query.plan.partitions]
    assert [one.label for one in profile.partitions] == labels
    assert profile.planned == len(labels)


def test_a_slow_database_is_named(postgres: str) -> None:
    query = bowshot.query(SLEEP, postgres)
    query.to_table()
    profile = check(query.profile())
    assert 0.2 <= profile.server <= profile.total
    assert "server was waited for" in profile.summary


def test_a_slow_consumer_is_named(numbers: str) -> None:
    query = bowshot.query("SELECT * FROM profiled", numbers, connections=1, batch_bytes=1 << 17, buffer_bytes=1)
    for _ in query.batches():
        time.sleep(0.02)
        check(query.profile())
    profile = check(query.profile())
    assert profile.consumer.working > 0.02 * profile.consumer.batches
    assert "consumer" in profile.summary


def test_in_the_middle_and_after_leaving_early(numbers: str) -> None:
    query = bowshot.query("SELECT * FROM profiled", numbers, batch_bytes=1 << 16, buffer_bytes=1)
    batches = query.batches()
    first = next(batches)
    profile = check(query.profile())
    assert (profile.outcome, profile.rows) == ("running", first.num_rows)
    assert "Still reading" in str(profile)
    del batches
    profile = check(query.profile())
    assert profile.outcome == "stopped"
    assert query.profile() == profile, "time stands still"


def test_another_thread_may_ask_while_one_waits(postgres: str) -> None:
    query = bowshot.query("SELECT pg_sleep(1)::text", postgres)
    assert query.schema
    reader = threading.Thread(target=query.to_table)
    reader.start()
    time.sleep(0.3)
    started = time.monotonic()
    profile = check(query.profile())
    assert time.monotonic() - started < 0.5, "it waited for the reader"
    assert profile.outcome == "running"
    assert profile.partitions[0].server > 0.02
    reader.join()


def test_an_error_leaves_what_came_before(numbers: str) -> None:
    query = bowshot.query("SELECT 1 / (i - 150000) FROM profiled", numbers, connections=1)
    with pytest.raises(bowshot.SqlError):
        query.to_arrow()
    profile = check(query.profile())
    assert profile.outcome == "failed"
    assert [connection.failed for connection in profile.connections] == [True]
    assert not all(one.complete for one in profile.partitions)
    assert "The read failed" in str(profile)
    assert "the read failed here" in profile.to_svg()


def test_before_a_read_there_is_none(numbers: str) -> None:
    query = bowshot.query("SELECT * FROM profiled", numbers)
    with pytest.raises(bowshot.ConfigError, match="read a query first"):
        query.profile()
    with pytest.raises(bowshot.ConfigError, match="read a query first"):
        query.plan.profile()
    with pytest.raises(bowshot.ConfigError, match="read a query first"):
        bowshot.plan("SELECT * FROM profiled", numbers).profile()


def test_the_last_read_counts(shop: Path) -> None:
    query = bowshot.query("SELECT * FROM items", shop)
    query.to_table()
    plan, first = query.plan, query.profile()
    with sqlite3.connect(shop) as connection:
        connection.execute("DELETE FROM items WHERE rowid > 3")
    query.to_table()
    assert (first.rows, plan.profile().rows, query.profile().rows) == (100, 100, 3)


def test_sqlite_works_in_the_thread_that_reads(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE numbers (n INTEGER)")
        connection.executemany("INSERT INTO numbers VALUES (?)", ((n,) for n in range(100_000)))
    query = bowshot.query("SELECT * FROM numbers", database)
    query.to_table()
    profile = check(query.profile())
    assert (profile.site, profile.rows) == ("here", 100_000)
    assert "database and decoding" in str(profile)
    assert "database and decoding" in profile.to_svg()


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "numbers.parquet"
    pa.parquet.write_table(pa.table({"n": range(100_000)}), path, row_group_size=10_000)
    query = bowshot.query("SELECT * FROM numbers", path.as_uri(), connections=2)
    query.to_table()
    profile = check(query.profile())
    assert (profile.site, profile.rows) == ("files", 100_000)
    assert "waiting for files" in str(profile)


def test_a_driver_reads_in_its_own_thread(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "numbers.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE numbers AS SELECT range AS n FROM range(100000)")
    query = bowshot.query("SELECT * FROM numbers", f"duckdb:///{path}")
    query.to_table()
    profile = check(query.profile())
    assert (profile.site, profile.rows) == ("driver", 100_000)
    assert "waiting for the driver" in str(profile)


def test_a_task_of_asyncio_has_one(shop: Path) -> None:
    query = bowshot.query("SELECT * FROM items", shop)

    async def rows() -> int:
        return sum([len(batch) async for batch in query.abatches()])

    assert asyncio.run(rows()) == check(query.profile()).rows == 100


def test_very_many_partitions(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO numbers VALUES (?)", ((n,) for n in range(12_000)))
    query = bowshot.query("SELECT * FROM numbers", database, partition_on="n", partition_num=12_000, connections=2)
    query.to_table()
    profile = check(query.profile())
    assert profile.planned > 10_000 >= len(profile.partitions)
    assert sum(one.count for one in profile.partitions) == profile.planned
    assert "partitions in" in str(profile)
    assert f"{profile.planned:,} partitions over" in repr(profile)
    assert len(profile.to_svg()) < 200_000


def test_a_result_without_rows(postgres: str) -> None:
    query = bowshot.query("SELECT 1 AS n WHERE false", postgres)
    query.to_table()
    profile = check(query.profile())
    assert (profile.outcome, profile.rows, profile.partitions[0].first_batch) == ("complete", 0, None)
