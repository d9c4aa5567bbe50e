"""Polars' reader of databases, with each of its engines."""

from typing import Any

import adbc_driver_manager as _adbc_driver_manager  # noqa: F401  (Polars imports its engines inside its call)
import connectorx as _connectorx  # noqa: F401
import polars
import pyarrow as _pyarrow  # noqa: F401


def load(source: str, sql: str, engine: Any) -> Any:
    """Loads a query with `polars.read_database_uri`."""
    # Its ADBC engine takes the third slash for the end of the scheme, ConnectorX's for the root of the path.
    scheme = "sqlite:///" if engine == "adbc" else "sqlite://"
    uri = source if "://" in source else f"{scheme}{source}"
    return polars.read_database_uri(sql, uri, engine=engine)
