"""Arrow's text is UTF-8, whatever the database's and the session's encodings are."""

from __future__ import annotations

import bowshot
import psycopg
import pytest
from tests.postgres_extension.server import Server, connect, table

LATIN1 = """CREATE TYPE "Größe" AS ENUM ('groß', 'klein');
CREATE TYPE paar AS ("größe" "Größe", wort text);
CREATE TABLE "Wörter" ("größe" "Größe" NOT NULL, wort text, worte text[], beides paar, "name" name, j json, b jsonb,
    c char(5), p point);
INSERT INTO "Wörter" VALUES ('groß', 'Äpfel', ARRAY['Öl', NULL], ROW('klein', 'süß'), 'Ünicode', '"ä"', '{"ö": "ü"}',
    'é', '(1,2)'), ('klein', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""


@pytest.fixture(scope="module")
def latin1(server: Server) -> str:
    server.execute("CREATE DATABASE latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with psycopg.connect(server.database("latin1"), autocommit=True, client_encoding="utf-8") as connection:
        connection.execute(LATIN1)
        connection.execute("CREATE EXTENSION bowshot")
    return server.database("latin1")


@pytest.mark.parametrize("client_encoding", ["utf-8", "latin1"])
def test_a_latin1_database(latin1: str, client_encoding: str) -> None:
    sql = 'SELECT * FROM "Wörter"'
    expected = bowshot.query(sql, latin1, protocol="copy").to_arrow()
    with connect(latin1, client_encoding=client_encoding) as connection:
        found = table(connection, sql)
        assert found.equals(expected, check_metadata=True)
        assert found["worte"].to_pylist() == [["Öl", None], None]
        # What the session writes afterwards is in its own encoding again.
        assert connection.execute("SELECT wort FROM \"Wörter\" WHERE wort = 'Äpfel'").fetchone() == ("Äpfel",)
        assert connection.execute("SHOW client_encoding").fetchone() != ("SQL_ASCII",)


def test_an_error_in_a_function_leaves_the_sessions_encoding(latin1: str) -> None:
    with connect(latin1, client_encoding="latin1") as connection:
        with pytest.raises(psycopg.errors.DivisionByZero):
            table(connection, "SELECT ARRAY['ä'], 1 / (n - 5) FROM generate_series(1, 9) n")
        assert connection.execute("SELECT 'ß'").fetchone() == ("ß",)


def test_errors_name_columns_in_the_sessions_encoding(latin1: str) -> None:
    wanted = 'column "größe" \\(date\\) holds infinity'
    with (
        connect(latin1, client_encoding="latin1") as connection,
        pytest.raises(psycopg.errors.NumericValueOutOfRange, match=wanted),
    ):
        table(connection, "SELECT 'infinity'::date AS größe")


@pytest.mark.parametrize("client_encoding", ["latin1", "euc_jp"])
def test_a_session_in_another_encoding(server: Server, client_encoding: str) -> None:
    sql = r"SELECT U&'\65E5\672C \20AC' AS text, ARRAY[U&'\65E5'] AS list, 'x' AS plain"
    expected = bowshot.query(sql, server.uri, protocol="copy").to_arrow()
    with server.connect(client_encoding=client_encoding) as connection:
        assert table(connection, sql).equals(expected, check_metadata=True)


def test_a_database_without_encoding(server: Server) -> None:
    server.execute("CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    uri = server.database("bytes")
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION bowshot")
    sql = "SELECT convert_from('\\xc3a4', 'SQL_ASCII') AS good, ARRAY[convert_from('\\xc3b6', 'SQL_ASCII')] AS list"
    bad = "SELECT convert_from('\\xff', 'SQL_ASCII') AS bad"
    expected = bowshot.query(sql, uri, protocol="copy").to_arrow()
    with connect(uri) as connection:
        assert table(connection, sql).equals(expected, check_metadata=True)
        with pytest.raises(bowshot.Error, match="invalid byte sequence"):
            bowshot.query(bad, uri, protocol="copy").to_arrow()
        with pytest.raises(psycopg.errors.CharacterNotInRepertoire, match="invalid byte sequence"):
            table(connection, bad)
