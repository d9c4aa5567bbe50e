"""The table of PostgreSQL: in a database without the extension, and in one with it, where the server has it."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from bench import server, tpch
from bench.server import Server
from bench.spark.case import POSTGRES, POSTGRES_EXTENSION, TABLES
from bench.tpch import psql

NO_EXTENSION = "the server lacks the extension: POSTGRES_BIN=$(dev/postgres_extension_setup.sh | head -n 1)"


@contextmanager
def databases(wanted: Collection[str], scale: float) -> Iterator[Mapping[str, str]]:
    """Yields the URIs of the wanted ones of `TABLES`; the one with the extension is left out where there is none."""
    if not set(wanted) & set(TABLES):
        yield {}
        return
    with server.running_server() as postgres:
        plain = tpch.postgres_database(postgres, scale)
        if POSTGRES_EXTENSION not in wanted or not has_extension(plain):
            yield {POSTGRES: plain}
            return
        with _with_extension(postgres, plain) as extended:
            yield {POSTGRES: plain, POSTGRES_EXTENSION: extended}


def has_extension(uri: str) -> bool:
    """Returns whether the server's programs have Bowshot's extension beside them."""
    return psql(uri, "SELECT count(*) FROM pg_available_extensions WHERE name = 'bowshot'") == "1"


@contextmanager
def _with_extension(postgres: Server, plain: str) -> Iterator[str]:
    """Copies a database and creates the extension in it; it goes with the run, as others read without."""
    original = plain.rpartition("/")[2]
    copy = f"{original}_extension"
    maintenance, uri = postgres.uri("postgres"), postgres.uri(copy)
    drop = f"DROP DATABASE IF EXISTS {copy}"
    psql(maintenance, drop, f"CREATE DATABASE {copy} TEMPLATE {original}")
    try:
        psql(uri, "CREATE EXTENSION bowshot")
        tpch.warm_postgres(uri)
        yield uri
    finally:
        psql(maintenance, f"{drop} WITH (FORCE)")
