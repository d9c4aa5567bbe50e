"""The bars that Bowshot sets itself, and whether a run's summaries reach them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bench.cases import FIRST_FLOORS, MYSQL_FLOOR, POSTGRES_FLOOR_1, POSTGRES_FLOOR_2, SQLITE_FLOOR
from bench.summary import MEGABYTE, Summary

Summaries = Mapping[str, Summary]

# The databases that are read into every destination.
SERVED = ("postgres", "mysql", "sqlite")
TITLES = {
    "postgres": "PostgreSQL",
    "mysql": "MariaDB",
    "sqlite": "SQLite",
    "odbc-postgres": "PostgreSQL by ODBC",
    "odbc-mysql": "MariaDB by ODBC",
    "flight": "Flight SQL, 4 endpoints,",
    "files": "Parquet files",
}
DESTINATIONS = {"arrow": "to Arrow", "pandas": "to pandas", "polars": "to Polars", "stream": "batch by batch"}


@dataclass(frozen=True)
class Bar:
    """A bar: what is measured, the limit in words, what was measured, and whether it is enough (None: not run)."""

    what: str
    limit: str
    measured: str
    passed: bool | None


def bars(summaries: Summaries) -> list[Bar]:
    """Returns every bar, with what `summaries` say about it."""
    good = {name: summary for name, summary in summaries.items() if summary.error is None}
    return [
        *(_client_cpu(good, "postgres", connections, 0.12) for connections in (1, 2)),
        _floor(good, "postgres/arrow/bowshot-1", "PostgreSQL to Arrow, 1 connection", 1.08, POSTGRES_FLOOR_1, "F(1)"),
        _floor(good, "postgres/arrow/bowshot-2", "PostgreSQL to Arrow, 2 connections", 1.12, POSTGRES_FLOOR_2, "F(2)"),
        _faster(good, "postgres/arrow", "connectorx", 2),
        _faster(good, "postgres/arrow", "adbc", 2),
        _faster(good, "postgres/arrow", "duckdb", 1),
        _faster(good, "postgres/polars", "polars", 1),
        *(_faster(good, "postgres/pandas", peer, 1) for peer in ("connectorx", "adbc", "duckdb")),
        _faster(good, "postgres/pandas", "pandas", 10),
        _pandas(good, "postgres"),
        _floor(good, "sqlite/arrow/bowshot-1", "SQLite to Arrow, 1 thread", 1.25, SQLITE_FLOOR, "C loop"),
        _floor(good, "sqlite/arrow/bowshot-2", "SQLite to Arrow, 2 threads", 0.75, SQLITE_FLOOR, "C loop"),
        *(_faster(good, "sqlite/arrow", peer, 1) for peer in ("connectorx", "adbc", "duckdb")),
        _faster(good, "sqlite/polars", "polars", 1),
        *(_faster(good, "sqlite/pandas", peer, 1) for peer in ("connectorx", "adbc", "duckdb", "pandas")),
        _client_cpu(good, "mysql", 1, 0.25),
        _floor(good, "mysql/arrow/bowshot-1", "MariaDB to Arrow, 1 connection", 1.10, MYSQL_FLOOR, "packets"),
        _faster(good, "mysql/arrow", "connectorx", 1.8),
        *(_faster(good, "mysql/arrow", peer, 1) for peer in ("duckdb", "arrow-odbc")),
        _faster(good, "mysql/polars", "polars", 1),
        *(_faster(good, "mysql/pandas", peer, 1) for peer in ("connectorx", "duckdb", "pandas")),
        *(_no_slower(good, f"odbc-{database}/arrow", "arrow-odbc") for database in ("postgres", "mysql")),
        _faster(good, "flight/arrow", "adbc", 1.3),
        *(_no_slower(good, "files/arrow", peer) for peer in ("pyarrow", "polars")),
        *(_memory(good, f"{database}/arrow", 0) for database in SERVED),
        *(_memory(good, f"{database}/pandas", 100 * MEGABYTE) for database in SERVED),
        *(_stream(good, f"{database}/stream") for database in SERVED),
    ]


def best(summaries: Summaries, workload: str, peer: str) -> Summary | None:
    """Returns the fastest of a peer's cases of a workload, by its ratio to the floor beside it."""
    prefix = f"{workload}/{peer}"
    found = [s for name, s in summaries.items() if name == prefix or name.startswith(f"{prefix}-")]
    return min(found, key=_ratio, default=None)


def _ratio(summary: Summary) -> float:
    """Returns the ratio to the floor on one connection: what makes loads of different minutes comparable."""
    floor = FIRST_FLOORS.get(summary.case.partition("/")[0], "")
    return summary.ratios.get(floor, summary.wall)


