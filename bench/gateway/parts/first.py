"""Part 6: how soon the first batch of six million rows is there."""

import sys
from collections.abc import Iterator

from bench import server, tpch
from bench.bars import Bar
from bench.cases import SQL
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import below
from bench.gateway.measure import child
from bench.gateway.process import gateway
from bench.gateway.settings import Settings

NAME = "first"
LIMIT = 100.0


def run(settings: Settings, repeat: int) -> Iterator[Figure]:
    """Measures the time to `GetFlightInfo`'s answer, and from there to the first batch, over one warm connection."""
    with server.running_server() as postgres:
        uri = tpch.postgres_database(postgres, settings.scale)
        with gateway(settings.binary, uri) as running:
            command = [sys.executable, "-m", "bench.gateway.first_batch", running.uri, SQL, str(settings.first_batches)]
            for _ in range(repeat):
                try:
                    yield Figure(NAME, "lineitem/postgresql", child(command))
                except RuntimeError as error:
                    yield Figure(NAME, "lineitem/postgresql", error=str(error))


def bars(rows: Rows) -> list[Bar]:
    """Returns the bar for the median, and for the slowest."""
    return [
        below(
            f"first batch of lineitem after GetFlightInfo, {which}",
            LIMIT,
            "ms",
            rows.get("lineitem/postgresql", f"first batch {which} ms"),
        )
        for which in ("median", "slowest")
    ]
