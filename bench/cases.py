"""Everything that is measured: Bowshot, its peers and the floors, each by name.

A name is `database/destination/who`, such as `postgres/arrow/bowshot-2`: two connections.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SQL = "SELECT * FROM lineitem"


@dataclass(frozen=True)
class Case:
    """A way to load the query: the function that does it and its options."""

    name: str
    # Its module below `bench`, and its name there.
    function: str
    options: Mapping[str, Any] = field(default_factory=dict)
    # The slowest peers are measured once, however many rounds there are.
    only_once: bool = False

    @property
    def database(self) -> str:
        """A key of `databases.DATABASES`."""
        return self.name.split("/")[0]

    @property
    def workload(self) -> str:
        """Database and destination, such as `postgres/arrow`."""
        return self.name.rpartition("/")[0]

    @property
    def is_floor(self) -> bool:
        """Whether nothing is kept of what is read."""
        return self.workload.endswith("/floor")


POSTGRES_FLOOR_1 = "postgres/floor/copy-1"
POSTGRES_FLOOR_2 = "postgres/floor/copy-2"
MYSQL_FLOOR = "mysql/floor/packets"
SQLITE_FLOOR = "sqlite/floor/c-step"

FLOORS = [
    Case(POSTGRES_FLOOR_1, "floor.postgres:copy_binary", {"connections": 1}),
    Case(POSTGRES_FLOOR_2, "floor.postgres:copy_binary", {"connections": 2}),
    Case(MYSQL_FLOOR, "floor.mysql:discard"),
    Case(SQLITE_FLOOR, "floor.sqlite:step"),
]

# The floor that a database's loads are compared with first.
FIRST_FLOORS = {"postgres": POSTGRES_FLOOR_1, "mysql": MYSQL_FLOOR, "sqlite": SQLITE_FLOOR}


def _bowshot() -> list[Case]:
    cases = []
    for database in ("postgres", "mysql", "sqlite"):
        for destination in ("arrow", "pandas", "polars"):
            for connections in (1, 2):
                options = {"return_type": destination, "connections": connections}
                cases.append(Case(f"{database}/{destination}/bowshot-{connections}", "peers.bowshot:load", options))
            cases.append(
                Case(f"{database}/{destination}/bowshot-default", "peers.bowshot:load", {"return_type": destination})
            )
        for connections in (1, 2):
            options = {"connections": connections}
            cases.append(Case(f"{database}/stream/bowshot-{connections}", "peers.bowshot_stream:load", options))
    for protocol in ("text", "binary"):
        options = {"return_type": "arrow", "connections": 1, "protocol": protocol}
        cases.append(Case(f"mysql/arrow/bowshot-{protocol}", "peers.bowshot:load", options))
    for database in ("odbc-postgres", "odbc-mysql"):
        cases.append(Case(f"{database}/arrow/bowshot", "peers.bowshot:odbc", {"return_type": "arrow"}))
    for database in ("flight", "files"):
        cases.append(Case(f"{database}/arrow/bowshot", "peers.bowshot:load", {"return_type": "arrow"}))
    return cases


def _peers() -> list[Case]:
    return [*_database_peers(), *_polars(), *_pandas(), *_mysql_peers(), *_other_peers()]


def _database_peers() -> list[Case]:
    cases = []
    for database in ("postgres", "sqlite"):
        for destination in ("arrow", "pandas"):
            # Four readers of one file on two cores help nobody; of a server, they may.
            for partitions in (1, 2, 4) if database == "postgres" else (1, 2):
                options = {"return_type": destination, "partitions": partitions}
                cases.append(
                    Case(f"{database}/{destination}/connectorx-{partitions}", "peers.connectorx:load", options)
                )
            cases.append(Case(f"{database}/{destination}/adbc", f"peers.adbc:to_{destination}"))
            cases.append(Case(f"{database}/{destination}/duckdb", f"peers.duckdb:to_{destination}"))
            unordered = f"{database}/{destination}/duckdb-unordered"
            cases.append(Case(unordered, f"peers.duckdb:to_{destination}", {"in_order": False}))
    return cases


def _mysql_peers() -> list[Case]:
    cases = []
    for protocol in ("binary", "text"):
        for partitions in (1, 2, 4):
            options = {"return_type": "arrow", "partitions": partitions, "protocol": protocol}
            cases.append(Case(f"mysql/arrow/connectorx-{protocol}-{partitions}", "peers.connectorx:load", options))
    cases.append(Case("mysql/pandas/connectorx-2", "peers.connectorx:load", {"return_type": "pandas", "partitions": 2}))
    for destination in ("arrow", "pandas"):
        cases.append(Case(f"mysql/{destination}/duckdb", f"peers.duckdb:to_{destination}"))
    cases.append(Case("mysql/arrow/arrow-odbc", "peers.odbc:mysql"))
    cases.append(Case("mysql/pandas/pandas-mysqlclient", "peers.pandas:mysqlclient", only_once=True))
    return cases


def _polars() -> list[Case]:
    return [
        Case(f"{database}/polars/polars-{engine}", "peers.polars:load", {"engine": engine})
        for database in ("postgres", "sqlite")
        for engine in ("connectorx", "adbc")
    ] + [Case("mysql/polars/polars-connectorx", "peers.polars:load", {"engine": "connectorx"})]


def _pandas() -> list[Case]:
    return [
        Case("postgres/pandas/pandas-psycopg2", "peers.pandas:psycopg2", only_once=True),
        Case("sqlite/pandas/pandas-sqlite3", "peers.pandas:stdlib_sqlite3", only_once=True),
    ]


def _other_peers() -> list[Case]:
    return [
        Case("odbc-postgres/arrow/arrow-odbc", "peers.odbc:arrow_odbc"),
        Case("odbc-mysql/arrow/arrow-odbc", "peers.odbc:arrow_odbc"),
        Case("flight/arrow/adbc", "peers.flight:adbc"),
        Case("files/arrow/pyarrow", "peers.files:pyarrow_dataset"),
        Case("files/arrow/polars", "peers.files:polars_parquet"),
    ]


CASES = _bowshot() + _peers()


def find(name: str) -> Case:
    """Returns the case or floor of that name; raises `KeyError` where there is none."""
    return {case.name: case for case in FLOORS + CASES}[name]
