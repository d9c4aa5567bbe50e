"""DuckDB's scanners for PostgreSQL and SQLite."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import pandas as _pandas  # noqa: F401  (imported by the first fetch otherwise)
import pyarrow as _pyarrow  # noqa: F401


def to_arrow(source: str, sql: str, in_order: bool = True) -> Any:
    """Loads a query of an attached database as a pyarrow table."""
    return query(source, sql, in_order).to_arrow_table()


def to_pandas(source: str, sql: str, in_order: bool = True) -> Any:
    """Loads a query of an attached database as a pandas dataframe."""
    return query(source, sql, in_order).df()


def query(source: str, sql: str, in_order: bool) -> Any:
    """Runs a query in a DuckDB that has `source` attached; DuckDB uses as many threads as there are cores.

    It is at times faster where the rows need not come in the table's order.
    """
    kind = source.partition("://")[0].replace("postgresql", "postgres") if "://" in source else "sqlite"
    if kind == "mysql":
        uri = urlsplit(source)
        source = (
            f"host={uri.hostname} port={uri.port} user={uri.username} password={uri.password} database={uri.path[1:]}"
        )
    connection = duckdb.connect()
    connection.load_extension(str(extension(f"{kind}_scanner")))
    connection.execute(f"SET preserve_insertion_order = {in_order}")
    connection.execute(f"ATTACH '{source}' AS source (TYPE {kind}, READ_ONLY); USE source")
    return connection.execute(sql)


def extension(name: str) -> Path:
    """Returns the file of an extension that was installed from PyPI for this very version of DuckDB."""
    spec = find_spec(f"duckdb_extension_{name}")
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"duckdb-extension-{name.replace('_', '-')} is not installed")
    folder = Path(spec.origin).parent / "extensions" / f"v{duckdb.__version__}"
    return folder / f"{name}.duckdb_extension"
