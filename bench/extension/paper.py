"""Tables 10 to 12 of "Don't Hold My Data Hostage" (VLDB 2017), local: PostgreSQL's protocol against a columnar one.

The paper's ratios are those of PostgreSQL to PostgreSQL++, both with a client that throws away what it receives. Here
that is psql for rows, and for FORMAT arrow Bowshot's reader; what psql does with FORMAT arrow stands beside it,
without a bar.
"""

from collections.abc import Iterator, Mapping

from bench.bars import Bar
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import at_least
from bench.gateway.measure import Load, measure

NAME = "paper"
RATIOS = {"lineitem": 5.2, "acs": 6.4, "ontime": 8.4}
COLUMNS = {"lineitem": "l_orderkey", "acs": "id", "ontime": "id"}


def run(uris: Mapping[str, str], pid: int, repeat: int) -> Iterator[Figure]:
    """Measures psql over the protocol of rows, and Bowshot over FORMAT arrow; `uris` says where each data set is."""
    for _ in range(repeat):
        for data, uri in uris.items():
            sql = f"SELECT * FROM {data}"
            ours = {"connections": 1, "protocol": "arrow"}
            for row, function, options in (
                (f"{data}/PostgreSQL", "peers.clients:psql", {}),
                (f"{data}/FORMAT arrow", "peers.bowshot_stream:load", ours | {"column": COLUMNS[data]}),
                (f"{data}/FORMAT arrow to psql", "floor.postgres:copy", {"form": "arrow"}),
                (f"{data}/FORMAT arrow to Arrow", "peers.bowshot:load", {"return_type": "arrow", "connections": 1}),
            ):
                yield measure(NAME, Load(row, function, uri, sql, COLUMNS[data], options, database=pid))


def bars(rows: Rows) -> list[Bar]:
    """Returns the paper's ratios."""
    return [
        at_least(
            f"{data}, against PostgreSQL's protocol",
            ratio,
            rows.get(f"{data}/FORMAT arrow", "wall s"),
            rows.get(f"{data}/PostgreSQL", "wall s"),
        )
        for data, ratio in RATIOS.items()
    ]
