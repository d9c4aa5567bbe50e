"""Part 3: the gateway against row protocols, the same rows, to pandas.

The shapes and the ratios are those of StarRocks' comparison of Arrow Flight SQL with PyMySQL at a million rows; the
ratio to pyodbc is Hitachi's. Both had their rows in columns. So the gateway is measured on files with the same rows,
Parquet and Arrow's own, and on the same database, which sends rows whoever asks; and once more on PostgreSQL, where the
server has Bowshot's extension to offer.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import mariadb, server
from bench.bars import Bar
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import at_least
from bench.gateway.measure import Load, measure
from bench.gateway.process import Process, gateway
from bench.gateway.settings import Settings
from bench.gateway.tables import arrow, in_files, in_mariadb, in_postgres, parquet
from bench.tpch import psql

NAME = "rows"
TABLES = ("numbers", "texts")
SHAPES = {
    "one number": "SELECT id FROM numbers",
    "20 numbers": "SELECT * FROM numbers",
    "20 texts": "SELECT * FROM texts",
}
# How many times as fast as PyMySQL, at a million rows.
STARROCKS = {"one number": 19.0, "20 numbers": 50.0, "20 texts": 20.0}
HITACHI = 13.0
FILES = {"Parquet files": parquet, "Arrow files": arrow}
EXTENSION = "postgresql with the extension"
PEERS = {"mariadb": ("pymysql",), "postgresql": ("psycopg2", "pyodbc")}
CLIENTS = {"bowshot": "peers.gateway:with_bowshot", "adbc": "peers.gateway:with_adbc"}


def run(settings: Settings, repeat: int) -> Iterator[Figure]:
    """Measures each shape from each database; the row protocols, which take minutes, in the first round only."""
    with server.running_server() as postgres, mariadb.running_server() as maria:
        uri = in_postgres(postgres, settings)
        databases = {"postgresql": (uri, postgres.pid), "mariadb": (in_mariadb(maria, uri, settings), maria.pid)}
        for kind, write in FILES.items():
            files = in_files(uri, settings, TABLES, write)
            with gateway(settings.binary, *map(str, files)) as running:
                loads = _ours(kind, running, None, files)
                for _ in range(repeat):
                    yield from (measure(NAME, load) for load in loads)
        for database, (address, pid) in databases.items():
            with gateway(settings.binary, address) as running:
                loads = _ours(database, running, pid)
                for _ in range(repeat):
                    yield from (measure(NAME, load) for load in loads)
            if database == "postgresql" and _offers_extension(address):
                yield from _with_extension(settings, repeat, address, pid)
            theirs = [
                Load(f"{shape}/{database}/{peer}", f"peers.rows:{peer}", address, sql, "id", database=pid)
                for shape, sql in SHAPES.items()
                for peer in PEERS[database]
            ]
            yield from (measure(NAME, load) for load in theirs)


def _offers_extension(uri: str) -> bool:
    return bool(psql(uri, "SELECT 1 FROM pg_available_extensions WHERE name = 'bowshot'"))


def _with_extension(settings: Settings, repeat: int, uri: str, pid: int) -> Iterator[Figure]:
    """Measures the gateway on a database that has the extension, as long as it is measured."""
    psql(uri, "CREATE EXTENSION bowshot")
    try:
        with gateway(settings.binary, uri) as running:
            loads = _ours(EXTENSION, running, pid)
            for _ in range(repeat):
                yield from (measure(NAME, load) for load in loads)
    finally:
        psql(uri, "DROP EXTENSION bowshot")


def _ours(source: str, running: Process, database: int | None, files: Sequence[Path] = ()) -> list[Load]:
    return [
        Load(
            f"{shape}/{source}/gateway, {client}",
            function,
            running.uri,
            sql,
            "id",
            {"return_type": "pandas"},
            running.pid,
            database,
            files,
        )
        for shape, sql in SHAPES.items()
        for client, function in CLIENTS.items()
    ]


def bars(rows: Rows) -> list[Bar]:
    """Returns the seeds' ratios, for the faster of the gateway's two clients."""
    judged = []
    for shape in SHAPES:
        for database, peers in PEERS.items():
            for peer in peers:
                limit = HITACHI if peer == "pyodbc" else STARROCKS[shape]
                theirs = rows.get(f"{shape}/{database}/{peer}", "wall s")
                extended = database == "postgresql" and _best(rows, shape, EXTENSION) is not None
                for source in (*FILES, database, *([EXTENSION] if extended else [])):
                    what = f"{shape} to pandas, the gateway on {source} against {peer} on {database}"
                    judged.append(at_least(what, limit, _best(rows, shape, source), theirs))
    return judged


def _best(rows: Rows, shape: str, source: str) -> float | None:
    found = [rows.get(f"{shape}/{source}/gateway, {client}", "wall s") for client in CLIENTS]
    return min((wall for wall in found if wall is not None), default=None)
