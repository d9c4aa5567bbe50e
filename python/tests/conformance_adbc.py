"""The databases behind ADBC drivers, made with their own Python modules, as the testkit makes the others."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import psycopg
from tests.conformance_cases import setups_of

Described = dict[str, Any]


@contextmanager
def adbc_started(testkit: str, database: str) -> Iterator[Described]:
    """A database with every suite set up in it, described as the testkit does."""
    starts: dict[str, Callable[..., Any]] = {"adbc-duckdb": _duckdb, "adbc-sqlite": _sqlite, "adbc-postgres": _postgres}
    with starts[database](testkit) as described:
        yield described


@contextmanager
def _duckdb(_testkit: str) -> Iterator[Described]:
    with tempfile.TemporaryDirectory() as folder:
        uris = {}
        for suite, setup in setups_of("adbc-duckdb").items():
            path = Path(folder) / f"{suite}.db"
            with closing(duckdb.connect(str(path))) as connection:
                connection.execute(setup or "SELECT 1")
            uris[suite] = f"duckdb:///{path}"
        yield _described(uris, {"unknown-database": f"duckdb:///{folder}/nowhere.db"})


@contextmanager
def _sqlite(_testkit: str) -> Iterator[Described]:
    with tempfile.TemporaryDirectory() as folder:
        uris = {}
        for suite, setup in setups_of("adbc-sqlite").items():
            path = Path(folder) / f"{suite}.db"
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript(setup)
            uris[suite] = f"adbc:sqlite?uri={path}"
        yield _described(uris, {"unknown-database": f"adbc:sqlite?uri={folder}/nowhere.db"})


@contextmanager
def _postgres(testkit: str) -> Iterator[Described]:
    with subprocess.Popen([testkit, "postgres"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        uri: str = json.loads(server.stdout.readline())["uri"]

        def of(database: str, password: str | None = None) -> str:
            parts = urlsplit(uri)._replace(path=f"/{database}").geturl()
            return parts if password is None else parts.replace(":bowshot@", f":{password}@")

        uris = {}
        for suite, setup in setups_of("adbc-postgres").items():
            with psycopg.connect(uri, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE suite_{suite}".encode())
            with psycopg.connect(of(f"suite_{suite}"), autocommit=True) as connection:
                connection.execute(setup.encode() or b"SELECT 1")
            uris[suite] = f"adbc:postgresql?uri={of(f'suite_{suite}')}"
        silent = "adbc:postgresql?uri=postgresql://postgres@127.0.0.1:PORT/postgres&connect_timeout=1"
        yield _described(
            uris,
            {
                "wrong-password": f"adbc:postgresql?uri={of('postgres', 'wrong')}",
                "unknown-database": f"adbc:postgresql?uri={of('nowhere')}",
                "dead-host": "adbc:postgresql?uri=postgresql://postgres@127.0.0.1:1/postgres",
                "silent-host": silent,
            },
        )
        server.stdin.close()


def _described(uris: dict[str, str], addresses: dict[str, str]) -> Described:
    return {"version": 0, "suites": uris, "addresses": addresses}
