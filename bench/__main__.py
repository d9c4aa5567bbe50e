"""The benchmark's command line: prepares data and servers, measures, prints and writes the results."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.cases import CASES, FLOORS, Case
from bench.conditions import steady
from bench.databases import DATABASES
from bench.measure import Measurement, measure
from bench.paths import cache_folder
from bench.record import RESULTS, record, write
from bench.report import report
from bench.summary import disagreements, from_json


def main() -> int:
    """Runs the command line; returns 1 where a result was wrong."""
    arguments = _arguments()
    chosen = [case for case in CASES if re.search(arguments.only, case.name)]
    if not chosen:
        _say(f"no case's name matches {arguments.only!r}; the names are:\n" + "\n".join(case.name for case in CASES))
        return 2
    measurements = []
    with steady(not arguments.quick) as conditions:
        for database in dict.fromkeys(case.database for case in chosen):
            cases = [case for case in chosen if case.database == database]
            floors = [floor for floor in FLOORS if floor.database == database]
            for measurement in _measure(database, cases, floors, arguments.scale, arguments.repeat):
                _say(_line(measurement))
                measurements.append(measurement.as_json())
    result = record("bench", arguments.repeat, **conditions, scale=arguments.scale, measurements=measurements)
    page = report(result)
    sys.stdout.write(page)
    _say(f"written: {write(result, page, folder=arguments.output)}")
    return 1 if disagreements(from_json(measurements)) else 0


def _measure(
    database: str, cases: Sequence[Case], floors: Sequence[Case], scale: float, repeat: int
) -> Iterator[Measurement]:
    with DATABASES[database](scale) as running:
        yield from measure(cases, floors, running, repeat)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="TPC-H's scale factor (default 1: 6,001,215 rows)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default 3)")
    parser.add_argument(
        "--only", default="", metavar="REGEX", help="only cases whose name matches, e.g. 'postgres/arrow'"
    )
    parser.add_argument("--quick", action="store_true", help="scale 0.1, one round: does it work, not how fast is it")
    parser.add_argument(
        "--output", type=Path, help="folder of the results (default: bench/results for a whole run, else the cache)"
    )
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.scale, arguments.repeat = 0.1, 1
    if arguments.output is None:
        arguments.output = cache_folder("results") if arguments.only or arguments.scale != 1 else RESULTS
    return arguments


def _line(measurement: Measurement) -> str:
    if measurement.error is not None:
        return f"{measurement.case:40} failed: {measurement.error}"
    return (
        f"{measurement.case:40} {measurement.wall:8.2f} s   client {measurement.client_cpu:7.2f} s   "
        f"server {measurement.server_cpu:7.2f} s   peak {measurement.rss_peak / 1e6:6.0f} MB   "
        f"others {measurement.other_cores:.2f} cores"
    )


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
