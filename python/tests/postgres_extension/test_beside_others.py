"""Other extensions, other ways to load the library, and a server that may only read."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from tests.postgres_extension.server import Server, running, table


@pytest.mark.parametrize("libraries", ["pg_stat_statements,bowshot", "bowshot,pg_stat_statements"])
def test_other_hooks_are_called(testkit: str, programs: Path, libraries: str) -> None:
    with running(testkit, programs, f"shared_preload_libraries={libraries}") as server:
        server.execute("CREATE EXTENSION pg_stat_statements")
        with psycopg.connect(server.uri, autocommit=True) as connection:
            # Preloaded: no function has to be called first, no extension to be created.
            found = table(connection, "SELECT 41 + 1 AS counted")
            assert found.to_pylist() == [{"counted": 42}]
            connection.execute("CREATE TABLE plain (a int)")
            with connection.cursor().copy("COPY plain TO STDOUT (FORMAT csv)") as copy:
                assert list(copy) == []
            seen = "SELECT query FROM pg_stat_statements WHERE query LIKE 'COPY%' OR query LIKE 'CREATE TABLE%'"
            queries = [query for (query,) in connection.execute(seen)]
            assert any("FORMAT csv" in query for query in queries)
            assert any("CREATE TABLE plain" in query for query in queries)
            # The query inside runs through the executor's hooks, wherever the statement went.
            assert any("FORMAT arrow" in query for query in queries)


def test_a_session_can_preload_it(testkit: str, programs: Path) -> None:
    with (
        running(testkit, programs, "session_preload_libraries=bowshot") as server,
        psycopg.connect(server.uri, autocommit=True) as connection,
    ):
        assert table(connection, "SELECT 1 AS one").num_rows == 1


def test_an_encrypted_connection_carries_it(testkit: str, programs: Path) -> None:
    with running(testkit, programs, tls=True) as server:
        server.execute("CREATE EXTENSION bowshot")
        with server.connect(sslmode="require") as connection:
            assert connection.pgconn.ssl_in_use
            found = table(connection, "SELECT n, repeat('x', n % 50) AS t FROM generate_series(1, 200000) n")
            assert found["n"].to_pylist() == list(range(1, 200_001))
            assert found["t"].to_pylist() == ["x" * (n % 50) for n in range(1, 200_001)]


def test_without_it_postgres_says_what_it_always_says(server: Server) -> None:
    with psycopg.connect(server.uri, autocommit=True) as connection:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match='COPY format "arrow" not recognized'):
            table(connection, "SELECT 1")
        connection.execute("LOAD 'bowshot'")
        assert table(connection, "SELECT 1 AS one").num_rows == 1


def test_read_only_transactions_read(server: Server) -> None:
    with server.connect() as connection:
        connection.execute("SET default_transaction_read_only = on")
        assert table(connection, "SELECT 1 AS one").num_rows == 1
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("CREATE TABLE written (a int)")
        connection.execute("SET default_transaction_read_only = on")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            table(connection, "INSERT INTO written VALUES (1) RETURNING a")


def test_a_transaction_sees_its_own_snapshot(server: Server) -> None:
    with server.connect() as connection, server.connect() as other:
        connection.execute("CREATE TABLE moved AS SELECT 1 AS a")
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert table(connection, "SELECT a FROM moved").num_rows == 1
        other.execute("INSERT INTO moved VALUES (2)")
        assert table(connection, "SELECT a FROM moved").num_rows == 1
        connection.execute("INSERT INTO moved VALUES (3)")
        assert table(connection, "SELECT a FROM moved ORDER BY a")["a"].to_pylist() == [1, 3]
        connection.execute("COMMIT")
        assert table(connection, "SELECT a FROM moved").num_rows == 3


def test_dropping_the_extension_leaves_nothing(server: Server) -> None:
    server.execute("CREATE DATABASE dropped")
    with psycopg.connect(server.database("dropped"), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION bowshot")
        connection.execute("DROP EXTENSION bowshot")
        assert connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'bowshot'").fetchone() is None
