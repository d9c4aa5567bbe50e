"""Bowshot into dataframes."""

from typing import Any

import bowshot
import pandas as _pandas  # noqa: F401  (Bowshot imports what the return type asks for inside its call)
import polars as _polars  # noqa: F401
import pyarrow as _pyarrow  # noqa: F401


def load(source: str, sql: str, return_type: Any, connections: int | None = None) -> Any:
    """Loads a query with `bowshot.read_sql`; without a number of connections Bowshot chooses."""
    if connections is None:
        return bowshot.read_sql(sql, source, return_type=return_type)
    return bowshot.read_sql(sql, source, return_type=return_type, connections=connections)
