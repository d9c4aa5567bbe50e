"""The gateway in front of private databases."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import pytest
from tests.gateway.databases import Databases, fill_mariadb, fill_postgres, fill_sqlite
from tests.gateway.serving import Gateway, served

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def command() -> str:
    """The path of `bowshot`: that of `make build`, else the build cache's, built if it is not there yet."""
    named = os.environ.get("BOWSHOT_COMMAND")
    if named:
        return named
    installed = ROOT / ".venv" / "bin" / "bowshot"
    if installed.exists():
        return str(installed)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    target = Path(os.environ.get("CARGO_TARGET_DIR", cache / "bowshot" / "target"))
    cargo = shutil.which("cargo") or str(Path.home() / ".cargo/bin/cargo")
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    subprocess.run([cargo, "build", "--quiet", "-p", "bowshot-cli"], cwd=ROOT, env=environment, check=True)
    return str(target / "debug" / "bowshot")


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
