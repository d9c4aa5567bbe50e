# ruff: noqa: PT012, SIM117 - whichever step says no, and blocks that say who closes what
"""Statements that change something: what the databases' own drivers see afterwards."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import adbc_driver_flightsql.dbapi as flight_sql
import psycopg
import pyarrow.flight as flight
import pytest
from tests.gateway.databases import Databases
from tests.gateway.messages import field, packed
from tests.gateway.serving import Gateway, served
from tests.gateway.writing import NAMES, Written, configured, empty_databases


@pytest.fixture(scope="module")
def written(command: str, postgres: str, mariadb: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """All three databases, writable."""
    uris = empty_databases(postgres, mariadb, tmp_path_factory.mktemp("updates"), "updates")
    sources = [f"{name}={uri}" for name, uri in uris.items()]
    flags = [flag for name in uris for flag in ("--writable", name)]
    with served(command, *sources, *flags) as gateway:
        yield Written(gateway, uris)


@pytest.mark.parametrize("name", NAMES)
def test_statements_change_what_they_say(written: Written, name: str) -> None:
    with written.cursor(name) as cursor:
        cursor.execute("CREATE TABLE plain (id int PRIMARY KEY, word varchar(20))")
        assert cursor.fetchall() == []
        cursor.execute("INSERT INTO plain VALUES (1, 'one'), (2, 'it''s'), (3, NULL)")
        assert cursor.rowcount == 3
        cursor.execute("INSERT INTO plain VALUES (?, ?)", (4, "öne 🎯"))
        assert cursor.rowcount == 1
        cursor.execute("INSERT INTO plain VALUES (?, ?)", (5, None))
        cursor.execute(f"UPDATE {name}.plain SET word = 'two' WHERE id IN (2, 3)")
        assert cursor.rowcount == 2
        cursor.executescript("DELETE FROM plain WHERE id = 1")
        cursor.execute("SELECT id, word FROM plain ORDER BY id")
        expected = [(2, "two"), (3, "two"), (4, "öne 🎯"), (5, None)]
        assert cursor.fetchall() == expected
    assert written.rows(name, "SELECT id, word FROM plain ORDER BY id") == expected


def test_metadata_tell_what_is_writable(written: Written) -> None:
    with written.cursor("postgres") as cursor:
        cursor.executescript("CREATE TABLE described (n int)")
    with flight.FlightClient(written.gateway.address.replace("grpc://", "grpc+tcp://")) as client:
        codes = packed("CommandGetSqlInfo", field(1, 3), field(1, 10))
        [endpoint] = client.get_flight_info(flight.FlightDescriptor.for_command(codes)).endpoints
        info = {row["info_name"]: row["value"] for row in client.do_get(endpoint.ticket).read_all().to_pylist()}
    assert info == {3: False, 10: True}, "read-only, bulk ingestion"
    with flight_sql.connect(written.gateway.address, autocommit=True) as connection:
        schema = connection.adbc_get_table_schema("described", catalog_filter="postgres")
        assert schema.field("n").metadata[b"ARROW:FLIGHT:SQL:IS_READ_ONLY"] == b"0"


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_runs_once_each_time_it_is_executed(written: Written, name: str) -> None:
    with written.cursor(name) as cursor:
        cursor.execute("CREATE TABLE once (n int)")
        for _ in range(3):
            cursor.execute("INSERT INTO once VALUES (7)")
        cursor.execute("INSERT INTO once VALUES (7)")
        cursor.adbc_execute_schema("INSERT INTO once VALUES (7)")
    assert written.rows(name, "SELECT count(*) FROM once") == [(4,)]


@pytest.mark.parametrize("name", NAMES)
def test_many_rows_of_parameters_are_one_transaction(written: Written, name: str) -> None:
    rows = [(n, n / 3, f"wörd '{n}'" if n % 5 else None, n.to_bytes(4, "big")) for n in range(1000)]
    blob = "bytea" if name == "postgres" else "blob"
    with written.cursor(name) as cursor:
        cursor.execute(f"CREATE TABLE many (id int PRIMARY KEY, part double precision, word varchar(30), bits {blob})")
        cursor.executemany("INSERT INTO many VALUES (?, ?, ?, ?)", rows)
        assert cursor.rowcount in (1000, -1)
        with pytest.raises(flight_sql.Error):
            cursor.executemany("INSERT INTO many VALUES (?, ?, ?, ?)", [(2000, 0.0, "x", b""), (7, 0.0, "x", b"")])
    assert written.rows(name, "SELECT id, part, word, bits FROM many ORDER BY id") == rows


@pytest.mark.parametrize("name", ["postgres", "mariadb"])
def test_parameters_keep_their_values(written: Written, name: str) -> None:
    row = (
        2**63 - 1,
        Decimal("-1234567890.0123456789"),
        dt.date(2024, 2, 29),
        dt.datetime(1999, 12, 31, 23, 59, 59, 999999),
        True,
        0.1,
    )
    stamp = "timestamp" if name == "postgres" else "datetime(6)"
    with written.cursor(name) as cursor:
        cursor.execute(
            f"CREATE TABLE kept (a bigint, b numeric(30, 10), c date, d {stamp}, e boolean, f double precision)"
        )
        cursor.execute("INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?)", row)
        cursor.executemany("INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?)", [row, row])
    assert [tuple(found) for found in written.rows(name, "SELECT * FROM kept")] == [row] * 3


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("INSERT INTO missing VALUES (1)", ["missing"]),
        ("INSERT INTO refused VALUES ('x')", ["refused", "invalid input"]),
        ("INSERT INTO refused VALUES (1) RETURNING n", ["Unimplemented", "leave RETURNING out"]),
        ("INSERT INTO refused SELECT count(*) FROM mariadb.others", ["Unimplemented", "two sources"]),
        ("BEGIN", ["transaction of its own"]),
        ("SET search_path = x", ["session"]),
        ("DELETE FROM refused; DROP TABLE refused", ["multiple commands"]),
        ("DELETE FROM bowshot.queries", ["Unimplemented", "bowshot"]),
        ("COPY refused FROM STDIN", ["needs rows"]),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(written: Written, sql: str, words: list[str]) -> None:
    with written.cursor("mariadb") as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS others (n int)")
    with written.cursor("postgres") as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS refused (n int)")
        with pytest.raises(flight_sql.Error) as caught:
            cursor.executescript(sql)
        for word in words:
            assert word in str(caught.value), caught.value
    assert written.rows("postgres", "SELECT * FROM refused") == []


def test_a_session_that_only_reads_stays_one(written: Written) -> None:
    with written.cursor("postgres") as cursor:
        cursor.executescript("CREATE SEQUENCE numbers")
        with pytest.raises(flight_sql.Error, match="read-only"):
            cursor.execute("SELECT nextval('numbers')")
            cursor.fetchall()


def test_other_files_are_not_written_to_through_sqlite(written: Written, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with written.cursor("sqlite") as cursor:
        for sql in (f"VACUUM INTO '{target}'", f"ATTACH '{target}' AS other"):
            with pytest.raises(flight_sql.Error):
                cursor.executescript(sql)
    assert not target.exists()


def test_a_cancelled_change_has_not_happened(written: Written) -> None:
    with written.cursor("postgres") as cursor:
        cursor.execute("CREATE TABLE slow (n int)")

    def running() -> int:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'INSERT INTO slow%'"
        return int(written.rows("postgres", sql)[0][0])

    def until(count: int) -> None:
        end = time.monotonic() + 20
        while running() != count:
            assert time.monotonic() < end, "it does not happen"
            time.sleep(0.05)

    with written.cursor("postgres") as cursor:

        def stop() -> None:
            until(1)
            cursor.adbc_cancel()

        stopper = threading.Thread(target=stop)
        stopper.start()
        with pytest.raises(flight_sql.Error):
            cursor.executescript("INSERT INTO slow SELECT 1 FROM pg_sleep(60)")
        stopper.join()
    until(0)
    assert written.rows("postgres", "SELECT count(*) FROM slow") == [(0,)]


def test_changes_are_in_the_history(written: Written) -> None:
    with written.cursor("postgres") as cursor:
        cursor.execute("CREATE TABLE remembered (n int)")
        cursor.execute("INSERT INTO remembered SELECT generate_series(1, 5) /* in the history */")
        with pytest.raises(flight_sql.Error):
            cursor.execute("INSERT INTO remembered VALUES ('x') /* in the history */")
        sql = "SELECT state, rows FROM bowshot.queries WHERE sql LIKE '%in the history%' AND sql LIKE 'INSERT%'"
        cursor.execute(sql)
        found = sorted(tuple(row) for row in cursor.fetchall())
    assert ("finished", 5) in found, found
    assert any(state == "failed" for state, _ in found), found


def test_a_change_that_takes_too_long_has_not_happened(command: str, written: Written) -> None:
    arguments = [f"postgres={written.uris['postgres']}", "--writable", "postgres", "--set", "limits.query_seconds=1"]
    with served(command, *arguments) as gateway, flight_sql.connect(gateway.address, autocommit=True) as connection:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE late (n int)")
            with pytest.raises(flight_sql.Error, match="nothing was changed"):
                cursor.executescript("INSERT INTO late SELECT 1 FROM pg_sleep(30)")
    assert written.rows("postgres", "SELECT count(*) FROM late") == [(0,)]


def test_a_gateway_whose_sources_are_not_writable_says_the_way_out(gateway: Gateway, databases: Databases) -> None:
    with flight_sql.connect(gateway.address, autocommit=True) as connection, connection.cursor() as cursor:
        with pytest.raises(flight_sql.NotSupportedError, match="writable = true"):
            cursor.executescript("DELETE FROM orders")
    with psycopg.connect(databases.postgres) as database:
        assert database.execute("SELECT count(*) FROM orders").fetchone() == (60_000,)


def test_users_write_what_their_rules_say(command: str, written: Written, tmp_path: Path) -> None:
    with written.cursor("postgres") as cursor:
        cursor.executescript("CREATE TABLE open (n int)")
        cursor.executescript("CREATE TABLE closed (n int)")
    users = {
        "reader": ["allow *"],
        "writer": ["write postgres.public.open", "write postgres.public.new*", "allow postgres.public"],
        "all": [],
    }
    config = configured(command, tmp_path / "bowshot.toml", written.uris, users)
    with served(command, "--config", str(config)) as gateway:

        def change(user: str, sql: str) -> None:
            login = {"username": user, "password": "s3cret", "adbc.flight.sql.rpc.call_header.catalog": "postgres"}
            with flight_sql.connect(gateway.address, db_kwargs=login, autocommit=True) as connection:
                with connection.cursor() as cursor:
                    cursor.execute(sql)

        change("writer", "INSERT INTO open SELECT abs(-1)")
        change("all", "INSERT INTO closed VALUES (1)")
        change("all", "CREATE TABLE newer (n int)")
        for user, sql in [
            ("reader", "INSERT INTO open VALUES (2)"),
            ("reader", "DROP TABLE open"),
            ("writer", "INSERT INTO closed VALUES (2)"),
            ("writer", "INSERT INTO open SELECT n FROM mariadb.others"),
            ("writer", "CREATE TABLE new1 (n int)"),
            ("writer", "INSERT INTO open VALUES (length(pg_read_file('PG_VERSION')))"),
        ]:
            with pytest.raises(flight_sql.Error, match=r"(?i)permission_?denied|unauthorized"):
                change(user, sql)
    assert written.rows("postgres", "SELECT n, (SELECT count(*) FROM closed) FROM open") == [(1, 1)]
