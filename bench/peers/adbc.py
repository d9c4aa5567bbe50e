"""ADBC's drivers for PostgreSQL and SQLite."""

from typing import Any

import adbc_driver_postgresql.dbapi as postgresql
import adbc_driver_sqlite.dbapi as sqlite
import pandas
import pyarrow as _pyarrow  # noqa: F401  (imported by the first fetch otherwise)

# SQLite's default of 1,024 rows a batch is a little slower; PostgreSQL's default of 16 MiB is its best.
SQLITE_OPTIONS = {"adbc.sqlite.query.batch_rows": 65_536}


def to_arrow(source: str, sql: str) -> Any:
    """Loads a query with `fetch_arrow_table`."""
    options = None if "://" in source else SQLITE_OPTIONS
    with connect(source) as connection, connection.cursor(adbc_stmt_kwargs=options) as cursor:
        cursor.execute(sql)
        return cursor.fetch_arrow_table()


def to_pandas(source: str, sql: str) -> Any:
    """Loads a query with `pandas.read_sql` over an ADBC connection."""
    with connect(source) as connection:
        return pandas.read_sql(sql, connection)


def connect(source: str) -> Any:
    """Opens a connection to a URI or a SQLite file."""
    return postgresql.connect(source) if "://" in source else sqlite.connect(source)
