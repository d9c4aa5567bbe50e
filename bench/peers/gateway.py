"""The gateway's clients: Bowshot itself and ADBC's driver, with what they ask for in headers."""

from typing import Any

import adbc_driver_flightsql.dbapi as flightsql
import bowshot
import pandas
import polars as _polars  # noqa: F401  (imported by the first load otherwise)
import pyarrow as _pyarrow  # noqa: F401
import sqlalchemy as _sqlalchemy  # noqa: F401  (pandas looks for it inside its call)

# The headers of every call, as ADBC's driver takes them.
CALL_HEADER = "adbc.flight.sql.rpc.call_header."


def with_bowshot(source: str, sql: str, return_type: Any, **asked: Any) -> Any:
    """Loads a query with `bowshot.read_sql`; `asked` are headers without `bowshot-`: endpoints, compression."""
    headers = "&".join(f"header.bowshot-{name}={value}" for name, value in asked.items())
    return bowshot.read_sql(sql, f"{source}?{headers}" if headers else source, return_type=return_type)


def with_adbc(source: str, sql: str, return_type: str, **asked: Any) -> Any:
    """Loads a query with ADBC's driver, into Arrow, or with `pandas.read_sql` on top of it."""
    headers = {f"{CALL_HEADER}bowshot-{name}": str(value) for name, value in asked.items()}
    # pandas takes it, and its types do not know.
    connection: Any
    with flightsql.connect(source, db_kwargs=headers, autocommit=True) as connection:
        if return_type == "pandas":
            return pandas.read_sql(sql, connection)
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetch_arrow_table()
