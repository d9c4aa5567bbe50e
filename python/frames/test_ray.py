"""`bowshot.ray`: partitions read in Ray's workers, on one state of the database."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bowshot
import bowshot.ray
import pyarrow as pa
import pytest
import ray
from frames.every_case import CASES, both, cells, source_of, travels
from ray.data.aggregate import Count, Sum
from tests.conformance_cases import Case
from tests.test_tickets import ROWS, sessions, until

SQL = "SELECT id, balance, note FROM accounts"


@pytest.fixture(autouse=True)
def collected(request: pytest.FixtureRequest) -> Iterator[None]:
    """Datasets are in reference cycles; the table is dropped when their snapshots are gone."""
    if "accounts" in request.fixturenames:
        request.getfixturevalue("accounts")
    gc.collect()
    yield
    gc.collect()


def lazy(postgres: str, sql: Any = SQL, **options: Any) -> ray.data.Dataset:
    return bowshot.ray.read_sql(sql, postgres, connections=4, **options)


def gone(postgres: str, before: int) -> None:
    def none() -> bool:
        gc.collect()
        return sessions(postgres) <= before

    until(none, "the holder's session stays")


def table(ds: ray.data.Dataset) -> pa.Table:
    return pa.concat_tables(ray.get(ds.to_arrow_refs()) or [ds.schema().base_schema.empty_table()])


@pytest.mark.usefixtures("writers")
def test_one_state_while_writers_write(postgres: str) -> None:
    got = lazy(postgres).aggregate(Count(), Sum("balance"), Sum("id"))
    assert got == {"count()": ROWS, "sum(balance)": 0, "sum(id)": ROWS * (ROWS + 1) // 2}


@pytest.mark.usefixtures("accounts")
def test_the_schema_is_known_before_anything_is_read(postgres: str) -> None:
    whole = bowshot.read_sql(SQL, postgres, return_type="arrow")
    ds = lazy(postgres)
    assert ds.schema(fetch_if_missing=False).base_schema == whole.schema
    got = table(ds).sort_by("id")
    assert got.schema == whole.schema
    assert got.combine_chunks() == whole.sort_by("id").combine_chunks()


@pytest.mark.usefixtures("accounts")
def test_the_session_ends_with_the_last_dataset(postgres: str) -> None:
    before = sessions(postgres)
    ds = lazy(postgres)
    assert sessions(postgres) == before + 1
    derived = ds.select_columns(["id"])
    del ds
    gc.collect()
    assert derived.count() == ROWS
    assert derived.count() == ROWS
    assert sessions(postgres) == before + 1
    del derived
    gone(postgres, before)
    kept = lazy(postgres).materialize()
    gone(postgres, before)
    # The rows are in Ray's store.
    assert sum(table(kept)["id"].to_pylist()) == ROWS * (ROWS + 1) // 2


@pytest.mark.usefixtures("writers")
def test_a_worker_that_is_killed_is_tried_again_with_equal_rows(postgres: str, tmp_path: Path) -> None:
    marker = tmp_path / "killed"

    def deadly(batch: pa.Table) -> pa.Table:
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return batch

    got = table(lazy(postgres).map_batches(deadly, batch_format="pyarrow"))
    assert marker.exists()
    assert sorted(got["id"].to_pylist()) == list(range(1, ROWS + 1))
    assert sum(got["balance"].to_pylist()) == 0


@pytest.mark.usefixtures("accounts")
def test_a_lease_that_ended_is_one_clear_error(postgres: str) -> None:
    ds = lazy(postgres, lease=0.3)
    until(lambda: not sessions(postgres), "the lease never ends")
    with pytest.raises(bowshot.SnapshotGoneError, match="plan the query again"):
        ds.materialize()


@pytest.mark.usefixtures("accounts")
def test_loops_that_leave_early_leave_nothing(postgres: str) -> None:
    before = sessions(postgres)
    ds = lazy(postgres)
    assert len(ds.take(3)) == 3
    assert ds.limit(5).count() == 5
    for _ in ds.iter_batches(batch_size=100, batch_format="pyarrow"):
        break
    del ds, _
    gone(postgres, before)


@pytest.mark.usefixtures("accounts")
def test_a_dataset_that_other_processes_iterate(postgres: str) -> None:
    def total(part: ray.data.DataIterator) -> tuple[int, int]:
        rows = [batch["id"] for batch in part.iter_batches(batch_format="pyarrow")]
        return sum(len(ids) for ids in rows), sum(sum(ids.to_pylist()) for ids in rows)

    ds = lazy(postgres)
    parts = ds.streaming_split(2, equal=False)
    apart = ray.remote(num_cpus=0)(total)
    got = ray.get([apart.remote(part) for part in parts])
    assert tuple(map(sum, zip(*got, strict=True))) == (ROWS, ROWS * (ROWS + 1) // 2)


def test_odd_results(postgres: str, mariadb: str, tmp_path: Path) -> None:
    nothing = bowshot.ray.read_sql("SELECT 1::int8 AS n, 'a' AS t WHERE false", postgres)
    assert nothing.count() == 0
    assert nothing.schema().names == ["n", "t"]
    assert table(nothing).schema == pa.schema([("n", pa.int64()), ("t", pa.string())])
    queries = ["SELECT 1 AS one", "SELECT 2 AS one"]
    with pytest.raises(bowshot.UnsupportedError, match="one_snapshot=False"):
        bowshot.ray.read_sql(queries, mariadb)
    each = bowshot.ray.read_sql(queries, mariadb, one_snapshot=False)
    assert sorted(row["one"] for row in each.take_all()) == [1, 2]
    path = tmp_path / "empty.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b TEXT)")
    connection.close()
    empty = bowshot.ray.read_sql("t", path)
    assert empty.schema().names == ["a", "b"]
    assert empty.count() == 0
    assert empty.take_all() == []
    with pytest.raises(bowshot.SqlError):
        bowshot.ray.read_sql("SELECT * FROM nowhere", postgres)
    bad = bowshot.ray.read_sql("SELECT 1 / (n - 5000) AS q FROM generate_series(1, 9000) n", postgres)
    with pytest.raises(bowshot.SqlError, match="division by zero"):
        bad.count()


def test_arguments_of_ray(postgres: str) -> None:
    ds = bowshot.ray.read_sql("SELECT 1 AS one", postgres, concurrency=1, num_cpus=0.5, memory=1 << 20, params=[])
    assert ds.take_all() == [{"one": 1}]


@pytest.fixture(scope="module")
def databases(testkit: str) -> Iterator[dict[str, Any]]:
    """Both databases with all that the cases read."""
    with both(testkit) as found:
        yield found


@pytest.mark.parametrize(("database", "suite", "case"), CASES)
def test_every_type(databases: dict[str, Any], database: str, suite: str, case: Case) -> None:
    con = databases[database]["suites"][suite]
    sql, options = source_of(case)
    if not travels(sql, con, options):
        with pytest.raises(bowshot.UnsupportedError, match="one_snapshot=False"):
            bowshot.ray.read_sql(sql, con, **options)
        return
    whole = bowshot.read_sql(sql, con, return_type="arrow", **options)
    if len(set(whole.column_names)) < whole.num_columns:
        with pytest.raises(bowshot.ConfigError, match="Ray Data cannot tell apart"):
            bowshot.ray.read_sql(sql, con, **options)
        return
    got = table(bowshot.ray.read_sql(sql, con, **options))
    assert got.schema == whole.schema
    assert cells(got) == cells(whole)
