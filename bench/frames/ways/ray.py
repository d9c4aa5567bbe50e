"""Ray datasets on two workers: the table read to its end, its rows and a sum counted."""

from collections.abc import Callable
from typing import Any

import bowshot.ray
import psycopg2
import ray

from bench.cases import SQL
from bench.frames.way import COLUMN, PARTITIONS, WORKERS, Outcome, Way


def bowshot_partitions(source: str) -> Way:
    """Bowshot's partitions, read in the workers."""
    yield from _work(lambda: bowshot.ray.read_sql(SQL, source, connections=PARTITIONS))


def own(source: str) -> Way:
    """Ray's own reader over psycopg2, in shards of the key; the hash is one that PostgreSQL has."""
    shards = {"shard_keys": ["l_orderkey"], "shard_hash_fn": "hashint4", "override_num_blocks": PARTITIONS}
    yield from _work(lambda: ray.data.read_sql(SQL, lambda: psycopg2.connect(source), **shards))


def _work(read: Callable[[], Any]) -> Way:
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    # Its workers start with the first work.
    ray.data.range(1000, override_num_blocks=WORKERS).sum("id")
    yield None
    frame = read().materialize()
    rows = frame.count()
    yield Outcome(rows, int(frame.sum(COLUMN)))
    ray.shutdown()