def _bar(what: str, limit: str, needed: Iterable[Summary | None], judge: Callable[..., tuple[str, bool]]) -> Bar:
    """Judges summaries; where one of them is missing, the bar was not measured."""
    present = list(needed)
    if any(summary is None for summary in present):
        return Bar(what, limit, "not run", None)
    measured, passed = judge(*present)
    return Bar(what, limit, measured, passed)


def _client_cpu(summaries: Summaries, database: str, connections: int, limit: float) -> Bar:
    def judge(summary: Summary) -> tuple[str, bool]:
        ratio = summary.client_cpu / summary.server_cpu if summary.server_cpu else float("inf")
        return f"{ratio:.1%} ({summary.client_cpu:.2f} s of {summary.server_cpu:.2f} s)", ratio <= limit

    what = f"{_title(f'{database}/arrow')}, client CPU, {_connections(connections)}"
    words = f"≤ {limit * 100:.0f} % of the server's"
    return _bar(what, words, [summaries.get(f"{database}/arrow/bowshot-{connections}")], judge)


def _floor(summaries: Summaries, case: str, what: str, limit: float, floor: str, floor_name: str) -> Bar:
    def judge(summary: Summary) -> tuple[str, bool]:
        ratio = summary.ratios.get(floor, float("inf"))
        return f"{ratio:.2f} × ({summary.wall:.2f} s)", ratio <= limit

    return _bar(what, f"≤ {limit} × {floor_name}", [summaries.get(case)], judge)


def _faster(summaries: Summaries, workload: str, peer: str, limit: float) -> Bar:
    def judge(ours: Summary, theirs: Summary) -> tuple[str, bool]:
        times = _ratio(theirs) / _ratio(ours)
        return f"{times:.2f} × ({_who(ours)} against {_who(theirs)})", times >= limit and times > 1

    words = "faster" if limit == 1 else f"≥ {limit:g} × as fast"
    needed = [best(summaries, workload, "bowshot"), best(summaries, workload, peer)]
    return _bar(f"{_title(workload)}, against {peer}", words, needed, judge)


def _no_slower(summaries: Summaries, workload: str, peer: str) -> Bar:
    def judge(ours: Summary, theirs: Summary) -> tuple[str, bool]:
        times = _ratio(theirs) / _ratio(ours)
        return f"{times:.2f} × as fast ({ours.wall:.2f} s against {theirs.wall:.2f} s)", times >= 1

    needed = [best(summaries, workload, "bowshot"), best(summaries, workload, peer)]
    return _bar(f"{_title(workload)}, against {peer}", "no slower", needed, judge)


def _pandas(summaries: Summaries, database: str) -> Bar:
    def judge(pandas: Summary, arrow: Summary) -> tuple[str, bool]:
        times = _ratio(pandas) / _ratio(arrow)
        return f"{times:.2f} × ({_who(pandas)} against {_who(arrow)})", times <= 1.25

    needed = [best(summaries, f"{database}/{destination}", "bowshot") for destination in ("pandas", "arrow")]
    return _bar(f"{_title(f'{database}/pandas')}", "≤ 1.25 × the time to Arrow", needed, judge)


def _memory(summaries: Summaries, workload: str, fixed: int) -> Bar:
    def judge(summary: Summary) -> tuple[str, bool]:
        size = summary.size or 0
        measured = f"{summary.growth / MEGABYTE:.0f} MB for {size / MEGABYTE:.0f} MB ({_who(summary)})"
        return measured, summary.growth <= 1.10 * size + fixed

    limit = "≤ 1.10 × the result" + (f" + {fixed / MEGABYTE:.0f} MB" if fixed else "")
    # The Bowshot case that needs most, not the fastest one.
    cases = [summary for name, summary in summaries.items() if name.startswith(f"{workload}/bowshot-")]
    hungriest = max(cases, key=lambda summary: summary.growth, default=None)
    return _bar(f"{_title(workload)}, peak above start", limit, [hungriest], judge)


def _stream(summaries: Summaries, workload: str) -> Bar:
    def judge(summary: Summary) -> tuple[str, bool]:
        measured = f"{summary.rss_peak / MEGABYTE:.0f} MB, {summary.growth / MEGABYTE:.0f} MB of it above start"
        return measured, summary.rss_peak <= 150 * MEGABYTE

    cases = [summary for name, summary in summaries.items() if name.startswith(f"{workload}/bowshot-")]
    hungriest = max(cases, key=lambda summary: summary.rss_peak, default=None)
    return _bar(f"{_title(workload)}, peak of the whole process", "≤ 150 MB", [hungriest], judge)


def _title(workload: str) -> str:
    database, destination = workload.split("/")
    return f"{TITLES[database]} {DESTINATIONS[destination]}"


def _who(summary: Summary) -> str:
    return summary.case.rpartition("/")[2]


def _connections(number: int) -> str:
    return "1 connection" if number == 1 else f"{number} connections"
