# ruff: noqa: PT012, SIM117 - whichever step says no, and blocks that say who closes what
"""What a client sees when something is wrong, and what the database sees when a client is gone."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import psycopg
import pyarrow as pa
import pytest
from tests.gateway.clients import HEADER
from tests.gateway.databases import Databases
from tests.gateway.serving import Gateway, served


def until(done: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.05)


def sleepers(databases: Databases, mark: str) -> int:
    """How many of PostgreSQL's sessions run a query with this mark."""
    sql = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE %s AND pid <> pg_backend_pid()"
    with psycopg.connect(databases.postgres) as connection:
        [count] = connection.execute(sql, [f"%{mark}%"]).fetchone() or [0]
    return int(count)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELEC 1", ["SELEC", "character 1 ", "spelt"]),
        ("SELECT 1 +", ["syntax error", "42601"]),
        ("SELECT id, nonsense FROM orders", ["nonsense", "42703", "character 12 "]),
        ("SELECT * FROM nobody", ["nobody", "42P01", "character 15 "]),
    ],
)
def test_bad_sql_is_told_with_its_place(cursor: Any, sql: str, words: list[str]) -> None:
    with pytest.raises(flight_sql.ProgrammingError) as caught:
        cursor.execute(sql)
    for word in words:
        assert word in str(caught.value)
    cursor.execute("SELECT 1")
    assert cursor.fetchall() == [(1,)]


def test_several_statements_are_one_error(cursor: Any) -> None:
    with pytest.raises(flight_sql.NotSupportedError, match="several statements"):
        cursor.execute("SELECT 1; SELECT 2")


def test_an_error_in_mid_stream_is_no_short_result(cursor: Any) -> None:
    with pytest.raises(flight_sql.Error, match="division by zero"):
        cursor.execute("SELECT 1 / (id - 59999) FROM orders")
        cursor.fetch_arrow_table()


@pytest.mark.parametrize(
    "sql", ["CREATE TABLE made (n int)", "INSERT INTO customers VALUES (0, 'x')", "DELETE FROM orders"]
)
def test_what_changes_something_is_refused(cursor: Any, databases: Databases, sql: str) -> None:
    with pytest.raises(flight_sql.Error):
        cursor.execute(sql)
        cursor.fetchall()
    with pytest.raises(flight_sql.Error):
        cursor.executescript(sql)
    with psycopg.connect(databases.postgres) as connection:
        assert connection.execute("SELECT count(*), to_regclass('made') FROM orders").fetchone() == (60_000, None)


def test_ingest_is_refused(cursor: Any) -> None:
    with pytest.raises(flight_sql.NotSupportedError):
        cursor.adbc_ingest("made", pa.table({"n": [1]}), mode="create")


def test_a_cancelled_query_ends_in_the_database(cursor: Any, databases: Databases) -> None:
    sql = "SELECT /* cancelled by ADBC */ pg_sleep(60)"

    def stop() -> None:
        until(lambda: sleepers(databases, "cancelled by ADBC") > 0)
        cursor.adbc_cancel()

    stopper = threading.Thread(target=stop)
    stopper.start()
    with pytest.raises(flight_sql.Error):
        cursor.execute(sql)
        cursor.fetchall()
    stopper.join()
    until(lambda: sleepers(databases, "cancelled by ADBC") == 0)


def test_a_reader_that_leaves_ends_its_query(gateway: Gateway, databases: Databases) -> None:
    sql = "SELECT repeat('x', 1000), n /* left alone */ FROM generate_series(1, 20000000) n"
    with flight_sql.connect(gateway.address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        reader = cursor.fetch_record_batch()
        assert reader.read_next_batch().num_rows > 0
        until(lambda: sleepers(databases, "left alone") > 0)
    until(lambda: sleepers(databases, "left alone") == 0)


@pytest.fixture(scope="module")
def guarded(command: str, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A gateway with one user, ann."""
    hashed = subprocess.run([command, "hash-password"], input="s3cret", capture_output=True, text=True, check=True)
    config = Path(tmp_path_factory.mktemp("config"), "bowshot.toml")
    config.write_text(
        f'[[source]]\nname = "shop"\nuri = "{databases.postgres}"\n'
        f'[[user]]\nname = "ann"\npassword_hash = "{hashed.stdout.strip()}"\n'
    )
    with served(command, "--config", str(config)) as gateway:
        yield gateway


def test_only_users_get_in(guarded: Gateway) -> None:
    good = {"username": "ann", "password": "s3cret"}
    with flight_sql.connect(guarded.address, db_kwargs=good, autocommit=True) as connection:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM orders")
            assert cursor.fetchall() == [(60_000,)]
    for wrong in ({"username": "ann", "password": "wrong"}, {"username": "bob", "password": "s3cret"}):
        with pytest.raises(flight_sql.Error, match=r"(?i)unauthenticated") as caught:
            flight_sql.connect(guarded.address, db_kwargs=wrong, autocommit=True).cursor().execute("SELECT 1")
        assert "s3cret" not in str(caught.value)
    with pytest.raises(flight_sql.Error, match=r"(?i)unauthenticated"):
        flight_sql.connect(guarded.address, autocommit=True).cursor().execute("SELECT 1")


def test_a_source_that_nobody_serves_is_named(several: Gateway) -> None:
    options = {HEADER + "catalog": "nowhere"}
    with flight_sql.connect(several.address, db_kwargs=options, autocommit=True) as connection:
        with (
            connection.cursor() as cursor,
            pytest.raises(flight_sql.Error, match=r"nowhere.*mariadb|postgres, mariadb"),
        ):
            cursor.execute("SELECT 1")
