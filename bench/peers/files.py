"""Readers of a folder of Parquet files."""

from typing import Any

import polars
import pyarrow.dataset


def pyarrow_dataset(source: str, _sql: str) -> Any:
    """Loads the folder with `pyarrow.dataset`, on all cores."""
    return pyarrow.dataset.dataset(source, format="parquet").to_table()


def polars_parquet(source: str, _sql: str) -> Any:
    """Loads the folder with `polars.read_parquet`, on all cores, and shows it as Arrow."""
    return polars.read_parquet(f"{source}*.parquet").to_arrow(compat_level=polars.CompatLevel.newest())
