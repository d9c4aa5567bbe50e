"""The databases that the workloads read: each is started, filled with lineitem and warmed."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from bench import flight, mariadb, server, tpch
from bench.floor.compile import compiled


@dataclass(frozen=True)
class Running:
    """A database: what a load takes for its address, and the process id of its server, if it has one.

    Each load finds the `files` in the system's cache.
    """

    source: str
    pid: int | None = None
    files: Sequence[Path] = ()


@contextlib.contextmanager
def postgres(scale: float) -> Iterator[Running]:
    """PostgreSQL on loopback; the address is a URI."""
    with server.running_server() as running:
        yield Running(tpch.postgres_database(running, scale), running.pid)


@contextlib.contextmanager
def mysql(scale: float) -> Iterator[Running]:
    """MariaDB on loopback; the address is a URI."""
    compiled("mysql_discard")
    with mariadb.running_server() as running:
        yield Running(tpch.mariadb_database(running, scale), running.pid)


@contextlib.contextmanager
def odbc_postgres(scale: float) -> Iterator[Running]:
    """PostgreSQL through psqlODBC, which fetches by a cursor; the address is a connection string."""
    with server.running_server() as running:
        name = tpch.postgres_database(running, scale).rpartition("/")[2]
        login = f"Server=127.0.0.1;Port={running.port};Database={name};UID={server.USER};PWD={server.PASSWORD}"
        yield Running(f"Driver={{PostgreSQL Unicode}};{login};UseDeclareFetch=1;Fetch=10000", running.pid)


@contextlib.contextmanager
def odbc_mysql(scale: float) -> Iterator[Running]:
    """MariaDB through its ODBC driver, without a cache of the result; the address is a connection string."""
    with mariadb.running_server() as running:
        name = tpch.mariadb_database(running, scale).rpartition("/")[2]
        login = f"Server=127.0.0.1;Port={running.port};Database={name};UID={mariadb.USER};PWD={mariadb.PASSWORD}"
        # FORWARDONLY and NO_CACHE: rows as they come, not the whole result first.
        yield Running(f"Driver={{MariaDB Unicode}};{login};FORWARDONLY=1;NO_CACHE=1", running.pid)


@contextlib.contextmanager
def sqlite(scale: float) -> Iterator[Running]:
    """A SQLite file in the system's cache; the address is its path."""
    compiled("sqlite_step", "-l:libsqlite3.so.0")
    file = tpch.sqlite_database(scale)
    yield Running(str(file), files=[file])


@contextlib.contextmanager
def flight_sql(scale: float) -> Iterator[Running]:
    """A Flight SQL server with four endpoints in memory; the address is a URI."""
    with flight.running_server(tpch.parquet_folder(scale)) as running:
        yield Running(running.uri, running.pid)


@contextlib.contextmanager
def files(scale: float) -> Iterator[Running]:
    """A folder of Parquet files in the system's cache; the address is its path."""
    folder = tpch.parquet_folder(scale)
    yield Running(f"{folder}/", files=list(folder.iterdir()))


DATABASES: dict[str, Callable[[float], AbstractContextManager[Running]]] = {
    "postgres": postgres,
    "mysql": mysql,
    "sqlite": sqlite,
    "odbc-postgres": odbc_postgres,
    "odbc-mysql": odbc_mysql,
    "flight": flight_sql,
    "files": files,
}
