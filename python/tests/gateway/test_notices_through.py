"""What a database says beside a result stands in the gateway's log, and harms no answer."""

from __future__ import annotations

import adbc_driver_flightsql.dbapi as flight_sql
import psycopg
import pytest
from tests.gateway.databases import Databases
from tests.gateway.serving import served

NOISY = "SELECT through_noisy(i) AS n FROM generate_series(1, {}) i"


@pytest.fixture(scope="module")
def noisy(databases: Databases) -> str:
    with psycopg.connect(databases.postgres, autocommit=True) as connection:
        connection.execute(
            """CREATE OR REPLACE FUNCTION through_noisy(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
                 RAISE NOTICE 'row % of secrets', i USING ERRCODE = '01ABC'; RETURN i; END $$"""
        )
    return databases.postgres


@pytest.mark.parametrize("redact", [False, True])
def test_the_log_has_the_first_of_each_statement(command: str, noisy: str, redact: bool) -> None:
    with served(command, f"shop={noisy}", "--set", f"log.redact={str(redact).lower()}") as gateway:
        with flight_sql.connect(gateway.address, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(NOISY.format(3))
            assert cursor.fetchall() == [(1,), (2,), (3,)]
            cursor.execute(NOISY.format(5000))
            assert sum(row[0] for row in cursor.fetchall()) == 12_502_500
        lines = [line for line in gateway.log.read_text("utf-8").splitlines() if "01ABC" in line]
    assert 4 <= len(lines) <= 13, lines
    told = sum("of secrets" in line for line in lines)
    assert told == (0 if redact else len(lines))
