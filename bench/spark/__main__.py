"""Measures Spark's own readers, and Comet, beside Bowshot's jar: Parquet, CSV and PostgreSQL, in CPU seconds.

    dev/spark_setup.sh && dev/spark_build.sh && python -m bench.spark

The jar is the one that BOWSHOT_SPARK_JAR names, else the one that dev/spark_build.sh leaves. Cases that need what is
not here are left out, and the page says why: Comet (dev/comet_setup.sh), and the extension inside PostgreSQL.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.conditions import steady
from bench.gateway.figures import Figure, disagreements
from bench.paths import cache_folder
from bench.record import RESULTS, record, stem, write
from bench.spark.case import POSTGRES_EXTENSION, Case
from bench.spark.cases import CASES
from bench.spark.data import QUICK, Prepared, Size, prepared
from bench.spark.databases import NO_EXTENSION, databases
from bench.spark.engines import MEMORY, NEWEST, missing, running, versions
from bench.spark.measure import NAME, measure
from bench.spark.picture import draw
from bench.spark.report import report
from bench.spark.scaling import SCALING

WARM_UPS, ROUNDS = 3, 5
QUICK_WARM_UPS, QUICK_ROUNDS = 1, 2


def main() -> int:
    """Runs the command line; returns 1 where results disagreed, or a read failed."""
    arguments = _arguments()
    every = [*CASES, *SCALING]
    chosen = [case for case in every if re.search(arguments.only, case.name)]
    if not chosen:
        names = "\n".join(case.name for case in every)
        print(f"no case's name matches {arguments.only!r}; the names are:\n{names}", file=sys.stderr)
        return 2
    size = replace(QUICK if arguments.quick else Size(), **arguments.scales)
    warm_ups = QUICK_WARM_UPS if arguments.quick else WARM_UPS
    figures: list[Figure] = []
    told: dict[str, str] = {"memory": MEMORY}
    wanted = {case.data for case in chosen}
    with steady(not arguments.quick) as conditions, databases(wanted, size.postgres_scale) as uris:
        left_out = {case.name: why for case in chosen if (why := _left_out(case, uris))}
        for name, why in left_out.items():
            print(f"{name:40} not run: {why}", file=sys.stderr, flush=True)
        cases = [case for case in chosen if case.name not in left_out]
        with prepared(cases, size, uris) as data:
            for figure in _measured(cases, data, arguments.spark, told, warm_ups, arguments.repeat):
                values = "   ".join(f"{value:.3f} {unit}" for unit, value in figure.values.items() if " " in unit)
                print(f"{figure.row:40} {figure.error or values}", file=sys.stderr, flush=True)
                figures.append(figure)
    found = [figure.as_json() for figure in figures]
    content = {"size": asdict(size), "spark": told, "warm ups": warm_ups, "left out": left_out, "figures": found}
    result = record("bench.spark", arguments.repeat, **conditions, **content)
    page = report(result, f"{stem(result, NAME)}.svg")
    sys.stdout.write(page)
    partial = arguments.quick or arguments.only or arguments.scales
    written = write(result, page, NAME, cache_folder("results") if partial else RESULTS)
    draw(result, written.with_suffix(".svg"))
    return 1 if disagreements(figures) or any(figure.error for figure in figures) else 0


def _left_out(case: Case, uris: Mapping[str, str]) -> str:
    """Returns why a case cannot run here, or nothing."""
    return NO_EXTENSION if case.data == POSTGRES_EXTENSION and case.data not in uris else missing(case)


def _measured(
    cases: Sequence[Case], data: Prepared, spark: Path | None, told: dict[str, str], warm_ups: int, rounds: int
) -> Iterator[Figure]:
    """Yields the figures of all groups, one after the other; adds the versions of their engines to `told`."""
    for group, members in groupby(cases, key=lambda case: case.group):
        together = list(members)
        try:
            with running(group, together, spark) as engines:
                told |= versions(engines)

                def ask(engine: str, question: Mapping[str, Any], engines: Any = engines) -> dict[str, Any]:
                    answer: dict[str, Any] = engines[engine].ask(question)
                    return answer

                for case in together:
                    yield from measure(case, data, ask, warm_ups, min(rounds, group.rounds))
        except (RuntimeError, subprocess.SubprocessError) as error:
            # A cluster that does not start: what all others take is not lost.
            ways = [f"{case.name}/{way.name}" for case in together for way in case.ways]
            yield from (Figure(NAME, row, error=str(error)) for row in ways)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.spark", description=__doc__)
    parser.add_argument("--repeat", type=int, help=f"rounds (default {ROUNDS})")
    parser.add_argument("--quick", action="store_true", help="tiny data, two rounds: does it work, not how fast is it")
    parser.add_argument("--only", default="", metavar="REGEX", help="only cases whose name matches, e.g. 'codec'")
    parser.add_argument(
        "--postgres-scale", type=float, help=f"of TPC-H in PostgreSQL (default {Size.postgres_scale:g})"
    )
    parser.add_argument(
        "--spark",
        metavar="PYTHON",
        type=Path,
        help=f"the Python that has Spark (default: that of Spark {NEWEST}, as dev/spark_setup.sh sets it up)",
    )
    arguments = parser.parse_args()
    if arguments.repeat is None:
        arguments.repeat = QUICK_ROUNDS if arguments.quick else ROUNDS
    scale = arguments.postgres_scale
    arguments.scales = {} if scale is None else {"postgres_scale": scale}
    return arguments


if __name__ == "__main__":
    sys.exit(main())
