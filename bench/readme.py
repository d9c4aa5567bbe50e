"""Writes the measured table into README.md, between `<!-- bench:start -->` and `<!-- bench:end -->`.

python -m bench.readme bench/results/DATE-CPU.json
"""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.bars import DESTINATIONS, SERVED, TITLES, Summaries, best
from bench.cases import MYSQL_FLOOR, POSTGRES_FLOOR_1, POSTGRES_FLOOR_2, SQLITE_FLOOR
from bench.report import machine_line, table
from bench.summary import MEGABYTE, Summary, from_json, summarise

START, END = "<!-- bench:start -->", "<!-- bench:end -->"
README = Path(__file__).parent.parent / "README.md"
# A row of the table: its words, the workload, and the peers as cases.py names them.
WORKLOADS = [(database, destination) for database in SERVED for destination in ("arrow", "pandas", "polars")]
WORKLOADS += [(database, "arrow") for database in ("odbc-postgres", "odbc-mysql", "flight", "files")]
ROWS = [(f"{TITLES[database]} {DESTINATIONS[where]}", f"{database}/{where}") for database, where in WORKLOADS]
PEERS = ["bowshot", "connectorx", "adbc", "duckdb", "polars", "pandas", "arrow-odbc", "pyarrow"]


def readme_table(result: Mapping[str, Any]) -> str:
    """Returns the README's table: a row a workload, the best setting of every peer, Bowshot first."""
    summaries = {
        name: summary for name, summary in summarise(from_json(result["measurements"])).items() if summary.error is None
    }
    rows = [[words, *(_cell(best(summaries, workload, peer)) for peer in PEERS)] for words, workload in ROWS]
    rows = [row for row in rows if any(cell != "–" for cell in row[1:])]
    return "\n\n".join(
        [
            table(["lineitem, seconds (client CPU, peak memory)", "**Bowshot**", *PEERS[1:]], rows),
            f"{_floors(summaries)} TPC-H scale {result['scale']:g}, each peer at its best setting, medians of"
            f" {result['repeat']} interleaved rounds on {machine_line(result)} `make bench` measures again on yours.",
        ]
    )


def replace_section(text: str, content: str) -> str:
    """Returns `text` with `content` between the markers; raises `ValueError` where the markers are missing.

    >>> replace_section("a <!-- bench:start -->old<!-- bench:end --> b", "new").splitlines()
    ['a <!-- bench:start -->', 'new', '<!-- bench:end --> b']
    """
    before, start, rest = text.partition(START)
    _old, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"the page needs {START} and {END} around the place of the table")
    return f"{before}{START}\n{content}\n{END}{after}"


def _cell(summary: Summary | None) -> str:
    if summary is None:
        return "–"
    return f"{summary.wall:.1f} ({summary.client_cpu:.1f} s, {summary.rss_peak / MEGABYTE:.0f} MB)"


def _floors(summaries: Summaries) -> str:
    names = {
        POSTGRES_FLOOR_1: "`COPY … (FORMAT binary)` thrown away on 1 connection",
        POSTGRES_FLOOR_2: "on 2",
        MYSQL_FLOOR: "MariaDB's packets thrown away by a C program",
        SQLITE_FLOOR: "a C loop over SQLite's columns",
    }
    measured = [f"{words} {_cost(summaries[floor])}" for floor, words in names.items() if floor in summaries]
    return f"The floors of the same run, with the client's CPU: {', '.join(measured)}."


def _cost(floor: Summary) -> str:
    return f"{floor.wall:.1f} s ({floor.client_cpu:.1f} s)"


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.readme", description=__doc__)
    parser.add_argument("result", type=Path, help="a JSON file of bench/results")
    parser.add_argument("--readme", type=Path, default=README, help="the page to write into (default README.md)")
    arguments = parser.parse_args()
    content = readme_table(json.loads(arguments.result.read_text()))
    arguments.readme.write_text(replace_section(arguments.readme.read_text(), content))
    sys.stdout.write(content + "\n")


if __name__ == "__main__":
    main()
