"""How large partitions are that Bowshot makes by itself: for one process, or for the tasks of others."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import bowshot
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 120_000
MEBIBYTE = 1 << 20


@pytest.fixture(scope="module")
def sources(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[str, str]]]:
    """The same table of about 30 MB in a server, in a database and in a file: what reads it, and where."""
    folder: Path = tmp_path_factory.mktemp("sizes")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS sized")
        connection.execute(
            f"CREATE TABLE sized AS SELECT n AS id, repeat('x', 200) AS note FROM generate_series(1, {ROWS}) n"
        )
        connection.execute("ANALYZE sized")
        with sqlite3.connect(folder / "sized.db") as database:
            database.execute("CREATE TABLE sized (id INTEGER PRIMARY KEY, note TEXT)")
            database.executemany("INSERT INTO sized VALUES (?, ?)", ((n, "x" * 200) for n in range(1, ROWS + 1)))
        database.close()
        table = pa.table({"id": range(1, ROWS + 1), "note": ["x" * 200] * ROWS})
        pq.write_table(table, folder / "sized.parquet", row_group_size=8_000, use_dictionary=False)
        yield {
            "postgres": ("SELECT * FROM sized", postgres),
            "sqlite": ("SELECT * FROM sized", str(folder / "sized.db")),
            "parquet": ("SELECT * FROM data", str(folder / "sized.parquet")),
        }
        connection.execute("DROP TABLE sized")


@pytest.mark.parametrize("source", ["postgres", "sqlite", "parquet"])
def test_partitions_are_as_large_as_asked_and_are_the_result(sources: dict[str, tuple[str, str]], source: str) -> None:
    sql, con = sources[source]
    counts = []
    for size in [2 * MEBIBYTE, 4 * MEBIBYTE, 1 << 40]:
        with bowshot.plan(sql, con, connections=2, partition_bytes=size) as plan:
            counts.append(len(plan.partitions))
            ids = [n for partition in plan.partitions for n in partition.to_arrow()["id"].to_pylist()]
        assert sorted(ids) == list(range(1, ROWS + 1)), size
    fine, middle, coarse = counts
    assert 10 <= fine <= 20, counts
    assert 5 <= middle <= 10, counts
    assert 2 <= coarse <= 3, counts


def test_tasks_of_others_get_large_ones(sources: dict[str, tuple[str, str]]) -> None:
    pytest.importorskip("dask")
    sql, con = sources["postgres"]
    side_by_side = len(bowshot.plan(sql, con, connections=2).partitions)
    frame = bowshot.read_sql(sql, con, return_type="dask", connections=2)
    assert frame.npartitions == 2 < side_by_side
    small = bowshot.read_sql(sql, con, return_type="dask", connections=2, partition_bytes=2 * MEBIBYTE)
    assert small.npartitions >= 10
    assert len(frame) == len(small) == ROWS


def test_a_size_is_at_least_a_byte(sources: dict[str, tuple[str, str]]) -> None:
    with pytest.raises(bowshot.ConfigError, match="partition_bytes must be at least 1, not 0"):
        bowshot.plan(*sources["sqlite"], partition_bytes=0)
