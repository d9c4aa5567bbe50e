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
        """`postgres` or `sqlite`."""
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
SQLITE_FLOOR = "sqlite/floor/c-step"

FLOORS = [
    Case(POSTGRES_FLOOR_1, "floor.postgres:copy_binary", {"connections": 1}),
    Case(POSTGRES_FLOOR_2, "floor.postgres:copy_binary", {"connections": 2}),
    Case(SQLITE_FLOOR, "floor.sqlite:step"),
]


def _bowshot() -> list[Case]:
    cases = []
    for database in ("postgres", "sqlite"):
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
    return cases


def _peers() -> list[Case]:
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
        for engine in ("connectorx", "adbc"):
            cases.append(Case(f"{database}/polars/polars-{engine}", "peers.polars:load", {"engine": engine}))
    cases.append(Case("postgres/pandas/pandas-psycopg2", "peers.pandas:psycopg2", only_once=True))
    cases.append(Case("sqlite/pandas/pandas-sqlite3", "peers.pandas:stdlib_sqlite3", only_once=True))
    return cases


CASES = _bowshot() + _peers()


def find(name: str) -> Case:
    """Returns the case or floor of that name; raises `KeyError` where there is none."""
    return {case.name: case for case in FLOORS + CASES}[name]
