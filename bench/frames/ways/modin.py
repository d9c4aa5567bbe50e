"""Modin frames on two Ray workers."""

from collections.abc import Callable
from typing import Any

import bowshot
import modin.config
import modin.experimental.pandas as experimental
import modin.pandas as pd
import ray

from bench.cases import SQL
from bench.frames.way import COLUMN, PARTITIONS, WORKERS, Outcome, Way


def bowshot_partitions(source: str) -> Way:
    """Bowshot's partitions, read in the workers."""
    yield from _work(lambda: bowshot.read_sql(SQL, source, return_type="modin", connections=PARTITIONS))


def own(source: str) -> Way:
    """Modin's own reader in ranges of the key, whose ends it is told, over SQLAlchemy and psycopg2."""
    uri = source.replace("postgresql://", "postgresql+psycopg2://")
    ends = bowshot.read_sql("SELECT min(l_orderkey) AS low, max(l_orderkey) AS high FROM lineitem", source)
    low, high = (int(ends[name][0]) for name in ("low", "high"))
    ranges = {"partition_column": "l_orderkey", "lower_bound": low, "upper_bound": high, "max_sessions": PARTITIONS}
    yield from _work(lambda: experimental.read_sql(SQL, uri, **ranges))


def _work(read: Callable[[], Any]) -> Way:
    modin.config.CpuCount.put(WORKERS)
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    # Its workers start with the first work.
    len(pd.DataFrame({"n": range(1000)}).sum())
    yield None
    frame = read()
    sums = frame.groupby("l_returnflag")[COLUMN].sum()
    yield Outcome(len(frame), int(sums.sum()))
    ray.shutdown()
