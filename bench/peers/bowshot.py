"""Bowshot into dataframes."""

from typing import Any

import bowshot
import pandas as _pandas  # noqa: F401  (Bowshot imports what the return type asks for inside its call)
import polars as _polars  # noqa: F401
import pyarrow as _pyarrow  # noqa: F401


def load(source: str, sql: str, return_type: Any, **options: Any) -> Any:
    """Loads a query with `bowshot.read_sql`; without a number of connections Bowshot chooses."""
    return bowshot.read_sql(sql, source, return_type=return_type, **options)


def odbc(source: str, sql: str, return_type: Any) -> Any:
    """Loads a query through an ODBC driver; the source is a connection string."""
    return bowshot.read_sql(sql, f"odbc:{source}", return_type=return_type)
