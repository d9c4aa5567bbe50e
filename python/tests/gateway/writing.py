"""Databases that are written to through a gateway, apart from those that other tests read."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import adbc_driver_flightsql.dbapi as flight_sql
import psycopg
from tests.gateway.clients import HEADER
from tests.gateway.databases import driver_rows, mariadb_connection
from tests.gateway.serving import Gateway

NAMES = ["postgres", "mariadb", "sqlite"]


@dataclass
class Written:
    """A gateway in front of empty databases, all writable, and their addresses."""

    gateway: Gateway
    uris: dict[str, str]

    def rows(self, name: str, sql: str) -> list[tuple[Any, ...]]:
        """What the database's own driver reads."""
        return driver_rows(name, self.uris[name], sql)

    @contextmanager
    def cursor(self, name: str, **options: str) -> Iterator[Any]:
        """A cursor of ADBC's that prefers one of the databases."""
        kwargs = {HEADER + "catalog": name, **options}
        with (
            flight_sql.connect(self.gateway.address, db_kwargs=kwargs, autocommit=True) as connection,
            connection.cursor() as cursor,
        ):
            yield cursor


def empty_databases(postgres: str, mariadb: str, folder: Path, name: str) -> dict[str, str]:
    """A database of this name on each server."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with mariadb_connection(mariadb) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    file = folder / f"{name}.db"
    sqlite3.connect(file).execute("VACUUM").connection.close()
    named = {"postgres": postgres, "mariadb": mariadb}
    uris = {key: urlsplit(uri)._replace(path=f"/{name}").geturl() for key, uri in named.items()}
    return {**uris, "sqlite": f"sqlite:///{file}"}


def configured(command: str, path: Path, uris: dict[str, str], users: dict[str, list[str]]) -> Path:
    """A configuration with these sources, all writable, and users whose password is `s3cret`."""
    hashed = subprocess.run([command, "hash-password"], input="s3cret", capture_output=True, text=True, check=True)
    sources = [f'[[source]]\nname = "{name}"\nuri = "{uri}"\nwritable = true\n' for name, uri in uris.items()]
    each = [
        f'[[user]]\nname = "{user}"\npassword_hash = "{hashed.stdout.strip()}"\nrules = {rules!r}\n'
        for user, rules in users.items()
    ]
    path.write_text("".join(sources + each))
    return path
