"""What goes wrong with a shared result is told to all who fetch it, and nothing of it stays."""

from __future__ import annotations

import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from tests.postgres_extension.server import Server, connect, running, table
from tests.postgres_extension.shared import Shared, declare, declared, fetch_sql, fetched
from tests.postgres_extension.test_survival import PATIENCE, resident, wait_until_gone

# A table by plan, and a series by result; both are far more than a socket holds.
BY_PLAN = "SELECT * FROM long"
BY_RESULT = "SELECT n, repeat('x', 1000) AS pad FROM generate_series(1, 300000) n"
BOTH = pytest.mark.parametrize("sql", [BY_PLAN, BY_RESULT], ids=["plan", "result"])


@pytest.fixture(scope="module", autouse=True)
def long(server: Server) -> Iterator[None]:
    server.execute("CREATE TABLE long AS SELECT n, repeat('x', 1000) AS pad FROM generate_series(1, 40000) n")
    server.execute("VACUUM ANALYZE long")
    yield
    server.execute("DROP TABLE long")


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.02)


def workers(server: Server) -> int:
    """How many results the server holds."""
    with psycopg.connect(server.uri, autocommit=True) as connection:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'bowshot shared result'"
        (count,) = connection.execute(sql).fetchone() or (0,)
        return int(count)


@pytest.fixture(autouse=True)
def nothing_stays(server: Server) -> Iterator[None]:
    yield
    wait_until(lambda: workers(server) == 0)


@pytest.mark.parametrize("order", ["", " ORDER BY n"])
def test_an_error_of_the_query_is_everybodys(server: Server, order: str) -> None:
    with declared(server, f"SELECT n, 1 / (n - 39000) AS x FROM long{order}", 3) as shared:
        found = shared.outcomes()
        failed = [outcome for outcome in found if isinstance(outcome, psycopg.Error)]
        assert failed
        assert all(isinstance(error, psycopg.errors.DivisionByZero) for error in failed)
        # It happened to one at most.
        assert sum("shared result" not in (error.diag.context or "") for error in failed) <= 1
    with declared(server, f"SELECT n, 1 / (n - 39000) AS x FROM long{order}", 3) as shared:
        for part in (1, 2, 3):
            with pytest.raises(psycopg.errors.DivisionByZero):
                shared.fetch(part)
        # All have been told.
        with pytest.raises(psycopg.errors.InvalidCursorName):
            shared.fetch(1)


@BOTH
def test_a_part_that_is_cancelled_fails_the_others(server: Server, sql: str) -> None:
    with declared(server, sql, 3) as shared, server.connect() as connection, server.connect() as other:
        with pytest.raises(psycopg.errors.QueryCanceled):
            fetched(connection, shared.name, 2, connection.cancel_safe)
        for part in (1, 3):
            wanted = "part 2 was not read to its end: canceling statement"
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match=wanted):
                fetched(other, shared.name, part)
        assert table(connection, "SELECT 1 AS one").num_rows == 1


@BOTH
def test_a_client_that_goes_away_fails_the_others(server: Server, sql: str) -> None:
    with declared(server, sql, 2) as shared:
        connection = server.connect()
        pid = connection.info.backend_pid
        session = connection.pgconn
        session.send_query(fetch_sql(shared.name, 1).encode())
        select.select([session.socket], [], [], PATIENCE)
        with socket.socket(fileno=os.dup(session.socket)) as raw:
            # The last one that is closed tells the server at once, whatever waits to be sent.
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="part 1 was not read to its end"):
            shared.fetch(2, lambda: wait_until_gone(server, pid))


@BOTH
@pytest.mark.parametrize("how", ["cancel", "terminate"])
def test_a_holder_that_ends_fails_all(server: Server, sql: str, how: str) -> None:
    with declared(server, sql, 2) as shared:
        end = f"SELECT pg_{how}_backend({shared.seen('holder_pid')})"

        def act() -> None:
            server.execute(end)
            wait_until(lambda: shared.seen("failure") is not None)

        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="holds the result has ended"):
            shared.fetch(1, act)
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="holds the result has ended"):
            shared.fetch(2)


