"""The gateway's shared results, where the server deals them itself."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import psycopg
import pytest
from tests.gateway.serving import Gateway, served
from tests.postgres_extension.server import Server

QUERY = "SELECT g % 5000 AS k, count(*) AS n, repeat('x', 200) AS note FROM generate_series(1, 100000) g GROUP BY 1"


def read(gateway: Gateway, sql: str) -> list[tuple[Any, ...]]:
    with flight_sql.connect(gateway.address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def shared(server: Server) -> list[tuple[Any, ...]]:
    with psycopg.connect(server.uri) as connection:
        return connection.execute("SELECT n, how FROM bowshot.results WHERE name LIKE 'plan of %'").fetchall()


@pytest.mark.parametrize("count", [2, 5])
def test_declare_into_n_is_dealt_by_the_server(command: str, server: Server, count: int) -> None:
    with served(command, f"shop={server.uri}") as gateway:
        assert read(gateway, f"DECLARE totals CURSOR FOR {QUERY} INTO {count}") == [("totals", count)]
        assert shared(server) == [(count, "result")]
        with ThreadPoolExecutor(count) as pool:
            parts = list(pool.map(lambda part: read(gateway, f"FETCH ALL FROM {part} OF totals"), range(count)))
        assert sorted(row for part in parts for row in part) == [(k, 20, "x" * 200) for k in range(5000)]
        told = read(gateway, "SELECT endpoints FROM bowshot.queries WHERE sql LIKE '%generate_series%'")
        assert (count,) in told
    assert shared(server) == []


def test_parts_come_whole_one_after_the_other_and_a_closed_name_frees_the_server(command: str, server: Server) -> None:
    with served(command, f"shop={server.uri}") as gateway:
        read(gateway, f"DECLARE totals CURSOR FOR {QUERY} INTO 3")
        parts = [read(gateway, f"FETCH ALL FROM {part} OF totals") for part in range(3)]
        assert sorted(row[0] for part in parts for row in part) == list(range(5000))
        read(gateway, f"DECLARE totals CURSOR FOR {QUERY} INTO 3")
        assert shared(server) == [(3, "result")]
        read(gateway, "CLOSE totals")
        assert shared(server) == []


def test_an_ordered_result_stays_whole(command: str, server: Server) -> None:
    with served(command, f"shop={server.uri}") as gateway:
        assert read(gateway, f"DECLARE totals CURSOR FOR {QUERY} ORDER BY 1 INTO 3") == [("totals", 1)]
        assert [row[0] for row in read(gateway, "FETCH ALL FROM 0 OF totals")] == list(range(5000))
