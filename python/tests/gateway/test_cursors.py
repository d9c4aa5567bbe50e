"""Results that connections share by name: DECLARE, FETCH and CLOSE over ADBC (the ConnectorX paper, section 5.2)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import pytest
from tests.gateway.serving import Gateway


def read(gateway: Gateway, sql: str) -> list[tuple[Any, ...]]:
    with flight_sql.connect(gateway.address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_each_connection_fetches_its_part(gateway: Gateway, count: int) -> None:
    name = f"shared_{count}"
    [[told, endpoints]] = read(gateway, f"DECLARE {name} CURSOR FOR SELECT id FROM orders WHERE id > 10 INTO {count}")
    assert told == name
    assert 1 <= endpoints <= count
    with ThreadPoolExecutor(count) as pool:
        parts = list(pool.map(lambda part: read(gateway, f"FETCH ALL FROM {part} OF {name}"), range(count)))
    assert sorted(row[0] for part in parts for row in part) == list(range(11, 60_001))
    with pytest.raises(flight_sql.Error, match="no cursor"):
        read(gateway, f"FETCH ALL FROM 0 OF {name}")


def test_a_closed_name_is_free_again(gateway: Gateway) -> None:
    read(gateway, "DECLARE freed CURSOR FOR SELECT 1 INTO 2")
    with pytest.raises(flight_sql.Error, match="declared already"):
        read(gateway, "DECLARE freed CURSOR FOR SELECT 1 INTO 2")
    read(gateway, "CLOSE freed")
    with pytest.raises(flight_sql.Error, match="no cursor"):
        read(gateway, "FETCH ALL FROM 0 OF freed")
    read(gateway, "DECLARE freed CURSOR FOR SELECT 1 INTO 1")
    assert read(gateway, "FETCH ALL FROM 0 OF freed") == [(1,)]


def test_bad_sql_declares_nothing(gateway: Gateway) -> None:
    with pytest.raises(flight_sql.Error, match="nobody"):
        read(gateway, "DECLARE bad CURSOR FOR SELECT * FROM nobody INTO 2")
    with pytest.raises(flight_sql.Error, match="no cursor"):
        read(gateway, "FETCH ALL FROM 0 OF bad")
