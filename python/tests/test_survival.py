"""PostgreSQL: interrupted, killed and read over and over, Python is left as it was."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import bowshot
import pytest

# A gigabyte, more than any buffer on the way holds.
LONG = "SELECT generate_series(1, 1000000) AS n, repeat('x', 1000) AS x"
ASLEEP = "SELECT pg_sleep(60)::text AS s"

SCRIPT = """
import sys
import bowshot

how, sql, con = sys.argv[1:]
# Not an import is to be interrupted, but a read.
__import__(how) if how in ("pandas", "polars") else None
print("reading", flush=True)
try:
    if how == "batches":
        for batch in bowshot.query(sql, con).batches():
            pass
    elif how == "plan":
        # The column's lowest and highest value are asked for.
        bowshot.plan(f"SELECT 1 AS one FROM ({sql}) AS slow OFFSET 0", con, partition_on="one", partition_num=2)
    else:
        bowshot.read_sql(sql, con, return_type=how)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def named(uri: str, name: str) -> str:
    """The URI for connections with this name."""
    parts = urlsplit(uri)
    query = "&".join(filter(None, [parts.query, f"application_name={name}"]))
    return urlunsplit(parts._replace(query=query))


def value(uri: str, sql: str) -> object:
    """The one value of a query."""
    table = bowshot.read_sql(sql, uri, return_type="arrow")
    return table.column(0)[0].as_py()


def connections(uri: str, name: str) -> object:
    """How many connections of this name the server has."""
    return value(uri, f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'")


def wait_for(uri: str, name: str, count: int, seconds: float) -> None:
    """Waits until the server has so many connections of this name."""
    deadline = time.monotonic() + seconds
    while connections(uri, name) != count:
        assert time.monotonic() < deadline, f"{connections(uri, name)} connections, not {count}"
        time.sleep(0.02)


WAYS = [(how, kind) for how in ("pandas", "arrow", "polars", "batches") for kind in ("long", "asleep")]


# A plan reads nothing, however long the result.
@pytest.mark.parametrize(("how", "kind"), [*WAYS, ("plan", "asleep")])
def test_ctrl_c_ends_the_read_and_its_query(postgres: str, how: str, kind: str) -> None:
    sql = {"long": LONG, "asleep": ASLEEP}[kind]
    name = f"interrupted-{how}-{kind}"
    command = [sys.executable, "-c", SCRIPT, how, sql, named(postgres, name)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        assert process.stdout.readline() == "reading\n"
        wait_for(postgres, name, 1, 10)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "interrupted\n", process.stderr.read()
        assert time.monotonic() - start < 1
        assert process.wait(5) == 0, process.stderr.read()
        wait_for(postgres, name, 0, 2)
    finally:
        process.kill()
        process.communicate()


def held() -> tuple[int, int, int]:
    """Open files, Python's threads and all threads of this process."""
    files, tasks = (sum(1 for _ in Path("/proc/self", what).iterdir()) for what in ("fd", "task"))
    return files, threading.active_count(), tasks


def resident() -> int:
    """The process's memory in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) * 1024


def read_hundreds(uri: str) -> int:
    """Reads in every way; the bytes by which the process has grown since it was warm."""
    sql = "SELECT i AS id, 'name ' || i AS name, ARRAY[i, NULL] AS tags FROM generate_series(1, 100) AS i"

    def one(number: int) -> None:
        match number % 6:
            case 0:
                with pytest.raises(bowshot.SqlError):
                    bowshot.read_sql("SELECT nope", uri)
            case 1:
                next(iter(bowshot.query(LONG, uri).batches()))
            case 2:
                assert len(bowshot.read_sql(sql, uri)) == 100
            case 3:
                assert bowshot.read_sql(sql, uri, return_type="polars").height == 100
            case 4:
                bowshot.plan(sql, uri)
            case _:
                assert bowshot.read_sql(sql, uri, return_type="arrow").num_rows == 100

    for number in range(90):
        one(number)
    before, memory = held(), resident()
    for number in range(300):
        one(number)
    assert held() == before
    return resident() - memory


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="/proc is Linux's")
def test_hundreds_of_reads_leak_nothing(postgres: str) -> None:
    # In a process of its own: what the allocator does with other tests' memory is not measured.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as alone:
        assert alone.submit(read_hundreds, named(postgres, "leak")).result() < 12 << 20
    wait_for(postgres, "leak", 0, 5)


def test_a_connection_that_is_ended_raises_an_error_of_its_own(postgres: str) -> None:
    batches = iter(bowshot.query(LONG, named(postgres, "ended")).batches())
    next(batches)
    value(postgres, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'")
    with pytest.raises(bowshot.ConnectionLostError):
        for _ in batches:
            pass
    assert issubclass(bowshot.ConnectionLostError, bowshot.Error)
    wait_for(postgres, "ended", 0, 5)


@pytest.mark.parametrize("signal_number", [signal.SIGQUIT, signal.SIGKILL], ids=["quit", "kill"])
def test_a_server_that_goes_away_raises_an_error_of_its_own(testkit: str, signal_number: int) -> None:
    server = subprocess.Popen([testkit, "postgres"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        described = json.loads(server.stdout.readline())
        batches = iter(bowshot.query(LONG, named(described["uri"], "left")).batches())
        next(batches)
        # The whole server, or the one process that reads for us: the server then ends all others.
        sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'left'"
        reading = value(described["uri"], sql)
        assert isinstance(reading, int)
        os.kill(described["pid"] if signal_number == signal.SIGQUIT else reading, signal_number)
        start = time.monotonic()
        with pytest.raises(bowshot.ConnectionLostError) as caught:
            for _ in batches:
                pass
        assert time.monotonic() - start < 5
        assert caught.value.is_temporary
        if signal_number == signal.SIGQUIT:
            with pytest.raises(bowshot.ConnectError):
                bowshot.read_sql("SELECT 1", described["uri"])
    finally:
        server.communicate()