@BOTH
def test_a_reader_whose_session_is_terminated_fails_the_others(server: Server, sql: str) -> None:
    with declared(server, sql, 2) as shared, server.connect() as connection:
        end = f"SELECT pg_terminate_backend({connection.info.backend_pid})"
        with pytest.raises(psycopg.OperationalError):
            fetched(connection, shared.name, 1, lambda: server.execute(end))
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="part 1 was not read to its end"):
            shared.fetch(2)


@BOTH
@pytest.mark.parametrize("how", ["close", "terminate", "leave"])
def test_what_its_owner_ends_is_closed(server: Server, sql: str, how: str) -> None:
    owner = server.connect()
    shared = declare(owner, server.uri, sql, 2)
    pid = owner.info.backend_pid

    def end() -> None:
        if how == "close":
            owner.execute("SELECT bowshot.close(%s)", [shared.name])
        elif how == "terminate":
            server.execute(f"SELECT pg_terminate_backend({pid})")
        else:
            owner.close()
        if how != "close":
            wait_until_gone(server, pid)

    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="was closed"):
        shared.fetch(1, end)
    with pytest.raises(psycopg.errors.InvalidCursorName, match="does not exist"):
        shared.fetch(2)
    owner.close()


@BOTH
def test_a_result_that_nobody_fetches_ends(server: Server, sql: str) -> None:
    with declared(server, sql, 2, timeout="300 milliseconds") as shared:
        # While somebody reads, however slowly, it stays.
        assert shared.fetch(1, lambda: time.sleep(1)).num_rows > 0
        wait_until(lambda: shared.seen("failure") is not None)
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="nobody fetched its next part in time"):
            shared.fetch(2)


@BOTH
def test_who_reads_slowly_keeps_nobody_waiting(server: Server, sql: str) -> None:
    with declared(server, sql, 3) as shared:
        others: list[pa.Table] = []
        slow = shared.fetch(1, lambda: others.extend([shared.fetch(2), shared.fetch(3)]))
        numbers = [number for part in [slow, *others] for number in part["n"].to_pylist()]
        assert sorted(numbers) == list(range(1, len(numbers) + 1))
        assert len(numbers) in (40_000, 300_000)
        assert slow.num_rows < len(numbers) / 2


def test_who_wants_to_alter_the_table_is_told_apart(server: Server) -> None:
    with declared(server, BY_PLAN, 1) as shared, server.connect() as other:

        def alter() -> None:
            with suppress(psycopg.errors.LockNotAvailable):
                other.execute("SET lock_timeout = '4s'")
                other.execute("ALTER TABLE long ADD later int")

        thread = threading.Thread(target=alter)
        thread.start()
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        wait_until(lambda: shared.owner.execute(waiting).fetchone() == (1,))
        with pytest.raises(psycopg.errors.LockNotAvailable, match='somebody waits to alter the table "long"'):
            shared.fetch(1)
        thread.join()
        # Nothing of the part was sent: it can be fetched again.
        assert shared.fetch(1).num_rows == 40_000


def test_a_declaration_that_takes_too_long_can_be_cancelled(server: Server) -> None:
    with server.connect() as owner:
        owner.execute(
            "CREATE FUNCTION slow() RETURNS int LANGUAGE plpgsql IMMUTABLE AS"
            " $$ BEGIN PERFORM pg_sleep(60); RETURN 1; END $$"
        )
        owner.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            declare(owner, server.uri, "SELECT slow()", 2)
        owner.execute("RESET statement_timeout")
        wait_until(lambda: workers(server) == 0)
        owner.execute("DROP FUNCTION slow()")


def declare_many(owner: psycopg.Connection[Any], server: Server, count: int) -> None:
    for _ in range(count):
        declare(owner, server.uri, "SELECT 1", 1)


