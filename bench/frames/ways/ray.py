"""Ray datasets on two workers: the table read to its end, its rows and a sum counted."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bowshot.ray
import psycopg2
import pyarrow as pa
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


def floor(source: str) -> Way:
    """What Ray itself takes for the same rows: its tasks map them from files in memory."""
    table = bowshot.read_sql(SQL, source, return_type="arrow")
    parts = len(bowshot.plan(SQL, source, connections=PARTITIONS, partition_bytes=64 << 20).partitions)
    rows = -(-table.num_rows // parts)
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / f"{part}.arrow") for part in range(parts)]
        for part, path in enumerate(paths):
            with pa.ipc.new_file(path, table.schema) as writer:
                writer.write_table(table.slice(part * rows, rows).combine_chunks())
        del table
        yield from _work(lambda: ray.data.from_items(paths, override_num_blocks=parts).map_batches(_mapped))


def _mapped(batch: dict[str, Any]) -> pa.Table:
    (path,) = batch["item"]
    return pa.ipc.open_file(pa.memory_map(path)).read_all()


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
