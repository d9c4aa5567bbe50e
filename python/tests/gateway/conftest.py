"""The gateway in front of private databases."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import pytest
from tests.gateway.databases import Databases, fill_mariadb, fill_postgres, fill_sqlite
from tests.gateway.serving import Gateway, served


@pytest.fixture(scope="session")
def mariadb(testkit: str) -> Iterator[str]:
    """The URI of a private server, which stops when its standard input closes."""
    server = subprocess.Popen([testkit, "mariadb"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line, f"the server did not start: exit code {server.wait(10)}"
    yield json.loads(line)["uri"]
    server.stdin.close()
    assert server.wait(30) == 0


@pytest.fixture(scope="session")
def databases(postgres: str, mariadb: str, tmp_path_factory: pytest.TempPathFactory) -> Databases:
    """The same rows in each database, and what only one of them has."""
    sqlite = f"sqlite:///{tmp_path_factory.mktemp('sqlite') / 'shop.db'}"
    return Databases(fill_postgres(postgres), fill_mariadb(mariadb), fill_sqlite(sqlite))


@pytest.fixture(scope="session")
def gateway(command: str, databases: Databases) -> Iterator[Gateway]:
    """In front of PostgreSQL alone, open to everybody."""
    with served(command, f"shop={databases.postgres}") as gateway:
        yield gateway


@pytest.fixture(scope="session")
def several(command: str, databases: Databases) -> Iterator[Gateway]:
    """In front of all three databases."""
    with served(command, *(f"{name}={uri}" for name, uri in databases.named().items())) as gateway:
        yield gateway


@pytest.fixture
def connection(gateway: Gateway) -> Iterator[Any]:
    """ADBC's connection to it."""
    with flight_sql.connect(gateway.address, autocommit=True) as connection:
        yield connection


@pytest.fixture
def cursor(connection: Any) -> Iterator[Any]:
    """A cursor of that connection."""
    with connection.cursor() as cursor:
        yield cursor
