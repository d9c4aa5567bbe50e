"""Part 1: PostgreSQL's lineitem through the gateway, against `bowshot.read_sql` straight from PostgreSQL."""

from collections.abc import Iterator

from bench import server, tpch
from bench.bars import Bar
from bench.cases import SQL
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import at_most
from bench.gateway.measure import Load, measure
from bench.gateway.process import gateway
from bench.gateway.settings import Settings
from bench.result import CHECKED_COLUMN

NAME = "straight"
LIMIT = 1.25


def run(settings: Settings, repeat: int) -> Iterator[Figure]:
    """Measures both, side by side, over two connections of the database."""
    with server.running_server() as postgres:
        uri = tpch.postgres_database(postgres, settings.scale)
        with gateway(settings.binary, uri) as running:
            loads = _loads(uri, postgres.pid, running.uri, running.pid)
            for _ in range(repeat):
                yield from (measure(NAME, load) for load in loads)


def _loads(uri: str, postgres: int, flight: str, gateway_pid: int) -> list[Load]:
    arrow = {"return_type": "arrow"}
    two = arrow | {"endpoints": 2}
    direct = Load(
        "lineitem/bowshot straight",
        "peers.bowshot:load",
        uri,
        SQL,
        CHECKED_COLUMN,
        arrow | {"connections": 2},
        database=postgres,
    )
    through = [
        Load(f"lineitem/gateway, {row}", function, flight, SQL, CHECKED_COLUMN, options, gateway_pid, postgres)
        for row, function, options in (
            ("bowshot", "peers.gateway:with_bowshot", two),
            ("bowshot, 1 endpoint", "peers.gateway:with_bowshot", arrow | {"endpoints": 1}),
            # As it comes: the gateway gives it one endpoint, for which all connections read.
            ("adbc", "peers.gateway:with_adbc", arrow),
        )
    ]
    # The straight one before and after, for a machine's speed changes within a minute.
    return [direct, *through, direct]


def bars(rows: Rows) -> list[Bar]:
    """Returns the bar: Bowshot's client through the gateway, and what ADBC's driver makes of it beside."""
    straight = rows.get("lineitem/bowshot straight", "wall s")
    return [
        at_most(
            f"PostgreSQL to Arrow through the gateway, {way}",
            LIMIT,
            "straight",
            rows.get(f"lineitem/gateway, {client}", "wall s"),
            straight,
        )
        for client, way in (("bowshot", "2 endpoints, bowshot"), ("adbc", "adbc as it comes"))
    ]
