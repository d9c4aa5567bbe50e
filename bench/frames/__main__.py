"""The benchmark of partitions that are read elsewhere, of the ADBC driver and of LazyFrames: measures, prints, writes.

Modin and Ray run in an environment of their own, which dev/frames_setup.sh makes; without it they are not measured.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench import cpu, server, tpch
from bench.bars import Bar
from bench.conditions import steady
from bench.gateway.figures import Figure, Rows, disagreements, rows
from bench.gateway.judge import at_least, at_most
from bench.gateway.measure import child
from bench.gateway.report import part_table
from bench.paths import cache_folder
from bench.record import RESULTS, record, write
from bench.report import bars_table, machine_line

NAME = "frames"


@dataclass(frozen=True)
class Row:
    """A row of the table, the way that it measures, and where that runs."""

    name: str
    way: str
    # In the environment of Modin and Ray.
    apart: bool = False
    # Takes minutes, so that it is measured in the first round alone.
    once: bool = False


ROWS = [
    Row("dask/bowshot", "dask:bowshot_partitions"),
    Row("dask/read_sql_table", "dask:own", once=True),
    Row("modin/bowshot", "modin:bowshot_partitions", apart=True),
    Row("modin/read_sql, ranges", "modin:own", apart=True, once=True),
    Row("ray/bowshot", "ray:bowshot_partitions", apart=True),
    Row("ray/read_sql, shards", "ray:own", apart=True, once=True),
    Row("ray/files in memory", "ray:floor", apart=True, once=True),
    Row("one partition/in place", "partition:here"),
    Row("one partition/in a new process", "partition:elsewhere"),
    Row("arrow/read_sql", "columns:table"),
    Row("arrow/ADBC driver", "columns:driver"),
    Row("arrow/ADBC driver, unlimited", "columns:driver_unlimited"),
    Row("a hundredth/SQL by hand", "columns:written"),
    Row("a hundredth/scan_sql", "columns:scanned"),
]


def main() -> int:
    """Runs the command line; returns 1 where results disagreed."""
    parser = argparse.ArgumentParser(prog="python -m bench.frames", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--scale", type=float, default=1, help="of TPC-H (default 1)")
    parser.add_argument("--quick", action="store_true", help="scale 0.1, one round: does it work, not how fast is it")
    parser.add_argument("--only", default="", metavar="REGEX", help="only rows whose name matches, e.g. 'ray'")
    parser.add_argument(
        "--frames", metavar="PYTHON", help="the Python that has Modin and Ray (default: as they are set up)"
    )
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.scale, arguments.repeat = 0.1, 1
    figures = []
    with steady(not arguments.quick) as conditions, server.running_server() as postgres:
        uri = tpch.postgres_database(postgres, arguments.scale)
        for figure in measured(uri, postgres.pid, arguments):
            values = "   ".join(f"{value:.2f} {unit}" for unit, value in figure.values.items())
            print(f"{figure.row:40} {figure.error or values}", file=sys.stderr, flush=True)
            figures.append(figure)
    found = [figure.as_json() for figure in figures]
    result = record("bench.frames", arguments.repeat, **conditions, scale=arguments.scale, figures=found)
    page = "\n\n".join(
        [
            "# Frames, tickets and drivers",
            f"`{result['command']}`, {result['date']}. {machine_line(result)}",
            *(f"**Wrong result:** {line}" for line in disagreements(figures)),
            "## Bars",
            bars_table(bars(rows(figures, NAME))),
            "## Figures",
            part_table(rows(figures, NAME)),
            "Wall time without imports and the start of workers. CPU is what all processes of the machine but the"
            " database's worked meanwhile. What takes minutes was measured in the first round.",
            "",
        ]
    )
    sys.stdout.write(page)
    partial = arguments.quick or arguments.only or arguments.scale != 1
    write(result, page, NAME, cache_folder("results") if partial else RESULTS)
    return 1 if disagreements(figures) else 0


def measured(uri: str, database: int, arguments: argparse.Namespace) -> Iterator[Figure]:
    """Measures each row in every round, or in the first one."""
    own = cache_folder("frames-venv") / "bin" / "python"
    frames: str | None = arguments.frames or (str(own) if own.exists() else None)
    chosen = [row for row in ROWS if (frames or not row.apart) and re.search(arguments.only, row.name)]
    for number in range(arguments.repeat):
        for row in chosen:
            if number == 0 or not row.once:
                python = frames if row.apart and frames else sys.executable
                yield _measure(row, python, uri, database)


def _measure(row: Row, python: str, uri: str, database: int) -> Figure:
    backends, before = cpu.children(database), cpu.server_seconds(database)
    try:
        got = child([python, "-m", "bench.frames.child", row.way, uri])
    except RuntimeError as error:
        return Figure(NAME, row.name, error=str(error))
    cpu.wait_for_children(database, backends)
    served = cpu.server_seconds(database) - before
    worked = max(0.0, got.pop("machine CPU s") - served)
    wall = got.pop("wall s")
    return Figure(NAME, row.name, {"wall s": wall, "CPU s": worked, "database CPU s": served, **got})


def bars(measured: Rows) -> Sequence[Bar]:
    """Returns the bars: against each library's own reader at its best, and against the straight ways."""

    def wall(name: str) -> float | None:
        return measured.get(name, "wall s")

    size = measured.get("dask/bowshot", "partition MB")
    return [
        at_least("Dask, len() and a group-by", 4, wall("dask/bowshot"), wall("dask/read_sql_table")),
        _memory(measured.get("dask/bowshot", "worker MB"), size),
        at_least("Modin, a group-by", 4, wall("modin/bowshot"), wall("modin/read_sql, ranges")),
        at_least("Ray, the whole table", 4, wall("ray/bowshot"), wall("ray/read_sql, shards")),
        at_most(
            "one partition in a new process",
            1.05,
            "in place",
            wall("one partition/in a new process"),
            wall("one partition/in place"),
        ),
        at_most("the ADBC driver, to Arrow", 1.03, "read_sql", wall("arrow/ADBC driver"), wall("arrow/read_sql")),
        at_most(
            "scan_sql, 2 of 16 columns and 1 % of the rows",
            1.2,
            "SQL by hand",
            wall("a hundredth/scan_sql"),
            wall("a hundredth/SQL by hand"),
        ),
    ]


def _memory(growth: float | None, partition: float | None) -> Bar:
    what, limit = "Dask, memory of a worker above its start", "< 3 partitions"
    if growth is None or not partition:
        return Bar(what, limit, "not run", None)
    times = growth / partition
    return Bar(what, limit, f"{times:.2f} ({growth:.0f} MB, a partition has {partition:.0f} MB)", times < 3)


if __name__ == "__main__":
    sys.exit(main())
