"""The benchmark of the extension: makes the data, measures, prints and writes the results."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import server, tpch
from bench.bars import Bar
from bench.conditions import steady
from bench.extension import cost, first, paper, parts
from bench.gateway.figures import Figure, disagreements, rows
from bench.gateway.report import part_table
from bench.gateway.settings import Settings
from bench.gateway.tables import in_postgres
from bench.paths import cache_folder
from bench.record import RESULTS, record, write
from bench.report import bars_table, machine_line
from bench.tpch import psql

TITLES = {
    cost.NAME: "What it costs",
    paper.NAME: "The paper's data, to a client that keeps nothing",
    first.NAME: "First",
    parts.NAME: "Table 2: one result over n connections",
}


def main() -> int:
    """Runs the command line; returns 1 where results disagreed."""
    parser = argparse.ArgumentParser(prog="python -m bench.extension", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--quick", action="store_true", help="tiny data: does it work, not how fast is it")
    arguments = parser.parse_args()
    figures = []
    with steady(not arguments.quick) as conditions:
        for figure in _measure(Settings(Path(), arguments.quick), arguments.repeat):
            values = "   ".join(f"{value:.2f} {unit}" for unit, value in figure.values.items())
            print(f"{figure.part}/{figure.row:50} {figure.error or values}", file=sys.stderr, flush=True)
            figures.append(figure)
    found = [figure.as_json() for figure in figures]
    result = record("bench.extension", arguments.repeat, **conditions, figures=found)
    page = _page(result, figures)
    sys.stdout.write(page)
    write(result, page, "extension", cache_folder("results") if arguments.quick else RESULTS)
    return 1 if disagreements(figures) else 0


def _measure(settings: Settings, repeat: int) -> Iterator[Figure]:
    with server.running_server() as postgres:
        lineitem = tpch.postgres_database(postgres, settings.scale)
        own = in_postgres(postgres, settings)
        for uri in (lineitem, own):
            psql(uri, "CREATE EXTENSION IF NOT EXISTS bowshot")
        yield from cost.run(lineitem, postgres.pid, repeat)
        yield from paper.run({"lineitem": lineitem, "acs": own, "ontime": own}, postgres.pid, repeat)
        yield from first.run(lineitem, postgres.pid, repeat)
        yield from parts.run(lineitem, postgres.pid, repeat if settings.quick else repeat * parts.ROUNDS)
        # Other benchmarks read these databases without it.
        for uri in (lineitem, own):
            psql(uri, "DROP EXTENSION bowshot")


def _page(result: dict[str, object], figures: Sequence[Figure]) -> str:
    judged: list[Bar] = [bar for part in (cost, paper, first, parts) for bar in part.bars(rows(figures, part.NAME))]
    page = [
        "# The extension inside PostgreSQL",
        f"`{result['command']}`, {result['date']}. {machine_line(result)}",
        *(f"**Wrong result:** {line}" for line in dict.fromkeys(disagreements(figures))),
        "## Bars",
        bars_table(judged),
    ]
    for name, title in TITLES.items():
        page += [f"## {title}", part_table(rows(figures, name))]
    return "\n\n".join(page) + "\n"


if __name__ == "__main__":
    sys.exit(main())
