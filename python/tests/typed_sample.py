"""Checked by mypy in test_typing.py: what users write has the types that they expect."""

from collections.abc import AsyncIterator, Coroutine, Iterator
from pathlib import Path
from typing import Any

import bowshot
import pandas as pd
import polars as pl
import pyarrow as pa


def told(progress: bowshot.Progress) -> None:
    """A callable for `progress`."""
    rows: int = progress.rows
    print(rows)


def sample(path: Path) -> None:
    """Never called: its types are what is looked at."""
    frame: pd.DataFrame = bowshot.read_sql("SELECT 1 AS n", path, index_col="n", dtype_backend="pyarrow")
    other: pd.DataFrame = bowshot.read_sql("sqlite:///shop.db", "SELECT 1", partition_on="n", partition_num=4)
    named: pd.DataFrame = bowshot.read_sql(conn="sqlite:///shop.db", query=["SELECT 1", "SELECT 2"])
    frames: Iterator[pd.DataFrame] = bowshot.read_sql("SELECT 1", path, chunksize=10)
    table: pa.Table = bowshot.read_sql("SELECT 1", path, return_type="arrow", params=[1])
    reader: pa.RecordBatchReader = bowshot.read_sql("SELECT 1", path, return_type="arrow_stream", batch_size=10)
    polars: pl.DataFrame = bowshot.read_sql("SELECT 1", path, return_type="polars", progress=True)
    query: bowshot.Query = bowshot.query("SELECT 1", path, types={"n": "int64"})
    lazily: pd.DataFrame = query.to_pandas(coerce_float=False)
    plan: bowshot.Plan = bowshot.plan("SELECT 1", path)
    label: str = plan.partitions[0].label
    bowshot.read_sql("SELECT 1", path, progress=told)
    coroutine: Coroutine[Any, Any, pd.DataFrame] = bowshot.aread_sql("SELECT 1", path, index_col="n")
    print(coroutine, frame, other, named, frames, table, reader, polars, lazily, label)


async def asynchronous_sample(path: Path) -> None:
    """Never called, as above."""
    frame: pd.DataFrame = await bowshot.aread_sql("SELECT 1 AS n", path, index_col="n", dtype_backend="pyarrow")
    frames: AsyncIterator[pd.DataFrame] = await bowshot.aread_sql("SELECT 1", path, chunksize=10)
    table: pa.Table = await bowshot.aread_sql("SELECT 1", path, return_type="arrow", params=[1])
    polars: pl.DataFrame = await bowshot.aread_sql("SELECT 1", path, return_type="polars", progress=True)
    batches = bowshot.query("SELECT 1", path).abatches(10)
    async for batch in batches:
        print(batch)
    await batches.aclose()
    print(frame, [len(frame) async for frame in frames], table, polars)
