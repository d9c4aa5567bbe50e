"""The ADBC driver as users of Python's driver manager, pandas and Polars meet it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import adbc_driver_manager
import adbc_driver_manager.dbapi as adbc
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ELSEWHERE = """
import sys
import adbc_driver_manager.dbapi as adbc
driver, uri = sys.argv[1:]
with adbc.connect(driver=driver, db_kwargs={"uri": uri}, autocommit=True) as connection, connection.cursor() as cursor:
    cursor.adbc_read_partition(sys.stdin.buffer.read())
    print(sum(cursor.fetch_arrow_table()["id"].to_pylist()))
"""


def connect(driver: str, uri: str | Path, **options: str) -> adbc.Connection:
    return adbc.connect(driver=driver, db_kwargs={"uri": str(uri), **options}, autocommit=True)


@pytest.fixture
def orders(postgres: str) -> Iterator[str]:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS lines; DROP TABLE IF EXISTS orders")
        connection.execute("CREATE TABLE orders (id int PRIMARY KEY, price numeric(10, 2), note text)")
        connection.execute("INSERT INTO orders SELECT n, n * 1.25, repeat('x', 300) FROM generate_series(1, 60000) n")
        connection.execute(
            "CREATE TABLE lines (order_id int REFERENCES orders, line int, PRIMARY KEY (order_id, line))"
        )
        connection.execute("ANALYZE")
        yield postgres
        connection.execute("DROP TABLE lines; DROP TABLE orders")


def test_frames_of_pandas_and_polars(driver: str, orders: str) -> None:
    with connect(driver, orders) as connection:
        read: Any = pd.read_sql
        frame = read("SELECT id, price FROM orders WHERE id <= 3 ORDER BY id", connection)
        assert frame["id"].tolist() == [1, 2, 3]
        polars = pl.read_database("SELECT id, price FROM orders ORDER BY id", connection)
        assert polars.shape == (60000, 2)
        assert str(polars["price"][3]) == "5.00"
        assert polars.schema["price"] == pl.Decimal(10, 2)


def test_partitions_are_read_in_other_processes(driver: str, orders: str) -> None:
    with connect(driver, orders, **{"bowshot.connections": "4"}) as connection, connection.cursor() as cursor:
        partitions, schema = cursor.adbc_execute_partitions("SELECT id, price, note FROM orders")
        assert len(partitions) > 1
        assert schema is not None
        assert schema.names == ["id", "price", "note"]
        with psycopg.connect(orders, autocommit=True) as writer:
            writer.execute("UPDATE orders SET id = -id")
        sums = [
            int(
                subprocess.run(
                    [sys.executable, "-c", ELSEWHERE, driver, orders],
                    input=ticket,
                    capture_output=True,
                    check=True,
                    timeout=60,
                ).stdout
            )
            for ticket in partitions[:2]
        ]
        with connect(driver, orders) as other, other.cursor() as reader:
            rest = []
            for ticket in partitions[2:]:
                reader.adbc_read_partition(ticket)
                rest.append(sum(reader.fetch_arrow_table()["id"].to_pylist()))
        assert sum(sums) + sum(rest) == 60000 * 60001 // 2
    with connect(driver, orders) as other, other.cursor() as reader:
        with pytest.raises(adbc_driver_manager.Error, match="snapshot is gone"):
            reader.adbc_read_partition(partitions[0])
        with pytest.raises(adbc_driver_manager.ProgrammingError, match="no ticket"):
            reader.adbc_read_partition(b"nothing")


def test_parameters_of_every_kind(driver: str, orders: str) -> None:
    with connect(driver, orders) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT $1::int + 1 AS n, $2::text AS t", (41, "o'clock"))
        assert cursor.fetchall() == [(42, "o'clock")]
        cursor.executemany("INSERT INTO lines VALUES ($1, $2)", [(1, 1), (1, 2), (2, 1)])
        cursor.execute("SELECT count(*) FROM lines")
        assert cursor.fetchone() == (3,)


@pytest.mark.parametrize("mode", ["create", "append", "replace", "create_append"])
def test_ingest_comes_back_as_it_went(driver: str, orders: str, mode: Any) -> None:
    table = pa.table(
        {"n": pa.array([1, None, 3], pa.int64()), "s": ["a", None, "ü"], "d": pa.array([0, 1, None], pa.date32())}
    )
    with connect(driver, orders) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS taken")
        if mode == "append":
            cursor.adbc_ingest("taken", table.slice(0, 0), mode="create")
        assert cursor.adbc_ingest("taken", table, mode=mode) == 3
        cursor.execute("SELECT n, s, d FROM taken ORDER BY s NULLS LAST")
        assert sorted(cursor.fetch_arrow_table().to_pylist(), key=str) == sorted(table.to_pylist(), key=str)
        cursor.execute("DROP TABLE taken")


def test_an_ingest_that_does_not_fit_says_so(driver: str, orders: str) -> None:
    def refusal(mode: Any, **columns: list[int]) -> adbc_driver_manager.AdbcStatusCode:
        with connect(driver, orders) as connection, connection.cursor() as cursor:
            with pytest.raises(adbc_driver_manager.Error) as refused:
                cursor.adbc_ingest("orders" if mode == "create" else "lines", pa.table(columns), mode=mode)
            return refused.value.status_code

    status = adbc_driver_manager.AdbcStatusCode.ALREADY_EXISTS
    assert refusal("create", id=[1]) == status
    assert refusal("append", order_id=[1], line=[1], colour=[7]) == status
    assert refusal("create_append", colour=[7]) == status


def test_objects_and_keys(driver: str, orders: str) -> None:
    with connect(driver, orders) as connection:
        objects = connection.adbc_get_objects(depth="all", table_name_filter="%").read_all().to_pylist()
        [catalog] = objects
        [public] = [schema for schema in catalog["catalog_db_schemas"] if schema["db_schema_name"] == "public"]
        tables = {table["table_name"]: table for table in public["db_schema_tables"]}
        assert [column["column_name"] for column in tables["orders"]["table_columns"]] == ["id", "price", "note"]
        assert tables["orders"]["table_columns"][0]["xdbc_is_nullable"] == "NO"
        kinds = {key["constraint_type"]: key for key in tables["lines"]["table_constraints"]}
        assert kinds["PRIMARY KEY"]["constraint_column_names"] == ["order_id", "line"]
        [refers] = kinds["FOREIGN KEY"]["constraint_column_usage"]
        assert (refers["fk_table"], refers["fk_column_name"]) == ("orders", "id")
        assert refers["fk_catalog"] == catalog["catalog_name"] == connection.adbc_current_catalog
        assert connection.adbc_get_table_schema("orders").names == ["id", "price", "note"]
        assert "TABLE" in connection.adbc_get_table_types()
        info = connection.adbc_get_info()
        assert info["driver_name"] == "ADBC Driver for Bowshot"
        assert info["vendor_name"] == "PostgreSQL"
        assert info["driver_arrow_version"].startswith("v")
        assert info["driver_adbc_version"] == 1001000


def test_files_are_a_database_too(driver: str, tmp_path: Path) -> None:
    table = pa.table({"n": list(range(1000)), "s": [str(n) for n in range(1000)]})
    pq.write_table(table, tmp_path / "numbers.parquet")
    with connect(driver, tmp_path / "numbers.parquet") as connection, connection.cursor() as cursor:
        cursor.execute("SELECT n, s FROM numbers")
        assert cursor.fetch_arrow_table().equals(table)


def test_a_query_ends_when_it_is_cancelled_and_when_it_is_closed(driver: str, orders: str) -> None:
    def running() -> int:
        with psycopg.connect(orders, autocommit=True) as watch:
            row = watch.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
            ).fetchone()
            assert row is not None
            return int(row[0])

    with connect(driver, orders) as connection, connection.cursor() as cursor:
        timer = threading.Timer(0.5, cursor.adbc_cancel)
        timer.start()
        started = time.monotonic()
        cursor.execute("SELECT pg_sleep(30), 1 AS n")
        with pytest.raises(Exception, match="cancel"):
            cursor.fetch_arrow_table()
        assert time.monotonic() - started < 10
        timer.join()
        cursor.execute("SELECT 7 AS n")
        assert cursor.fetchone() == (7,)
    with connect(driver, orders) as connection:
        reading = connection.cursor()
        reading.execute("SELECT a.id FROM orders a, orders b, orders c")
        assert reading.fetchone() is not None
        reading.close()
    end = time.monotonic() + 10
    while running() and time.monotonic() < end:
        time.sleep(0.05)
    assert running() == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"uri": ""}, "uri"),
        ({"uri": "mongodb://host/db"}, "mongodb"),
        ({"uri": "postgresql://ann:s3cret@127.0.0.1:1/db"}, "no server listens"),
        ({"uri": "shop.db", "bowshot.connections": "many"}, "bowshot.connections"),
        ({"uri": "shop.db", "bowshot.sped": "1"}, "bowshot.sped"),
        ({"uri": "shop.db", "bowshot.types": "{"}, "bowshot.types"),
    ],
)
def test_errors_name_what_is_wrong_and_no_password(driver: str, options: dict[str, str], message: str) -> None:
    def read() -> None:
        with (
            adbc.connect(driver=driver, db_kwargs=options, autocommit=True) as connection,
            closing(connection.cursor()) as cursor,
        ):
            cursor.execute("SELECT 1")

    with pytest.raises(adbc_driver_manager.Error, match=message) as refused:
        read()
    assert "s3cret" not in str(refused.value)


def test_types_and_other_options_of_a_statement(driver: str, orders: str) -> None:
    with (
        connect(driver, orders, **{"bowshot.types": '{"price": "float64"}'}) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT price FROM orders WHERE id = 2")
        assert cursor.fetch_arrow_table().schema.field("price").type == pa.float64()
        cursor.adbc_statement.set_options(**{"bowshot.types.price": "utf8"})
        cursor.execute("SELECT price FROM orders WHERE id = 2")
        assert cursor.fetch_arrow_table()["price"].to_pylist() == ["2.50"]
