"""A result whose pages parallel workers read, too: the same rows, rights, snapshot and errors, and nothing stays."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.postgres_extension.server import Server, batches, connect, consume, messages, table, tag
from tests.postgres_extension.test_survival import CLIENT, PATIENCE, resident, wait_until_gone

ROWS = 400_000

MIXED = """CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE many (id int NOT NULL, name text, price numeric(15, 2), day date, feeling mood, pair int[], pad text);
INSERT INTO many SELECT n, CASE WHEN n % 7 > 0 THEN 'nämé ' || n END, n * 1.37, date '2000-01-01' + n % 5000,
    (ARRAY['sad', 'ok', 'happy'])[1 + n % 3]::mood, CASE WHEN n % 5 = 0 THEN ARRAY[n, NULL] END, repeat('p', n % 300)
    FROM generate_series(1, 400000) n;
VACUUM ANALYZE many"""


@pytest.fixture(scope="module")
def wide(server: Server) -> Iterator[Server]:
    """The server with a table that is worth a worker."""
    with psycopg.connect(server.uri, autocommit=True) as connection:
        for statement in MIXED.split(";"):
            connection.execute(statement)
    yield server
    server.execute("DROP TABLE many CASCADE")
    server.execute("DROP TYPE mood CASCADE")


def workers(server: Server, leader: int) -> list[int]:
    """The processes that work for a session."""
    with psycopg.connect(server.uri, autocommit=True) as connection:
        found = connection.execute("SELECT pid FROM pg_stat_activity WHERE leader_pid = %s AND pid <> %s", [leader] * 2)
        return [pid for (pid,) in found.fetchall()]


def halfway(server: Server, connection: psycopg.Connection[Any], sql: str, patience: float = PATIENCE) -> list[int]:
    """Who works for a result of which nobody reads more than the beginning, until somebody does."""
    leader = connection.info.backend_pid
    with connection.cursor().copy(f"COPY ({sql}) TO STDOUT (FORMAT arrow)") as copy:
        for _ in range(3):
            assert copy.read()
        deadline = time.monotonic() + patience
        while not (found := workers(server, leader)) and time.monotonic() < deadline:
            time.sleep(0.02)
        with psycopg.connect(server.uri) as other:
            states = other.execute("SELECT state FROM pg_stat_activity WHERE pid = %s", [leader]).fetchone()
        assert states == ("active",), "the whole result was sent before anybody could look"
        while copy.read():
            pass
    return found


def nobody(server: Server, connection: psycopg.Connection[Any], sql: str) -> bool:
    """Whether nobody comes to work for a result."""
    return halfway(server, connection, sql, patience=0.5) == []


def in_order(found: pa.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = found.sort_by("id").to_pylist()
    return rows


def alone(connection: psycopg.Connection[Any], sql: str) -> pa.Table:
    connection.execute("SET max_parallel_workers_per_gather = 0")
    found = table(connection, sql)
    connection.execute("RESET max_parallel_workers_per_gather")
    return found


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM many",
        "SELECT id, upper(name) AS loud, feeling, pad FROM many WHERE id % 5 > 0",
        "SELECT id, price, pad FROM many UNION ALL SELECT -id, price, pad FROM many",
        "SELECT id, pad, few.n FROM many LEFT JOIN (VALUES (1, 'one'), (2, 'two')) few(n, word) ON id % 4 = n",
    ],
)
def test_every_row_arrives_once(wide: Server, sql: str) -> None:
    with wide.connect() as connection:
        assert halfway(wide, connection, sql)
        found = table(connection, sql)
        assert found.schema == alone(connection, sql).schema
        assert in_order(found) == in_order(alone(connection, sql))
        assert workers(wide, connection.info.backend_pid) == []


@pytest.mark.parametrize("options", [", compression 'zstd'", ", batch_bytes 1000", ", batch_bytes 20000000"])
def test_batches_of_every_size_are_handed_over(wide: Server, options: str) -> None:
    with wide.connect() as connection:
        found = pa.Table.from_batches(batches(connection, "SELECT id, pad FROM many", options))
        assert sorted(found["id"].to_pylist()) == list(range(1, ROWS + 1))
        assert pc.sum(pc.binary_length(found["pad"])).as_py() == sum(n % 300 for n in range(1, ROWS + 1))


def test_a_worker_s_values_may_be_larger_than_its_queue(wide: Server) -> None:
    with wide.connect() as connection:
        connection.execute("CREATE TABLE huge (id int, pad text, value text) WITH (parallel_workers = 2)")
        connection.execute("ALTER TABLE huge ALTER value SET STORAGE EXTERNAL")
        connection.execute(
            "INSERT INTO huge SELECT n, repeat('p', 1500), repeat(md5(n::text), 150000) FROM generate_series(1, 60) n"
        )
        sql = "SELECT id, value FROM huge"
        assert halfway(wide, connection, sql)
        found = table(connection, sql)
        sums = connection.execute("SELECT id, md5(value) FROM huge ORDER BY id").fetchall()
        rows = in_order(found)
        assert [(row["id"], hashlib.md5(row["value"].encode()).hexdigest()) for row in rows] == sums
        connection.execute("DROP TABLE huge")


def test_the_tag_counts_the_workers_rows(wide: Server) -> None:
    with wide.connect() as connection:
        assert tag(connection, "COPY many TO STDOUT (FORMAT arrow)") == f"COPY {ROWS}".encode()


def test_who_may_see_few_rows_sees_few(wide: Server) -> None:
    wide.execute("CREATE ROLE clerk LOGIN PASSWORD 'clerk'")
    try:
        wide.execute("GRANT SELECT ON many TO clerk")
        wide.execute("ALTER TABLE many ENABLE ROW LEVEL SECURITY")
        wide.execute("CREATE POLICY few ON many USING (id % 1000 = 0 AND current_user = 'clerk')")
        with connect(wide.uri.replace("postgres:bowshot@", "clerk:clerk@")) as connection:
            # Of a filter that is so strict the planner makes a parallel plan of its own.
            connection.execute("SET parallel_setup_cost = 1e9")
            found = table(connection, "SELECT id FROM many")["id"].to_pylist()
            assert sorted(found) == list(range(1000, ROWS + 1, 1000))
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                messages(connection, "SELECT * FROM pg_authid")
    finally:
        wide.execute("ALTER TABLE many DISABLE ROW LEVEL SECURITY")
        wide.execute("DROP OWNED BY clerk")
        wide.execute("DROP ROLE clerk")


def test_a_transaction_sees_what_it_has_done(wide: Server) -> None:
    with wide.connect() as connection, wide.connect() as other:
        with connection.transaction(force_rollback=True):
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            connection.execute("DELETE FROM many WHERE id % 2 = 0")
            connection.execute("UPDATE many SET name = 'mine' WHERE id = 1")
            connection.execute("INSERT INTO many (id) VALUES (0)")
            other.execute("INSERT INTO many (id) VALUES (-1)")
            try:
                found = in_order(table(connection, "SELECT id, name FROM many"))
            finally:
                other.execute("DELETE FROM many WHERE id = -1")
        assert [row["id"] for row in found] == [0, *range(1, ROWS, 2)]
        assert found[1]["name"] == "mine"


def test_values_depend_on_the_session_alone(wide: Server) -> None:
    with wide.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Kathmandu'; SET DateStyle = 'German'")
        sql = "SELECT id, day::text AS day, now()::text AS t, pad FROM many"
        assert halfway(wide, connection, sql)
        found = table(connection, sql)
        (moment,) = set(found["t"].to_pylist())
        assert moment.endswith("+0545")
        assert found.sort_by("id")["day"][0].as_py() == "02.01.2000"


@pytest.mark.parametrize(
    ("before", "sql"),
    [
        ("CREATE TEMP TABLE own AS SELECT * FROM many; ANALYZE own", "SELECT * FROM own"),
        (
            "CREATE FUNCTION unsafe(int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT $1'",
            "SELECT unsafe(id), pad FROM many",
        ),
        ("SELECT 1", "SELECT id, pad FROM many FOR SHARE"),
        ("SELECT 1", "SELECT id, pad FROM many LIMIT 390000"),
        ("SELECT 1", "SELECT id, pad, currval('counter') FROM many"),
        ("SET max_parallel_workers_per_gather = 0", "SELECT * FROM many"),
        ("SET max_parallel_workers = 0", "SELECT * FROM many"),
        ("CREATE TYPE both_of AS (a int, b text)", "SELECT id, pad, (id, name)::both_of FROM many"),
    ],
)
def test_what_workers_must_not_do_the_session_does(wide: Server, before: str, sql: str) -> None:
    with wide.connect() as connection, connection.transaction(force_rollback=True):
        connection.execute("CREATE SEQUENCE counter; SELECT nextval('counter')")
        connection.execute(before)
        assert nobody(wide, connection, sql)


def test_an_order_is_kept(wide: Server) -> None:
    with wide.connect() as connection:
        assert table(connection, "SELECT id, pad FROM many ORDER BY id")["id"].to_pylist() == list(range(1, ROWS + 1))


def test_a_table_may_have_its_own_number_of_workers(wide: Server) -> None:
    with wide.connect() as connection:
        connection.execute("ALTER TABLE many SET (parallel_workers = 0)")
        assert nobody(wide, connection, "SELECT * FROM many")
        connection.execute("ALTER TABLE many RESET (parallel_workers)")
        assert halfway(wide, connection, "SELECT * FROM many")


def test_one_part_of_a_shared_result_has_workers(wide: Server) -> None:
    with wide.connect() as connection:
        connection.execute("SELECT bowshot.declare('whole', 'SELECT id, pad FROM many', 1)")
        received: list[bytes] = []
        found: list[int] = []
        pid = connection.info.backend_pid
        consume(connection, "SELECT bowshot.fetch('whole', 1)", received, lambda: found.extend(workers(wide, pid)))
        assert found
        ids = pa.ipc.open_stream(b"".join(received)).read_all()["id"].to_pylist()
        assert sorted(ids) == list(range(1, ROWS + 1))


def test_an_error_of_a_worker_is_the_query_s(wide: Server) -> None:
    with wide.connect() as connection:
        for wrong in (ROWS, 1, ROWS // 2):
            received: list[bytes] = []
            with pytest.raises(psycopg.errors.DivisionByZero):
                consume(connection, f"SELECT id, pad, 1 / (id - {wrong}) AS x FROM many", received)
            assert not b"".join(received).endswith(b"\xff\xff\xff\xff\0\0\0\0")
            assert table(connection, "SELECT 1 AS one").num_rows == 1
            assert workers(wide, connection.info.backend_pid) == []


def test_a_cancel_and_a_time_limit_end_all(wide: Server) -> None:
    with wide.connect() as connection:
        with pytest.raises(psycopg.errors.QueryCanceled):
            consume(connection, "SELECT id, pad FROM many", [], connection.cancel_safe)
        assert workers(wide, connection.info.backend_pid) == []
        connection.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
            # Each row takes a moment, whoever reads it.
            messages(connection, "SELECT id, repeat(pad, 2000) AS pad FROM many")
        connection.execute("RESET statement_timeout")
        assert workers(wide, connection.info.backend_pid) == []
        assert table(connection, "SELECT id FROM many").num_rows == ROWS


def test_a_worker_that_is_terminated_fails_the_query(wide: Server) -> None:
    with wide.connect() as connection:
        pid = connection.info.backend_pid

        def terminate() -> None:
            for worker in workers(wide, pid):
                wide.execute(f"SELECT pg_terminate_backend({worker})")

        with pytest.raises(psycopg.Error, match=r"terminating|connection to parallel worker"):
            consume(connection, "SELECT id, repeat(pad, 20) AS pad FROM many", [], terminate)
        assert table(connection, "SELECT id FROM many").num_rows == ROWS


def test_a_client_that_goes_away_takes_the_workers_along(wide: Server) -> None:
    sql = "COPY (SELECT id, repeat(pad, 20) AS pad FROM many) TO STDOUT (FORMAT arrow)"
    with subprocess.Popen([sys.executable, "-c", CLIENT, wide.uri, sql], stdout=subprocess.PIPE, text=True) as client:
        try:
            assert client.stdout is not None
            pid = int(client.stdout.readline())
            deadline = time.monotonic() + PATIENCE
            while not (found := workers(wide, pid)):
                assert time.monotonic() < deadline, "no worker comes"
                time.sleep(0.02)
        finally:
            client.kill()
    for process in (pid, *found):
        wait_until_gone(wide, process)


def test_memory_stays_flat(wide: Server) -> None:
    with wide.connect() as connection:
        pid = connection.info.backend_pid
        for _ in range(5):
            messages(connection, "SELECT id, pad FROM many")
        before = resident(pid)
        for _ in range(20):
            messages(connection, "SELECT id, pad FROM many")
        assert resident(pid) < before + (1 << 20)
