"""Part 5: what the gateway occupies while readers of a huge result read one batch each, and then none."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench import server
from bench.bars import Bar
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import below
from bench.gateway.measure import MEGABYTE
from bench.gateway.process import forget_peak, gateway, peak_bytes, resident_bytes
from bench.gateway.settings import Settings

NAME = "stalled"
LIMIT = 1000.0
# Ten gigabytes: ten million rows of 1,024 characters, which PostgreSQL makes as they are read.
SQL = "SELECT g, repeat(md5(g::text), 32) AS text FROM (SELECT generate_series(1, 10000000) AS g) AS series"
ROOT = Path(__file__).parents[3]


def run(settings: Settings, repeat: int) -> Iterator[Figure]:
    """Opens the streams, waits, and reads the gateway's memory; each reader has a query and a connection of its own."""
    row = f"10 GB/{settings.readers} readers"
    # A reader has a connection of the database, and another one where its query was planned.
    with server.running_server({"max_connections": "300"}) as postgres:
        for _ in range(repeat):
            with gateway(settings.binary, postgres.uri("postgres")) as running:
                try:
                    yield Figure(NAME, row, _stall(settings, running.uri, running.pid))
                except RuntimeError as error:
                    yield Figure(NAME, row, error=str(error))


def _stall(settings: Settings, uri: str, pid: int) -> dict[str, float]:
    start = resident_bytes(pid)
    forget_peak(pid)
    command = [sys.executable, "-m", "bench.gateway.stall", uri, SQL, str(settings.readers)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        said = client.stdout.readline().strip()
        if not said.startswith("reading"):
            raise RuntimeError(said or "the readers ended without a word")
        time.sleep(settings.stall_seconds)
        stalled, peak = resident_bytes(pid), peak_bytes(pid)
        client.stdin.close()
        client.wait()
    # Memory that comes back: a lost client costs nothing.
    time.sleep(2)
    after = resident_bytes(pid)
    memory = {"start MB": start, "stalled MB": stalled, "peak MB": peak, "after MB": after}
    a_reader = (stalled - start) / settings.readers / MEGABYTE
    return {name: value / MEGABYTE for name, value in memory.items()} | {"a reader MB": a_reader}


def bars(rows: Rows) -> list[Bar]:
    """Returns the bar: the highest memory that the gateway ever occupied."""
    return [below(f"peak memory of the gateway, {row}", LIMIT, "MB", rows.get(row, "peak MB")) for row in rows.medians]
