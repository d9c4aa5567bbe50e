"""Part 3: the gateway against row protocols, the same rows, to pandas.

The shapes and the ratios are those of StarRocks' comparison of Arrow Flight SQL with PyMySQL at a million rows; the
ratio to pyodbc is Hitachi's.
"""

from collections.abc import Iterator

from bench import mariadb, server
from bench.bars import Bar
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import at_least
from bench.gateway.measure import Load, measure
from bench.gateway.process import gateway
from bench.gateway.settings import Settings
from bench.gateway.tables import in_mariadb, in_postgres

NAME = "rows"
SHAPES = {
    "one number": "SELECT id FROM numbers",
    "20 numbers": "SELECT * FROM numbers",
    "20 texts": "SELECT * FROM texts",
}
# How many times as fast as PyMySQL, at a million rows.
STARROCKS = {"one number": 19.0, "20 numbers": 50.0, "20 texts": 20.0}
HITACHI = 13.0
PEERS = {"mariadb": ("pymysql",), "postgresql": ("psycopg2", "pyodbc")}
CLIENTS = {"bowshot": "peers.gateway:with_bowshot", "adbc": "peers.gateway:with_adbc"}


def run(settings: Settings, repeat: int) -> Iterator[Figure]:
    """Measures each shape from each database; the row protocols, which take minutes, in the first round only."""
    with server.running_server() as postgres, mariadb.running_server() as maria:
        uri = in_postgres(postgres, settings)
        databases = {"postgresql": (uri, postgres.pid), "mariadb": (in_mariadb(maria, uri, settings), maria.pid)}
        for database, (address, pid) in databases.items():
            with gateway(settings.binary, address) as running:
                ours = [
                    Load(
                        f"{shape}/{database}/gateway, {client}",
                        function,
                        running.uri,
                        sql,
                        "id",
                        {"return_type": "pandas"},
                        running.pid,
                        pid,
                    )
                    for shape, sql in SHAPES.items()
                    for client, function in CLIENTS.items()
                ]
                for _ in range(repeat):
                    yield from (measure(NAME, load) for load in ours)
            theirs = [
                Load(f"{shape}/{database}/{peer}", f"peers.rows:{peer}", address, sql, "id", database=pid)
                for shape, sql in SHAPES.items()
                for peer in PEERS[database]
            ]
            yield from (measure(NAME, load) for load in theirs)


def bars(rows: Rows) -> list[Bar]:
    """Returns the seeds' ratios, for the faster of the gateway's two clients."""
    judged = []
    for shape in SHAPES:
        for database, peers in PEERS.items():
            found = [rows.get(f"{shape}/{database}/gateway, {client}", "wall s") for client in CLIENTS]
            best = min((wall for wall in found if wall is not None), default=None)
            for peer in peers:
                limit = HITACHI if peer == "pyodbc" else STARROCKS[shape]
                theirs = rows.get(f"{shape}/{database}/{peer}", "wall s")
                judged.append(at_least(f"{shape} to pandas, against {peer} on {database}", limit, best, theirs))
    return judged
