"""The stream: what opens it, how it is cut, and what its options do."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from tests.postgres_extension.server import Server, batches, messages, table, tag

MIXED = """SELECT n AS id, n::text AS name, (n / 7.0)::numeric(20, 6) AS ratio, date '2024-01-01' + n % 400 AS day,
    CASE WHEN n % 3 = 0 THEN NULL ELSE n * 1.5::float8 END AS half, n % 2 = 0 AS even, md5(n::text)::uuid AS code,
    ARRAY[n, NULL] AS pair FROM generate_series(1, 100000) n"""


def test_readers_open_it(server: Server) -> None:
    with server.connect() as connection:
        data = b"".join(messages(connection, MIXED))
    expected = pa.ipc.open_stream(data).read_all()
    assert expected.num_rows == 100_000
    assert expected["id"].to_pylist() == list(range(1, 100_001))
    frame = pl.read_ipc_stream(BytesIO(data))
    assert frame["name"].to_list() == [str(n) for n in range(1, 100_001)]
    stream = pa.ipc.open_stream(data)  # noqa: F841 (DuckDB finds it by its name)
    sums = duckdb.sql("SELECT count(*), sum(id), count(half), sum(pair[1]) FROM stream").fetchone()
    assert sums == (100_000, 5_000_050_000, 66_667, 5_000_050_000)


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_compression_changes_no_value(server: Server, compression: str) -> None:
    with server.connect() as connection:
        plain = messages(connection, MIXED, ", compression 'none'")
        packed = messages(connection, MIXED, f", compression '{compression}'")
    assert sum(map(len, packed)) < sum(map(len, plain)) * 0.8
    assert pa.ipc.open_stream(b"".join(packed)).read_all() == pa.ipc.open_stream(b"".join(plain)).read_all()


def test_batches_are_about_as_large_as_asked_for(server: Server) -> None:
    with server.connect() as connection:
        for size in (1_000, 50_000, 1 << 20):
            found = batches(connection, MIXED, f", batch_bytes {size}")
            assert sum(batch.num_rows for batch in found) == 100_000
            # The first ones are smaller, so that the reader need not wait.
            for batch in found[5:-1]:
                assert 0.5 * size < batch.nbytes < 2 * size
        assert all(len(message) <= 1 << 20 for message in messages(connection, MIXED))
        assert [batch.num_rows for batch in batches(connection, "VALUES (1), (2)", ", batch_bytes 1")] == [1, 1]


def test_an_empty_result_has_its_schema(server: Server) -> None:
    with server.connect() as connection:
        found = table(connection, f"{MIXED} WHERE false")
        assert found.num_rows == 0
        assert found.schema == table(connection, MIXED).schema
        assert table(connection, "SELECT FROM generate_series(1, 5)").num_columns == 0


def test_a_query_without_columns_has_rows(server: Server) -> None:
    with server.connect() as connection:
        assert sum(b.num_rows for b in batches(connection, "SELECT FROM generate_series(1, 5)")) == 5


def test_values_larger_than_a_batch(server: Server) -> None:
    with server.connect() as connection:
        sql = "SELECT n, repeat(chr(64 + n), n * 3000000) AS text, decode(repeat('ab', n * 1000000), 'hex') AS bytes"
        found = table(connection, f"{sql} FROM generate_series(1, 12) n", ", batch_bytes 10000")
        assert found["text"].to_pylist() == [chr(64 + n) * n * 3_000_000 for n in range(1, 13)]
        assert found["bytes"].to_pylist() == [b"\xab" * n * 1_000_000 for n in range(1, 13)]


def test_the_largest_value_of_all(server: Server, tmp_path: Path) -> None:
    size = (1 << 30) - 100
    file = tmp_path / "huge.arrows"
    with server.connect() as connection, file.open("wb") as output:
        sql = f"COPY (SELECT repeat('x', {size}) AS huge) TO STDOUT (FORMAT arrow)"
        with connection.cursor().copy(sql) as copy:
            for message in copy:
                output.write(message)
    with pa.memory_map(str(file)) as source, pa.ipc.open_stream(source) as stream:
        value = stream.read_next_batch()["huge"][0].as_buffer()
        assert value.size == size
        assert bytes(value[:3]) == bytes(value[-3:]) == b"xxx"
    file.unlink()


def test_toasted_values(server: Server) -> None:
    with server.connect() as connection:
        connection.execute(
            "CREATE TABLE toasted (n int, compressed text, plain text, nested text[], document jsonb, amount numeric);"
            "ALTER TABLE toasted ALTER plain SET STORAGE EXTERNAL;"
            "INSERT INTO toasted SELECT n, repeat('abc', 40000), (SELECT string_agg(md5(i::text), '') FROM"
            " generate_series(n, n + 500) i), ARRAY[repeat('z', 9000), NULL],"
            " jsonb_build_object('k', repeat('v', 20000)),"
            " (repeat('7', 38) || '.' || repeat('3', 38))::numeric FROM generate_series(1, 20) n"
        )
        found = table(connection, "SELECT * FROM toasted ORDER BY n").to_pylist()
        expected = connection.execute(
            "SELECT n, compressed, plain, nested, document::text, amount FROM toasted ORDER BY n"
        )
        assert [tuple(row.values()) for row in found] == expected.fetchall()


def test_rows_whose_table_has_grown_columns(server: Server) -> None:
    with server.connect() as connection:
        connection.execute(
            "CREATE TABLE grown (a int, gone text, b text); INSERT INTO grown VALUES (1, 'x', 'y'), (2, NULL, NULL);"
            "ALTER TABLE grown DROP COLUMN gone; ALTER TABLE grown ADD c int DEFAULT 7, ADD d text;"
            "INSERT INTO grown VALUES (3, 'z', 8, 'w')"
        )
        rows: list[dict[str, object]] = [
            {"a": 1, "b": "y", "c": 7, "d": None},
            {"a": 2, "b": None, "c": 7, "d": None},
            {"a": 3, "b": "z", "c": 8, "d": "w"},
        ]
        assert table(connection, "SELECT * FROM grown ORDER BY a").to_pylist() == rows
        assert table(connection, "TABLE ONLY grown").to_pylist() == rows
        assert table(connection, "TABLE ONLY grown (d, a)").to_pylist() == [{"d": r["d"], "a": r["a"]} for r in rows]


def test_parallel_plans_are_used(server: Server) -> None:
    with server.connect() as connection:
        connection.execute("CREATE TABLE wide AS SELECT n, repeat('p', 200) AS pad FROM generate_series(1, 200000) n")
        connection.execute("VACUUM ANALYZE wide")
        connection.execute("SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0")
        sql = "SELECT n FROM wide WHERE n % 1000 = 0"
        assert "Gather" in str(connection.execute(f"EXPLAIN {sql}").fetchall())
        assert sorted(table(connection, sql)["n"].to_pylist()) == list(range(1000, 200_001, 1000))


def test_the_tag_counts_rows(server: Server) -> None:
    with server.connect() as connection:
        found = tag(connection, "COPY (SELECT generate_series(1, 12345)) TO STDOUT (FORMAT arrow)")
        assert found == b"COPY 12345"


def test_a_prepared_copy_runs_again_and_again(server: Server) -> None:
    with server.connect() as connection:
        session = connection.pgconn
        connection.execute("CREATE TABLE prepared AS SELECT generate_series(1, 3) AS n")
        for number, sql in enumerate([b"COPY (SELECT n FROM prepared) TO STDOUT", b"COPY prepared TO STDOUT"]):
            name = str(number).encode()
            session.prepare(name, sql + b" (FORMAT arrow)")
            for rows in range(3 + 3 * number, 6 + 3 * number):
                session.exec_prepared(name, None)
                received = []
                while (message := session.get_copy_data(0))[0] > 0:
                    received.append(bytes(message[1]))
                while session.get_result() is not None:
                    pass
                assert pa.ipc.open_stream(b"".join(received)).read_all().num_rows == rows
                connection.execute("INSERT INTO prepared VALUES (0)")


def test_not_null_columns_of_one_table_stay_so(server: Server) -> None:
    with server.connect() as connection:
        connection.execute("CREATE TABLE strict (id int PRIMARY KEY, name text NOT NULL, note text)")
        nullable = {
            "SELECT * FROM strict": [False, False, True],
            "SELECT name || 'x', id FROM strict": [True, False],
            "SELECT a.id, b.id FROM strict a JOIN strict b USING (name)": [False, False],
            "SELECT a.id, b.id FROM strict a LEFT JOIN strict b USING (name)": [True, True],
            "SELECT id FROM strict GROUP BY id": [True],
            "SELECT id FROM (SELECT id FROM strict) s": [True],
            "SELECT (SELECT id FROM strict LIMIT 1), id FROM strict": [True, True],
            "SELECT id FROM strict UNION SELECT id FROM strict": [True],
        }
        for sql, expected in nullable.items():
            assert [field.nullable for field in table(connection, sql).schema] == expected, sql
        assert [f.nullable for f in table(connection, "SELECT id FROM strict", ", infinity 'null'").schema] == [True]
