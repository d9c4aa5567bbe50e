"""Loads in processes of their own, against real databases with a few thousand rows."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import cpu, server
from bench.cases import FLOORS, POSTGRES_FLOOR_2, SQLITE_FLOOR, find
from bench.databases import Running
from bench.floor.postgres import slices
from bench.measure import measure, measure_once
from bench.tpch import load_postgres, load_sqlite, psql

SCALE = 0.001
ROWS = 6005


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with lineitem."""
    path = tmp_path_factory.mktemp("tpch") / "tpch.sqlite"
    load_sqlite(path, SCALE)
    return path


@pytest.fixture(scope="module")
def postgres() -> Iterator[server.Server]:
    """A private server, apart from the benchmark's own, with lineitem in the database postgres."""
    folder = Path(tempfile.mkdtemp(prefix="bowshot-bench-"))
    folder.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "server_folder", lambda _: folder / "server")
        with server.running_server() as running:
            load_postgres(running.uri("postgres"), SCALE)
            yield running
        assert server.find_running(folder / "server") is None
    shutil.rmtree(folder)


def test_sqlite_holds_numbers_and_dates_as_sqlite_keeps_them(file: Path) -> None:
    kinds = "typeof(l_orderkey), typeof(l_quantity), typeof(l_discount), typeof(l_shipdate)"
    with sqlite3.connect(file) as connection:
        assert connection.execute(f"SELECT count(*), {kinds} FROM lineitem").fetchone()[0] == ROWS
        found = connection.execute(f"SELECT DISTINCT {kinds} FROM lineitem WHERE l_discount > 0").fetchall()
    assert found == [("integer", "integer", "real", "text")]


def test_postgres_has_the_specifications_types(postgres: server.Server) -> None:
    types = psql(
        postgres.uri("postgres"),
        "SELECT format_type(atttypid, atttypmod), count(*) FROM pg_attribute"
        " WHERE attrelid = 'lineitem'::regclass AND attnum > 0 AND attnotnull GROUP BY 1 ORDER BY 1",
    )
    assert types.split("\n") == [
        "character varying(44)|1",
        "character(1)|2",
        "character(10)|1",
        "character(25)|1",
        "date|3",
        "integer|4",
        "numeric(15,2)|4",
    ]


def test_a_load_is_measured_between_its_floors(file: Path) -> None:
    case, floor = find("sqlite/pandas/pandas-sqlite3"), find(SQLITE_FLOOR)
    first, load, last = measure([case], [floor], Running(str(file), files=[file]), repeat=1)
    assert (first.error, load.error, last.error) == (None, None, None)
    assert load.rows == ROWS
    assert load.floors == {SQLITE_FLOOR: pytest.approx((first.wall + last.wall) / 2)}
    assert 0 < load.rss_start < load.rss_peak
    assert load.client_cpu > 0


def test_every_row_is_in_exactly_one_range_of_the_floor(postgres: server.Server) -> None:
    uri = postgres.uri("postgres")
    for connections in (1, 2, 3):
        counts = [int(psql(uri, sql)) for sql in slices("SELECT count(*) FROM lineitem", connections)]
        assert sum(counts) == ROWS
        assert min(counts) > 0


def test_the_servers_cpu_time_holds_that_of_backends_that_ended(postgres: server.Server) -> None:
    floor = find(POSTGRES_FLOOR_2)
    assert measure_once(floor, Running(postgres.uri("postgres"), postgres.pid)).error is None
    before, children = cpu.server_seconds(postgres.pid), cpu.children(postgres.pid)
    psql(postgres.uri("postgres"), "SELECT count(*) FROM generate_series(1, 2000000)")
    cpu.wait_for_children(postgres.pid, children)
    assert cpu.server_seconds(postgres.pid) - before > 0.05


def test_a_load_that_fails_is_a_measurement_with_its_error() -> None:
    for floor in FLOORS:
        source = "/no/such/file" if floor.database == "sqlite" else "postgresql://127.0.0.1:1/none"
        assert measure_once(floor, Running(source)).error
