"""ConnectorX."""

from typing import Any

import connectorx
import pandas as _pandas  # noqa: F401  (ConnectorX imports both inside its call)
import pyarrow as _pyarrow  # noqa: F401


def load(source: str, sql: str, return_type: str, partitions: int, protocol: str | None = None) -> Any:
    """Loads a query with `connectorx.read_sql`; several partitions are ranges of `l_orderkey`."""
    uri = source if "://" in source else f"sqlite://{source}"
    split = {} if partitions == 1 else {"partition_on": "l_orderkey", "partition_num": partitions}
    return connectorx.read_sql(uri, sql, return_type=return_type, protocol=protocol, **split)
