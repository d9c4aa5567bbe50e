"""What a result costs the server and the client: lineitem over one connection, as rows and as Arrow."""

from collections.abc import Iterator

from bench.bars import Bar
from bench.cases import SQL
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import at_least, at_most
from bench.gateway.measure import MEGABYTE, Load, measure
from bench.result import CHECKED_COLUMN

NAME = "cost"
ONE = {"return_type": "arrow", "connections": 1}
# Thrown away by psql: what the server alone needs.
BINARY = "lineitem/discarded, COPY BINARY"
ARROW = "lineitem/discarded, FORMAT arrow"
SCAN = "lineitem/discarded, one aggregate"
OURS = "lineitem/loaded, bowshot over FORMAT arrow"
ROWS = "lineitem/loaded, bowshot over COPY BINARY"
STREAMED = "lineitem/streamed, bowshot over FORMAT arrow"
CONNECTORX = "lineitem/loaded, connectorx"
# As many bytes as the result has, from a process that makes them up: to compare with, whoever sends.
KEPT = "floor/received and kept"
THROWN = "floor/received and thrown away"


def run(uri: str, pid: int, repeat: int) -> Iterator[Figure]:
    """Measures each way in every round; `pid` is the server's first process."""
    for _ in range(repeat):
        for row, function, options in (
            (BINARY, "floor.postgres:copy", {"form": "binary"}),
            (ARROW, "floor.postgres:copy", {"form": "arrow"}),
            (SCAN, "floor.postgres:aggregate", {}),
            (ROWS, "peers.bowshot:load", ONE | {"protocol": "copy"}),
            (STREAMED, "peers.bowshot_stream:load", {"connections": 1, "protocol": "arrow"}),
            (CONNECTORX, "peers.connectorx:load", {"return_type": "arrow", "partitions": 1}),
        ):
            yield measure(NAME, Load(row, function, uri, SQL, CHECKED_COLUMN, options, database=pid))
        ours = ONE | {"protocol": "arrow"}
        figure = measure(NAME, Load(OURS, "peers.bowshot:load", uri, SQL, CHECKED_COLUMN, ours, database=pid))
        yield figure
        yield from _floors(uri, figure)


def _floors(uri: str, loaded: Figure) -> Iterator[Figure]:
    """Receives as many bytes as a result has, which failed where it has no size."""
    if (size := loaded.values.get("result MB")) is None:
        return
    for row, keep in ((KEPT, True), (THROWN, False)):
        options = {"size": int(size * MEGABYTE), "keep": keep}
        yield measure(NAME, Load(row, "floor.receive:receive", uri, SQL, CHECKED_COLUMN, options))


def bars(rows: Rows) -> list[Bar]:
    """Returns the bars of CPU seconds and of wall time."""
    binary = rows.get(BINARY, "database CPU s")
    return [
        at_most("server CPU, lineitem", 0.25, "COPY BINARY's", rows.get(ARROW, "database CPU s"), binary),
        at_most("client CPU, lineitem, kept", 0.04, "COPY BINARY's server CPU", rows.get(OURS, "client CPU s"), binary),
        at_most("the same, not kept", 0.04, "COPY BINARY's server CPU", rows.get(STREAMED, "client CPU s"), binary),
        at_least("to Arrow, against Bowshot over COPY BINARY", 3.5, _wall(rows, OURS), _wall(rows, ROWS)),
        at_least("to Arrow, against ConnectorX", 10, _wall(rows, OURS), _wall(rows, CONNECTORX)),
    ]


def _wall(rows: Rows, row: str) -> float | None:
    return rows.get(row, "wall s")
