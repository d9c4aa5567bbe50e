"""What goes wrong in the middle of a result, and what a session keeps of it: nothing."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import pyarrow as pa
import pytest
from tests.postgres_extension.server import Server, consume, messages, running, table

# A hundred million rows, none of which waits in the server.
LONG = "SELECT a.n, repeat('x', 1000) AS pad FROM generate_series(1, 10000) a(n), generate_series(1, 10000) b(n)"
# Long enough for a loaded machine; what is waited for comes at once otherwise.
PATIENCE = 60


def resident(pid: int) -> int:
    """The bytes of a process's own memory."""
    pages = [int(field) for field in Path(f"/proc/{pid}/statm").read_text().split()]
    return (pages[1] - pages[2]) * os.sysconf("SC_PAGE_SIZE")


def wait_until_gone(server: Server, pid: int) -> None:
    deadline = time.monotonic() + PATIENCE
    with psycopg.connect(server.uri, autocommit=True) as connection:
        while connection.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone():
            assert time.monotonic() < deadline, "the backend still runs"
            time.sleep(0.05)


def test_memory_stays_flat_over_a_thousand_queries(server: Server) -> None:
    with server.connect() as connection:
        pid = connection.info.backend_pid
        queries = [
            "SELECT n, n::text AS t, ARRAY[n] AS a, (n, 'x')::text AS r FROM generate_series(1, 2000) n",
            "SELECT repeat('y', 300000) AS large FROM generate_series(1, 3)",
            "SELECT 1 / (n - 900) FROM generate_series(1, 1000) n",
            "SELECT CASE WHEN n = 900 THEN 'infinity' ELSE current_date END AS day FROM generate_series(1, 1000) n",
        ]

        def run(times: int) -> None:
            for turn in range(times):
                options = ", compression 'zstd'" if turn % 3 else ""
                with suppress(psycopg.errors.DivisionByZero, psycopg.errors.NumericValueOutOfRange):
                    messages(connection, queries[turn % len(queries)], options)

        run(200)
        before = resident(pid)
        run(1000)
        assert resident(pid) < before + (1 << 20)
        contexts = "SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'bowshot%'"
        assert connection.execute(contexts).fetchone() == (0,)


def test_memory_does_not_grow_with_the_result(server: Server) -> None:
    with server.connect() as connection:
        pid = connection.info.backend_pid
        messages(connection, f"{LONG} LIMIT 1000")
        before, peak, received = resident(pid), 0, 0
        with connection.cursor().copy(f"COPY ({LONG} LIMIT 200000) TO STDOUT (FORMAT arrow)") as copy:
            for message in copy:
                received += len(message)
                peak = max(peak, resident(pid))
        assert received > 200_000_000
        assert peak < before + (16 << 20)


def test_memory_of_a_huge_value_is_given_back(server: Server) -> None:
    sql = "SELECT CASE WHEN n = 10 THEN repeat('x', n * 20000000) ELSE 'x' END AS t FROM generate_series(1, 500000) n"
    with server.connect() as connection:
        pid = connection.info.backend_pid
        messages(connection, f"{LONG} LIMIT 1000")
        before, last = resident(pid), 0
        with connection.cursor().copy(f"COPY ({sql}) TO STDOUT (FORMAT arrow)") as copy:
            for _ in copy:
                last = resident(pid)
        assert last < before + (64 << 20)


def test_a_cancelled_query_leaves_the_session_usable(server: Server) -> None:
    with server.connect() as connection:
        with pytest.raises(psycopg.errors.QueryCanceled):
            consume(connection, LONG, [], connection.cancel_safe)
        assert table(connection, "SELECT 1 AS one").to_pylist() == [{"one": 1}]


def test_a_time_limit_ends_it(server: Server) -> None:
    with server.connect() as connection:
        connection.execute("SET statement_timeout = '200ms'")
        with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
            messages(connection, LONG)
        connection.execute("RESET statement_timeout")
        assert table(connection, "SELECT 1 AS one").num_rows == 1


