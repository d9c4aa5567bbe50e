"""ADBC's drivers for PostgreSQL and SQLite."""

from typing import Any

import adbc_driver_postgresql.dbapi as postgresql
import adbc_driver_sqlite.dbapi as sqlite
import pandas
import pyarrow as _pyarrow  # noqa: F401  (imported by the first fetch otherwise)


def to_arrow(source: str, sql: str) -> Any:
    """Loads a query with `fetch_arrow_table`."""
    with connect(source) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetch_arrow_table()


def to_pandas(source: str, sql: str) -> Any:
    """Loads a query with `pandas.read_sql` over an ADBC connection."""
    with connect(source) as connection:
        return pandas.read_sql(sql, connection)


def connect(source: str) -> Any:
    """Opens a connection to a URI or a SQLite file."""
    return postgresql.connect(source) if "://" in source else sqlite.connect(source)
