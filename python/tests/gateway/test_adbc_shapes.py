"""Results of odd shapes: empty, wide, long, without columns, all NULL."""

from __future__ import annotations

from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import pandas as pd
import pyarrow as pa
from tests.gateway.clients import CLIENTS, read_bowshot, read_pyarrow
from tests.gateway.serving import Gateway

LONGEST = "adbc.flight.sql.client_option.with_max_msg_size"


def through_all(gateway: Gateway, sql: str) -> pa.Table:
    """What all clients agree on."""
    first, *others = [read(gateway.address, sql, {}) for read in CLIENTS.values()]
    for other in others:
        assert other.schema.equals(first.schema)
        assert other.equals(first)
    return first


def test_no_rows_have_their_columns(gateway: Gateway) -> None:
    table = through_all(gateway, "SELECT * FROM orders WHERE false")
    assert table.num_rows == 0
    assert table.schema.field("price").type == pa.decimal128(12, 2)


def test_rows_without_columns_are_rows(cursor: Any) -> None:
    cursor.execute("SELECT FROM orders WHERE id <= 1000")
    assert cursor.fetchall() == [()] * 1000


def test_fifteen_hundred_columns_arrive(gateway: Gateway) -> None:
    columns = ", ".join(f"n + {place} AS c{place}" for place in range(1500))
    table = through_all(gateway, f"SELECT {columns} FROM generate_series(1, 300) n")
    assert table.num_columns == 1500
    assert table.column("c1499").to_pylist() == [n + 1499 for n in range(1, 301)]


def test_columns_of_nulls_keep_their_types(gateway: Gateway) -> None:
    columns = "NULL::int4 a, NULL::text b, NULL::numeric(9, 2) c, NULL::bytea d, NULL::int4[] e"
    sql = f"SELECT {columns} FROM generate_series(1, 1000)"
    table = through_all(gateway, sql)
    assert [column.null_count for column in table.columns] == [1000] * 5
    assert table.schema.types[:4] == [pa.int32(), pa.string(), pa.decimal128(9, 2), pa.binary()]


def test_a_row_longer_than_a_message_arrives(gateway: Gateway) -> None:
    sql = "SELECT n, repeat(chr(64 + n), 5 * 1024 * 1024) AS long FROM generate_series(1, 3) n"
    table = through_all(gateway, sql)
    assert table.column("long").to_pylist() == [letter * (5 << 20) for letter in "ABC"]


def test_a_row_of_twenty_megabytes_arrives_where_the_client_allows_it(gateway: Gateway) -> None:
    sql = "SELECT repeat('x', 20 * 1024 * 1024) AS long"
    with (
        flight_sql.connect(gateway.address, db_kwargs={LONGEST: str(64 << 20)}, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)
        [[text]] = cursor.fetchall()
    assert text == "x" * (20 << 20)
    assert read_pyarrow(gateway.address, sql, {}).equals(read_bowshot(gateway.address, sql, {}))


def test_names_may_be_equal_or_empty_or_odd(gateway: Gateway) -> None:
    table = through_all(gateway, """SELECT 1 AS a, 2 AS a, 3 AS "A b""c", 4 AS "ü🎯", 5""")
    assert table.schema.names == ["a", "a", 'A b"c', "ü🎯", "?column?"]
    assert [column.to_pylist() for column in table.columns] == [[1], [2], [3], [4], [5]]


def test_the_order_that_is_asked_for_is_kept(gateway: Gateway) -> None:
    table = through_all(gateway, "SELECT id FROM orders ORDER BY weight DESC NULLS LAST, id")
    assert table.column("id").to_pylist() == sorted(
        range(1, 60_001), key=lambda n: (n % 5 == 0, -n / 7 if n % 5 else 0, n)
    )


def test_pandas_reads_it(gateway: Gateway) -> None:
    connection: Any  # pandas' types know no ADBC
    with flight_sql.connect(gateway.address, autocommit=True) as connection:
        frame = pd.read_sql("SELECT id, note, price FROM orders WHERE id <= 10 ORDER BY id", connection)
        arrow = pd.read_sql("SELECT id, day FROM orders", connection, dtype_backend="pyarrow")
    assert frame["id"].tolist() == list(range(1, 11))
    assert frame["note"].isna().sum() == 3
    assert len(arrow) == 60_000
    assert arrow["day"].dtype == pd.ArrowDtype(pa.date32())


def test_a_cursor_fetches_as_the_db_api_says(cursor: Any) -> None:
    cursor.execute("SELECT id FROM orders WHERE id <= 10 ORDER BY id")
    assert cursor.fetchone() == (1,)
    assert cursor.fetchmany(3) == [(2,), (3,), (4,)]
    assert list(cursor) == [(n,) for n in range(5, 11)]
    assert cursor.fetchone() is None
    assert cursor.description[0][0] == "id"