def test_an_error_in_mid_query_follows_whole_batches(server: Server) -> None:
    with server.connect() as connection:
        parts: list[bytes] = []
        with pytest.raises(psycopg.errors.DivisionByZero):
            consume(connection, "SELECT n, 1 / (n - 200000) AS x FROM generate_series(1, 300000) n", parts)
        received = b"".join(parts)
        # No end of stream: what came is not taken for all.
        stream = pa.ipc.open_stream(received)
        rows = sum(batch.num_rows for batch in stream)
        assert 0 < rows < 200_000
        assert not received.endswith(b"\xff\xff\xff\xff\0\0\0\0")
        assert table(connection, "SELECT 1 AS one").num_rows == 1


def test_a_terminated_backend_tells_its_client(server: Server) -> None:
    with server.connect() as connection:
        pid = connection.info.backend_pid
        with pytest.raises(psycopg.OperationalError):
            consume(connection, LONG, [], lambda: server.execute(f"SELECT pg_terminate_backend({pid})"))
    wait_until_gone(server, pid)


# Begins to read, says which backend serves it, and reads no more.
CLIENT = """
import os, select, sys, psycopg
session = psycopg.connect(sys.argv[1]).pgconn
session.exec_(b"SELECT bowshot.version()")
session.send_query(sys.argv[2].encode())
select.select([session.socket], [], [], 60)
os.read(session.socket, 100_000)
print(session.backend_pid, flush=True)
select.select([], [], [])
"""


def test_a_client_that_goes_away_ends_the_query(server: Server) -> None:
    # A process that is killed: it has not read all, so its connection is reset, even where the server waits for room.
    command = [sys.executable, "-c", CLIENT, server.uri, f"COPY ({LONG}) TO STDOUT (FORMAT arrow)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        pid = int(client.stdout.readline())
        with psycopg.connect(server.uri) as connection:
            states = connection.execute("SELECT state FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone()
        assert states == ("active",)
        client.kill()
    wait_until_gone(server, pid)


def test_a_client_that_reads_slowly_loses_nothing(server: Server) -> None:
    with server.connect() as connection:
        rows, sql = 0, f"{LONG} LIMIT 20000"
        received = []
        with connection.cursor().copy(f"COPY ({sql}) TO STDOUT (FORMAT arrow)") as copy:
            for message in copy:
                time.sleep(0.02)
                received.append(bytes(message))
        rows = sum(batch.num_rows for batch in pa.ipc.open_stream(b"".join(received)))
        assert rows == 20_000


def test_a_stopped_client_can_be_terminated(server: Server) -> None:
    connection = server.connect()
    pid = connection.info.backend_pid
    connection.pgconn.send_query(f"COPY ({LONG}) TO STDOUT (FORMAT arrow)".encode())
    # It fills the socket, and waits there.
    time.sleep(1)
    server.execute(f"SELECT pg_terminate_backend({pid})")
    wait_until_gone(server, pid)
    connection.close()


def test_schema_changes_of_others_wait_or_are_told(server: Server) -> None:
    with server.connect() as connection, server.connect() as other:
        connection.execute("CREATE TABLE changed AS SELECT generate_series(1, 1000) AS a")
        with connection.transaction():
            assert table(connection, "SELECT * FROM changed").num_columns == 1
            other.execute("SET lock_timeout = '100ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                other.execute("ALTER TABLE changed ADD b int")
        other.execute("ALTER TABLE changed ADD b int")
        assert table(connection, "SELECT * FROM changed").num_columns == 2


def test_little_work_memory_is_enough(server: Server) -> None:
    with server.connect() as connection:
        connection.execute("SET work_mem = '64kB'")
        found = table(connection, "SELECT n, md5(n::text) AS m FROM generate_series(1, 100000) n ORDER BY m")
        assert found["m"].to_pylist() == sorted(found["m"].to_pylist())


def test_without_memory_the_query_fails_and_the_server_stays(testkit: str, programs: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    with running(testkit, programs, preexec_fn=limit) as server:
        server.execute("CREATE EXTENSION bowshot")
        with server.connect() as connection:
            for sql in (
                "SELECT repeat('x', n * 30000000) AS a, repeat('y', n * 30000000) AS b FROM generate_series(9, 10) n",
                "SELECT ARRAY[repeat('x', n * 25000000)] AS a FROM generate_series(9, 10) n",
            ):
                with pytest.raises(psycopg.errors.OutOfMemory):
                    messages(connection, sql)
                assert table(connection, "SELECT 1 AS one").num_rows == 1
