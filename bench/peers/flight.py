"""ADBC's driver for Flight SQL."""

from typing import Any

import adbc_driver_flightsql.dbapi as flightsql
import pyarrow as _pyarrow  # noqa: F401  (imported by the first fetch otherwise)


def adbc(source: str, sql: str) -> Any:
    """Loads a query with `fetch_arrow_table`; the driver reads the endpoints side by side."""
    with flightsql.connect(source) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetch_arrow_table()
