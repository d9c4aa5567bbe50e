"""Bowshot: your database, one bowshot from your dataframe.

`read_sql` reads a query into pandas, Polars or Arrow; `query` does so later or batch by batch; `scan_sql` makes a
Polars LazyFrame of it; `ray` and `torch` make datasets of it, and `spark` DataFrames of Apache Spark; `plan` says how
it would be read. Errors are in `bowshot.exceptions`; what a database says beside a result comes as `DatabaseNotice`
warnings.
"""

from . import ray, spark, torch
from ._aread_sql import aread_sql
from ._bowshot import Progress, RecordBatch, Schema, Stream, Table, __version__
from ._partition import Partition, join
from ._plan import Plan
from ._query import Query, plan, query
from ._read_sql import read_sql
from .exceptions import (
    AuthenticationError,
    CancelledError,
    ConfigError,
    ConnectError,
    ConnectionLimitError,
    ConnectionLostError,
    DataError,
    Error,
    InternalError,
    IoError,
    ProtocolError,
    SnapshotGoneError,
    SqlError,
    TimeoutError,  # noqa: A004 - also the built-in one
    TlsError,
    UnsupportedError,
)
from .notices import DatabaseNotice
from .profile import Profile
from .scan import explain_scan, scan_sql

__all__ = [
    "AuthenticationError",
    "CancelledError",
    "ConfigError",
    "ConnectError",
    "ConnectionLimitError",
    "ConnectionLostError",
    "DataError",
    "DatabaseNotice",
    "Error",
    "InternalError",
    "IoError",
    "Partition",
    "Plan",
    "Profile",
    "Progress",
    "ProtocolError",
    "Query",
    "RecordBatch",
    "Schema",
    "SnapshotGoneError",
    "SqlError",
    "Stream",
    "Table",
    "TimeoutError",
    "TlsError",
    "UnsupportedError",
    "__version__",
    "aread_sql",
    "explain_scan",
    "join",
    "plan",
    "query",
    "ray",
    "read_sql",
    "scan_sql",
    "spark",
    "torch",
]
