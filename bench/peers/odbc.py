"""arrow-odbc."""

from typing import Any
from urllib.parse import urlsplit

import pyarrow
from arrow_odbc import connect

# A batch of lineitem of about this many rows measured best; the next one is fetched meanwhile.
ROWS_A_BATCH = 65_535


def mysql(source: str, sql: str) -> Any:
    """Loads a query of a `mysql://` address through MariaDB's ODBC driver, without a cache of the result."""
    uri = urlsplit(source)
    login = f"Server={uri.hostname};Port={uri.port};Database={uri.path[1:]};UID={uri.username};PWD={uri.password}"
    return arrow_odbc(f"Driver={{MariaDB Unicode}};{login};FORWARDONLY=1;NO_CACHE=1", sql)


def arrow_odbc(source: str, sql: str) -> Any:
    """Loads a query as a pyarrow table, fetching and converting side by side."""
    reader = connect(connection_string=source).read_arrow_batches(query=sql, batch_size=ROWS_A_BATCH)
    batches = list(reader)
    return pyarrow.Table.from_batches(batches, reader.schema)