def test_without_a_worker_or_a_place_it_says_so(testkit: str, programs: Path) -> None:
    with running(testkit, programs, "max_worker_processes=3") as server:
        server.execute("CREATE EXTENSION bowshot")
        with server.connect() as owner:
            with pytest.raises(psycopg.errors.InsufficientResources) as caught:
                declare_many(owner, server, 4)
            assert "max_worker_processes, which is 3" in str(caught.value.diag.message_hint)
            owner.execute("SELECT bowshot.close(name) FROM bowshot.results")
            wait_until(lambda: workers(server) == 0)
            assert declare(owner, server.uri, "SELECT 1 AS one", 1).fetch(1).to_pylist() == [{"one": 1}]
    with running(testkit, programs, "max_worker_processes=40", "max_connections=50") as server:
        server.execute("CREATE EXTENSION bowshot")
        full = pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="32 shared results")
        with server.connect() as owner, full:
            declare_many(owner, server, 33)
        wait_until(lambda: workers(server) == 0)
        with server.connect() as owner:
            assert declare(owner, server.uri, "SELECT 1 AS one", 1).fetch(1).to_pylist() == [{"one": 1}]


def test_another_database_and_another_user_learn_nothing(server: Server) -> None:
    server.execute("CREATE DATABASE elsewhere")
    with psycopg.connect(server.database("elsewhere"), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION bowshot")
    with declared(server, "SELECT 1 AS one", 1) as shared, connect(server.database("elsewhere")) as other:
        with pytest.raises(psycopg.errors.InvalidCursorName) as foreign:
            fetched(other, shared.name, 1)
        with pytest.raises(psycopg.errors.InvalidCursorName) as unknown:
            fetched(other, "nothing", 1)
        assert str(foreign.value).replace(shared.name, "nothing") == str(unknown.value)
        assert other.execute("SELECT count(*) FROM bowshot.results").fetchone() == (0,)
    server.execute("DROP DATABASE elsewhere WITH (FORCE)")


def test_memory_stays_flat_over_a_thousand_rounds(server: Server) -> None:
    with server.connect() as owner, server.connect() as reader:
        queries = [
            "SELECT n, pad FROM long WHERE n < 300",
            "SELECT n, n::text AS t, ARRAY[n] AS a FROM generate_series(1, 500) n",
            "SELECT 1 / (n - 300) AS x FROM generate_series(1, 500) n",
            "SELECT 1 / (n - 300) AS x FROM long",
        ]

        def run(times: int) -> None:
            for turn in range(times):
                # It may fail before it is declared.
                with suppress(psycopg.errors.DivisionByZero):
                    shared = declare(owner, server.uri, queries[turn % len(queries)], 1)
                    fetched(reader, shared.name, 1)

        run(200)
        pids = [connection.info.backend_pid for connection in (owner, reader)]
        before = [resident(pid) for pid in pids]
        run(1000)
        assert all(resident(pid) < memory + (1 << 20) for pid, memory in zip(pids, before, strict=True))
        contexts = "SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'bowshot%'"
        assert all(session.execute(contexts).fetchone() == (0,) for session in (owner, reader))
        wait_until(lambda: workers(server) == 0)
        sizes = owner.execute("SELECT count(*) FROM bowshot.results").fetchone()
        assert sizes == (0,)


def attach(shared: Shared, connection: psycopg.Connection[Any]) -> None:
    """Begins to read a part, and no more."""
    connection.pgconn.send_query(fetch_sql(shared.name, 1).encode())


@BOTH
def test_a_stopped_reader_can_be_terminated(server: Server, sql: str) -> None:
    with declared(server, sql, 1) as shared:
        connection = server.connect()
        attach(shared, connection)
        wait_until(lambda: shared.seen("begun") == 1)
        time.sleep(0.5)
        server.execute(f"SELECT pg_terminate_backend({connection.info.backend_pid})")
        wait_until_gone(server, connection.info.backend_pid)
        connection.close()
