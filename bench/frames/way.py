"""A way to read: what it does before the clock, by the clock, and after it.

A way is a generator function in `ways/`. It yields when everything is ready that the clock is not to see
(imports, workers that start), then what it has read, then figures that take time of their own, if it has any; and it
cleans up when it is closed.
"""

import gc
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass

from bench.cpu import machine_seconds

# The column whose sum all ways must agree on: in Dask's own reader, the key has become the index.
COLUMN = "l_partkey"
# How every library reads: into so many partitions at most, in so many workers.
PARTITIONS = 8
WORKERS = 2

Figures = Mapping[str, float]
Way = Generator["Outcome | Figures | None", None, None]


@dataclass(frozen=True)
class Outcome:
    """What a way has read: its rows, and the sum of `COLUMN`."""

    rows: int
    key_sum: int


def run(way: Way) -> dict[str, float]:
    """Runs a way and returns its figures.

    >>> def two_rows():
    ...     yield None
    ...     yield Outcome(rows=2, key_sum=3)
    ...     yield {"workers": 1}
    >>> figures = run(two_rows())
    >>> figures["rows"], figures["sum"], figures["workers"], figures["wall s"] < 1
    (2, 3, 1, True)
    """
    next(way)
    gc.collect()
    machine, start = machine_seconds(), time.perf_counter()
    outcome = next(way)
    wall, worked = time.perf_counter() - start, machine_seconds() - machine
    if not isinstance(outcome, Outcome):
        raise TypeError("a way yields None, then what it has read")
    figures = next(way, {})
    way.close()
    if not isinstance(figures, Mapping):
        raise TypeError("what a way yields at its end are figures")
    return {"wall s": wall, "machine CPU s": worked, "rows": outcome.rows, "sum": outcome.key_sum, **figures}
