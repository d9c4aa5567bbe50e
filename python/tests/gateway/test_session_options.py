"""Session options of ADBC: what a connection asks for once, and what other connections do not get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import pytest
from tests.gateway.clients import HEADER
from tests.gateway.serving import Gateway

OPTION = "adbc.flight.sql.session.option."


@pytest.fixture
def named(several: Gateway) -> Iterator[Any]:
    """A connection that has logged in, and so has a session."""
    login = {"username": "anybody", "password": "anything"}
    with flight_sql.connect(several.address, db_kwargs=login, autocommit=True) as connection:
        yield connection


def one(connection: Any, sql: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        [[value]] = cursor.fetchall()
        return value


def test_the_catalog_is_an_option(named: Any) -> None:
    for catalog, version in (("postgres", "PostgreSQL"), ("mariadb", "MariaDB")):
        named.adbc_connection.set_options(**{OPTION + "catalog": catalog})
        assert version in one(named, "SELECT version()")
    named.adbc_connection.set_options(**{OPTION + "catalog": "sqlite"})
    assert one(named, "SELECT count(*) FROM orders") == 60_000
    assert named.adbc_connection.get_option(OPTION + "catalog") == "sqlite"


def test_the_number_of_endpoints_is_an_option(named: Any) -> None:
    named.adbc_connection.set_options(**{OPTION + "catalog": "mariadb", OPTION + "bowshot-endpoints": "3"})
    with named.cursor() as cursor:
        partitions, _ = cursor.adbc_execute_partitions("SELECT * FROM orders")
        assert len(partitions) == 3


def test_an_option_that_nobody_knows_is_refused(named: Any) -> None:
    for name, value in (("nonsense", "1"), ("catalog", "nowhere"), ("bowshot-endpoints", "0")):
        with pytest.raises(flight_sql.Error):
            named.adbc_connection.set_options(**{OPTION + name: value})


def test_the_options_of_one_session_are_not_those_of_another(named: Any, several: Gateway) -> None:
    named.adbc_connection.set_options(**{OPTION + "catalog": "sqlite"})
    login = {"username": "anybody", "password": "anything", HEADER + "catalog": "postgres"}
    with flight_sql.connect(several.address, db_kwargs=login, autocommit=True) as other:
        assert "PostgreSQL" in one(other, "SELECT version()")
    assert one(named, "SELECT count(*) FROM orders") == 60_000
