"""Dask dataframes on two worker processes: `len()` and a group-by, each of which reads the table."""

from collections.abc import Callable
from typing import Any

import bowshot
import dask
import dask.dataframe as dd
import pandas as _pandas  # noqa: F401  (imported by the first read otherwise)
import pyarrow as _pyarrow  # noqa: F401
import sqlalchemy as _sqlalchemy  # noqa: F401
from distributed import Client, LocalCluster

from bench.cases import SQL
from bench.frames.way import COLUMN, PARTITIONS, WORKERS, Outcome, Way
from bench.gateway.measure import MEGABYTE
from bench.memory import forget_peak, peak


def bowshot_partitions(source: str) -> Way:
    """Bowshot's partitions, read in the workers."""
    yield from _work(lambda: bowshot.read_sql(SQL, source, return_type="dask", connections=PARTITIONS))


def own(source: str) -> Way:
    """Dask's own reader, over SQLAlchemy and psycopg2, in ranges of the key."""
    uri = source.replace("postgresql://", "postgresql+psycopg2://")
    yield from _work(lambda: dd.read_sql_table("lineitem", uri, index_col="l_orderkey", npartitions=PARTITIONS))


def _work(read: Callable[[], Any]) -> Way:
    # A worker that is told to spill or to stop would be measured for that.
    settings = {f"distributed.worker.memory.{name}": False for name in ("target", "spill", "pause", "terminate")}
    with (
        dask.config.set(settings),
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.run(_warm)
        before = client.run(forget_peak)
        yield None
        frame = read()
        rows = len(frame)
        sums = frame.groupby("l_returnflag")[COLUMN].sum().compute()
        yield Outcome(rows, int(sums.sum()))
        after = client.run(peak)
        growth = max(after[worker] - start for worker, start in before.items())
        first = frame.partitions[0].compute()
        size = int(first.memory_usage(deep=True).sum())
        yield {"worker MB": growth / MEGABYTE, "partition MB": size / MEGABYTE, "partitions": frame.npartitions}


def _warm() -> None:
    """Imports in a worker what its first task would import."""
    import bowshot.pandas
    import pandas
    import pyarrow
    import sqlalchemy

    _ = (bowshot.pandas, pandas, pyarrow, sqlalchemy)
