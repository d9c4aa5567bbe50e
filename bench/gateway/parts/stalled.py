"""Part 5: what the gateway occupies while readers of a huge result read one batch each, and then none."""

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import server, tpch
from bench.bars import Bar
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import below
from bench.gateway.measure import MEGABYTE
from bench.gateway.process import Process, forget_peak, gateway, peak_bytes, resident_bytes
from bench.gateway.settings import Settings

NAME = "stalled"
LIMIT = 1000.0
ROOT = Path(__file__).parents[3]
# A reader has a connection of the database, and another one where its query was planned.
CONNECTIONS = {"max_connections": "300"}
# More than there are readers: what is measured is how much they occupy, not how they are kept waiting.
LIMITS = {"statements_running": "256", "statements_per_user": "256"}


@dataclass(frozen=True)
class Way:
    """A way to read ten gigabytes; each reader has a connection of its own."""

    row: str
    sql: str
    # Whether all readers share a query.
    shared: bool


WAYS = [
    # Ten million rows of 1,024 characters, which PostgreSQL makes as they are read.
    Way(
        "a query each",
        "SELECT g, repeat(md5(g::text), 32) AS text FROM (SELECT generate_series(1, 10000000) AS g) AS series",
        shared=False,
    ),
    # At scale 1 six million rows of 1,600 characters on average.
    Way("endpoints of one query", "SELECT l_orderkey, repeat(l_comment, 60) AS text FROM lineitem", shared=True),
]


def run(settings: Settings, repeat: int) -> Iterator[Figure]:
    """Opens the streams, waits, and reads the gateway's memory."""
    with server.running_server(CONNECTIONS) as postgres:
        uri = tpch.postgres_database(postgres, settings.scale)
        for _ in range(repeat):
            for way in WAYS:
                with gateway(settings.binary, uri, limits=LIMITS) as running:
                    row = f"{settings.readers} readers/{way.row}"
                    try:
                        yield Figure(NAME, row, _stall(settings, way, running))
                    except RuntimeError as error:
                        yield Figure(NAME, row, error=str(error))


def _stall(settings: Settings, way: Way, running: Process) -> dict[str, float]:
    start = resident_bytes(running.pid)
    forget_peak(running.pid)
    endpoints = settings.readers if way.shared else 1
    command = [sys.executable, "-m", "bench.gateway.stall", running.uri, way.sql, str(settings.readers), str(endpoints)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        said = client.stdout.readline().strip()
        if not said.startswith("reading "):
            raise RuntimeError(said or "the readers ended without a word")
        readers = int(said.split()[1])
        time.sleep(settings.stall_seconds)
        stalled, peak = resident_bytes(running.pid), peak_bytes(running.pid)
        client.stdin.close()
        client.wait()
    # Memory that comes back: a lost client costs nothing.
    time.sleep(2)
    after = resident_bytes(running.pid)
    memory = {"start MB": start, "stalled MB": stalled, "peak MB": peak, "after MB": after}
    memory["a reader MB"] = (stalled - start) // max(1, readers)
    return {"readers": readers} | {name: value / MEGABYTE for name, value in memory.items()}


def bars(rows: Rows) -> list[Bar]:
    """Returns the bars: the highest memory that the gateway ever occupied."""
    return [below(f"peak memory of the gateway, {row}", LIMIT, "MB", rows.get(row, "peak MB")) for row in rows.medians]
