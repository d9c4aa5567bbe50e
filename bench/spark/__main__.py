"""Measures Spark's own readers beside Bowshot's jar: Parquet, CSV and PostgreSQL, in CPU seconds of the JVM.

    dev/spark_setup.sh && dev/spark_build.sh && python -m bench.spark

The jar is the one that BOWSHOT_SPARK_JAR names, else the one that dev/spark_build.sh leaves.
"""

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from bench import server, tpch
from bench.conditions import steady
from bench.gateway.figures import Figure, disagreements
from bench.paths import cache_folder
from bench.record import RESULTS, record, write
from bench.spark.cases import BOWSHOT, CASES, POSTGRES, SPARK, Case
from bench.spark.data import QUICK, Size, prepared
from bench.spark.engine import ROOT, Engine
from bench.spark.measure import NAME, measure
from bench.spark.report import report

MEMORY = "4g"
WARM_UPS, ROUNDS = 3, 5
QUICK_WARM_UPS, QUICK_ROUNDS = 1, 2


def main() -> int:
    """Runs the command line; returns 1 where results disagreed, or a read failed."""
    arguments = _arguments()
    chosen = [case for case in CASES if re.search(arguments.only, case.name)]
    if not chosen:
        names = "\n".join(case.name for case in CASES)
        print(f"no case's name matches {arguments.only!r}; the names are:\n{names}", file=sys.stderr)
        return 2
    size = replace(QUICK if arguments.quick else Size(), **arguments.scales)
    warm_ups = QUICK_WARM_UPS if arguments.quick else WARM_UPS
    figures = []
    with steady(not arguments.quick) as conditions, _engines(arguments.spark) as engines:
        versions = engines[SPARK].ask({"verb": "versions"}) | {"memory": MEMORY}
        for figure in _measured(chosen, size, engines, warm_ups, arguments.repeat):
            values = "   ".join(f"{value:.3f} {unit}" for unit, value in figure.values.items() if " " in unit)
            print(f"{figure.row:40} {figure.error or values}", file=sys.stderr, flush=True)
            figures.append(figure)
    found = [figure.as_json() for figure in figures]
    told = {"size": asdict(size), "spark": versions, "warm ups": warm_ups, "figures": found}
    result = record("bench.spark", arguments.repeat, **conditions, **told)
    page = report(result)
    sys.stdout.write(page)
    partial = arguments.quick or arguments.only or arguments.scales
    write(result, page, NAME, cache_folder("results") if partial else RESULTS)
    return 1 if disagreements(figures) or any(figure.error for figure in figures) else 0


def jars() -> list[Path]:
    """Returns Bowshot's jar and PostgreSQL's driver; raises `FileNotFoundError` where one is missing."""
    jar = Path(os.environ.get("BOWSHOT_SPARK_JAR") or ROOT / "java" / "spark" / "target" / "bowshot-spark.jar")
    drivers = sorted(cache_folder("spark-jars").glob("postgresql-*.jar"))
    if not jar.is_file():
        raise FileNotFoundError(f"{jar} is missing: dev/spark_build.sh, or name another one with BOWSHOT_SPARK_JAR")
    if not drivers:
        raise FileNotFoundError("PostgreSQL's JDBC driver is missing: dev/spark_setup.sh")
    return [jar, drivers[-1]]


@contextlib.contextmanager
def _engines(python: str) -> Iterator[Mapping[str, Engine]]:
    if not Path(python).is_file():
        raise FileNotFoundError(f"{python} is missing: dev/spark_setup.sh, or name another Python with --spark")
    with contextlib.ExitStack() as stack:
        command = [python, "-m", "bench.spark.worker", ",".join(map(str, jars())), MEMORY]
        yield {name: stack.enter_context(Engine(f"spark-{name}", command)) for name in (SPARK, BOWSHOT)}


def _measured(
    cases: Sequence[Case], size: Size, engines: Mapping[str, Engine], warm_ups: int, rounds: int
) -> Iterator[Figure]:
    def ask(engine: str, question: Mapping[str, Any]) -> dict[str, Any]:
        return engines[engine].ask(question)

    with contextlib.ExitStack() as stack:
        uri = ""
        if any(case.data == POSTGRES for case in cases):
            postgres = stack.enter_context(server.running_server())
            uri = tpch.postgres_database(postgres, size.postgres_scale)
        data = stack.enter_context(prepared(cases, size, uri))
        for case in cases:
            yield from measure(case, data, ask, warm_ups, rounds)


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
        default=str(cache_folder("spark-4.3.0") / "bin" / "python"),
        help="the Python that has Spark (default: as dev/spark_setup.sh sets it up)",
    )
    arguments = parser.parse_args()
    if arguments.repeat is None:
        arguments.repeat = QUICK_ROUNDS if arguments.quick else ROUNDS
    scale = arguments.postgres_scale
    arguments.scales = {} if scale is None else {"postgres_scale": scale}
    return arguments


if __name__ == "__main__":
    sys.exit(main())
