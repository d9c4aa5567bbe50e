"""Ctrl-C ends a read within a second, wherever it is."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import bowshot
import pytest

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
SILENT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n"

SCRIPT = """
import sys, threading, time
import bowshot

how, sql, con = sys.argv[1:]
options = {} if "pg_sleep" in sql else {"types": {"c" if "count" in sql else "i": "int64"}}
print("reading", flush=True)
try:
    if how == "batches":
        for batch in bowshot.query(sql, con, **options).batches():
            pass
    elif how == "chunks":
        for frame in bowshot.read_sql(sql, con, chunksize=1000, **options):
            pass
    elif how == "plan":
        bowshot.plan(sql, con)
    else:
        bowshot.read_sql(sql, con, return_type=how, **options)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print("ended", flush=True)
"""


def interrupted_after(how: str, sql: str, con: str) -> float:
    """Seconds from the signal to the exception."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, how, sql, con], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        assert process.stdout.readline() == "reading\n"
        time.sleep(1)
        assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        line = process.stdout.readline()
        seconds = time.monotonic() - start
        assert line == "interrupted\n", process.stderr.read()
        assert process.wait(5) == 0
        return seconds
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("how", ["pandas", "arrow", "polars", "batches", "chunks"])
def test_a_long_result(database: Path, how: str) -> None:
    assert interrupted_after(how, ENDLESS, str(database)) < 1


@pytest.mark.parametrize("how", ["pandas", "arrow"])
def test_a_query_that_yields_nothing_yet(database: Path, how: str) -> None:
    assert interrupted_after(how, SILENT, str(database)) < 1


def test_a_server_that_never_answers() -> None:
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert interrupted_after("plan", "SELECT 1", f"postgresql://me@127.0.0.1:{port}/none") < 1


@pytest.mark.parametrize(
    "sql", ["SELECT i, pg_sleep(0.001) FROM generate_series(1, 1000000) i", "SELECT pg_sleep(600) AS i"]
)
@pytest.mark.parametrize("how", ["pandas", "arrow", "batches"])
def test_postgres_ends_the_query_too(postgres: str, how: str, sql: str) -> None:
    marked = f"{sql} -- interrupted"
    assert interrupted_after(how, marked, postgres) < 1
    active = (
        "SELECT count(*) AS n FROM pg_stat_activity"
        " WHERE query LIKE '%-- interrupted%' AND state = 'active' AND pid <> pg_backend_pid()"
    )
    until = time.monotonic() + 5
    while bowshot.read_sql(active, postgres)["n"].tolist() != [0]:
        assert time.monotonic() < until, "the query goes on in the database"
        time.sleep(0.05)
