"""Runs one case in a process of its own and prints what it cost, as one line of JSON.

    python -m bench.load postgres/arrow/duckdb postgresql://…

Imports are done before the clock starts; connecting is part of the load.
"""

import gc
import json
import resource
import sys
import time
from dataclasses import asdict, dataclass
from importlib import import_module

from bench import cases
from bench.cpu import machine_seconds
from bench.memory import forget_peak, peak
from bench.result import CHECKED_COLUMN, Streamed, content


@dataclass(frozen=True)
class Load:
    """What one load cost its process: seconds, bytes of resident memory, and what it returned.

    `machine_cpu` is what all processes together worked meanwhile.
    """

    wall: float
    client_cpu: float
    machine_cpu: float
    rss_start: int
    rss_peak: int
    rows: int | None
    key_sum: int | None
    size: int | None


def run(case: cases.Case, source: str, sql: str = cases.SQL, column: str = CHECKED_COLUMN) -> Load:
    """Loads a query from a URI or a SQLite file; `column` is the one whose sum all results must agree on."""
    module, _, function = case.function.partition(":")
    load = getattr(import_module(f"bench.{module}"), function)
    gc.collect()
    # What imports needed for a moment is not a load's.
    rss_start = forget_peak()
    machine_start, cpu_start, start = machine_seconds(), _cpu_seconds(), time.perf_counter()
    result = load(source, sql, **case.options)
    wall, client_cpu = time.perf_counter() - start, _cpu_seconds() - cpu_start
    machine_cpu = machine_seconds() - machine_start
    if isinstance(result, Streamed):
        # Of all others it is counted behind the clock, too.
        client_cpu -= result.checking
        machine_cpu -= result.checking
    rss_peak = peak()
    got = content(result, column)
    return Load(wall, client_cpu, machine_cpu, rss_start, rss_peak, got.rows, got.key_sum, got.size)


def _cpu_seconds() -> float:
    """Returns user and system time of this process and of the children that it waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(run(cases.find(sys.argv[1]), sys.argv[2]))) + "\n")
