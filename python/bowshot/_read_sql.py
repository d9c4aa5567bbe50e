"""One function for pandas', ConnectorX' and Bowshot's own way to read a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from ._arguments import target
from ._bowshot import PARTITION_BYTES_OF_TASKS, Progress
from ._options import PlanOptions, keywords
from ._params import Params
from ._plan import held
from ._query import Query
from .exceptions import ConfigError, UnsupportedError
from .pandas import FrameOptions, ParseDates

if TYPE_CHECKING:
    import dask.dataframe as dd
    import modin.pandas
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from typing_extensions import Unpack

    from ._arguments import Connection, Sql

ReturnType: TypeAlias = Literal["pandas", "arrow", "polars", "arrow_stream", "modin", "dask"]


class SourceOptions(PlanOptions, total=False):
    """What says where and how to read, whatever is returned."""

    strategy: str | None
    columns: Sequence[str] | None
    progress: Callable[[Progress], object] | bool | Literal["always"] | None
    batch_bytes: int | None
    buffer_bytes: int | None
    conn: Connection | None
    query: Sql | None


class PandasOptions(SourceOptions, total=False):
    """What shapes a frame of pandas."""

    index_col: str | Sequence[str] | None
    coerce_float: bool
    parse_dates: ParseDates
    dtype: Any
    dtype_backend: Any


@overload
def read_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    chunksize: None = None,
    return_type: Literal["pandas"] = "pandas",
    **options: Unpack[PandasOptions],
) -> pd.DataFrame: ...


@overload
def read_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    chunksize: int,
    return_type: Literal["pandas"] = "pandas",
    **options: Unpack[PandasOptions],
) -> Iterator[pd.DataFrame]: ...


@overload
def read_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    return_type: Literal["arrow"],
    **options: Unpack[SourceOptions],
) -> pa.Table: ...


@overload
def read_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    return_type: Literal["polars"],
    **options: Unpack[SourceOptions],
) -> pl.DataFrame: ...


@overload
def read_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    return_type: Literal["arrow_stream"],
    batch_size: int | None = None,
    **options: Unpack[SourceOptions],
) -> pa.RecordBatchReader: ...


@overload
def read_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    return_type: Literal["dask"],
    lease: float | None = None,
    **options: Unpack[PandasOptions],
) -> dd.DataFrame: ...


@overload
def read_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    return_type: Literal["modin"],
    **options: Unpack[PandasOptions],
) -> modin.pandas.DataFrame: ...


def read_sql(
    sql: Any = None,
    con: Any = None,
    index_col: str | Sequence[str] | None = None,
    coerce_float: bool = True,
    params: Params = None,
    parse_dates: ParseDates = None,
    columns: Sequence[str] | None = None,
    chunksize: int | None = None,
    dtype_backend: Any = None,
    dtype: Any = None,
    *,
    return_type: str = "pandas",
    protocol: str | None = None,
    partition_on: str | None = None,
    partition_range: tuple[int, int] | None = None,
    partition_num: int | None = None,
    partition_bytes: int | None = None,
    strategy: str | None = None,
    pre_execution_query: str | Sequence[str] | None = None,
    types: Mapping[str, Any] | None = None,
    infinity: str = "error",
    zero_dates: str = "error",
    one_snapshot: bool = True,
    connections: int | None = None,
    progress: Any = None,
    batch_size: int | None = None,
    batch_bytes: int | None = None,
    buffer_bytes: int | None = None,
    lease: float | None = None,
    conn: Any = None,
    query: Any = None,
) -> Any:
    """The result of a query as a dataframe or as Arrow.

    `sql` and `con` may come in pandas' order (query, database) or in ConnectorX' (database, query).

    Parameters
    ----------
    sql
        A query; the name of a table or view, with its schema where it needs one (`shop.orders`); or a list of queries
        that together are the result, each one a partition. As in pandas, a text that is the name of an existing table
        is that table (`"Order Details"`); only what the database can run as a statement of two words or more is SQL
        first.
    con
        A URI (`postgresql://…`, `sqlite:///…`), the path of an SQLite file, libpq's `host=… dbname=…`, or a SQLAlchemy
        engine, connection or URL, of which only the address is used.
    index_col, coerce_float, parse_dates, chunksize, dtype_backend, dtype
        As in `pandas.read_sql`; for `return_type="pandas"` and, but for `chunksize`, `"dask"` and `"modin"` alone.
    params
        Values of the query's placeholders: a sequence for `$1`, `?` or `%s`, a mapping for `:name` or `%(name)s`.
    columns
        As in `pandas.read_sql`: which columns to read of a table, in the letters' case that they have there; without
        effect on a query.
    return_type
        `"pandas"`, `"arrow"` (`pyarrow.Table`), `"polars"`, `"arrow_stream"` (`pyarrow.RecordBatchReader`), `"dask"`
        (a lazy `dask.dataframe`, whose workers read a partition a task), or `"modin"` (a `modin.pandas.DataFrame`,
        read in the workers of its engine).
    protocol
        The wire protocol: for PostgreSQL `"arrow"`, `"binary"`, `"csv"`, `"cursor"`, `"simple"` or `"text"`. The
        fastest that serves the query is chosen without it.
    partition_on, partition_num, partition_range
        Split by equal ranges of a column of numbers, as in ConnectorX. Rows where it is NULL are kept, unless
        `partition_range` says which rows to read: those within its lowest and highest value. Without these three,
        Bowshot splits by itself where that is sure to give the same rows.
    partition_bytes
        About how many bytes of the database each partition has where Bowshot splits by itself, in no fewer partitions
        than `connections`: for `"dask"` and `"modin"` 64 MiB. Otherwise partitions are as small as connections that
        read side by side share the work well.
    strategy
        Of ConnectorX' federated queries, which Bowshot does not have: only `None`.
    pre_execution_query
        A statement or several that every connection runs first (`SET work_mem = '1GB'`).
    types
        Arrow types by column name in place of the source's choice: `{"price": "float64"}`.
    infinity
        What becomes of infinite dates and timestamps: `"error"` or `"null"`.
    zero_dates
        What becomes of MySQL's dates without a day, a month or a year (`0000-00-00`): `"error"` or `"null"`.
    one_snapshot
        Whether partitions must see one state of the database. Where a source cannot give that to several connections
        (ODBC, for one), the result is one partition; `False` is your word that partitions may see different states.
    connections
        How many connections may read at once; one a core, at most 8, without it.
    progress
        True for a bar in the terminal, `"always"` also where standard error is none, or a callable that gets a
        `bowshot.Progress` about twenty times a second.
    batch_size
        Rows in each batch of an `"arrow_stream"`.
    batch_bytes, buffer_bytes
        The size that batches aim at (1 MiB; more where a source makes larger ones for less and all are kept), and how
        many bytes of them may wait to be consumed (32 MiB; no bound for `"arrow"` and `"polars"`, which keep all).
    lease
        For `"dask"`: after how many seconds without a read its snapshot is let go of, though the dataframe lives;
        never without it.
    conn, query
        ConnectorX' names of `con` and `sql`.

    Returns
    -------
    pandas.DataFrame, with `chunksize` an iterator of them; or what `return_type` names.

    Raises
    ------
    bowshot.Error
        In one of its kinds; see `bowshot.exceptions`.

    Examples
    --------
    >>> import bowshot, sqlite3, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow')")
    >>> bowshot.read_sql("SELECT * FROM items", path)
       id name
    0   7  bow
    >>> bowshot.read_sql(f"sqlite:///{path}", "SELECT name FROM items", return_type="arrow").column_names
    ['name']
    """
    sql = _one("sql", sql, "query", query)
    con = _one("con", con, "conn", conn)
    _check(return_type, strategy)
    frame_only = {"index_col": index_col, "parse_dates": parse_dates, "chunksize": chunksize, "dtype": dtype}
    if return_type in ("dask", "modin"):
        _refuse(return_type, "pandas", {"chunksize": chunksize})
        _refuse(return_type, "pandas", {"progress": progress})
    elif return_type != "pandas":
        _refuse(return_type, "pandas", frame_only)
    if return_type != "dask":
        _refuse(return_type, "dask", {"lease": lease})
    if return_type != "arrow_stream":
        _refuse(return_type, "arrow_stream", {"batch_size": batch_size})
    if partition_bytes is None and return_type in ("dask", "modin"):
        partition_bytes = PARTITION_BYTES_OF_TASKS
    where = target(sql, con, _with_index(columns, index_col))
    options = keywords(
        protocol=protocol,
        partition_on=partition_on,
        partition_range=partition_range,
        partition_num=partition_num,
        partition_bytes=partition_bytes,
        pre_execution_query=pre_execution_query,
        types=types,
        infinity=infinity,
        zero_dates=zero_dates,
        one_snapshot=one_snapshot,
        connections=connections,
        several=len(where.queries) > 1,
        batch_bytes=batch_bytes,
        buffer_bytes=buffer_bytes,
    )
    shape = FrameOptions(index_col, coerce_float, parse_dates, dtype, dtype_backend)
    if return_type == "modin":
        from .lazy.modin import read_modin

        return read_modin(Query(where, params, options, None, held(None)).plan, shape)
    if return_type == "dask":
        from .lazy.dask import read_dask

        plan = Query(where, params, options, None, held(lease)).plan
        return read_dask(plan, shape, None if partition_range is None else partition_on)
    what = Query(where, params, options, progress)
    if return_type == "arrow":
        return what.to_arrow()
    if return_type == "polars":
        return what.to_polars()
    if return_type == "arrow_stream":
        return what.to_reader(batch_size)
    frame: dict[str, Any] = {
        "index_col": index_col,
        "coerce_float": coerce_float,
        "parse_dates": parse_dates,
        "dtype": dtype,
        "dtype_backend": dtype_backend,
    }
    if chunksize is not None:
        return what.to_pandas_chunks(chunksize, **frame)
    return what.to_pandas(**frame)


def _with_index(columns: Sequence[str] | None, index_col: str | Sequence[str] | None) -> Sequence[str] | None:
    """The columns to read of a table: those of the index too, in front of the others, as in pandas."""
    if not columns or index_col is None:
        return columns
    index = [index_col] if isinstance(index_col, str) else list(index_col)
    return [*(name for name in index if name not in columns), *columns]


def _one(name: str, value: Any, other_name: str, other: Any) -> Any:
    if value is not None and other is not None:
        raise TypeError(f"read_sql got both {name} and {other_name}, which mean the same")
    return other if value is None else value


def _check(return_type: str, strategy: str | None) -> None:
    if return_type not in ("pandas", "arrow", "polars", "arrow_stream", "dask", "modin"):
        elsewhere = "; bowshot.ray.read_sql makes a dataset of Ray Data" if return_type == "ray" else ""
        raise ConfigError(
            'return_type must be "pandas", "arrow", "polars", "arrow_stream", "dask" or "modin", not'
            f" {return_type!r}{elsewhere}"
        )
    if strategy is not None:
        raise UnsupportedError("strategy is of federated queries, which Bowshot does not have; leave it out")


def _refuse(return_type: str, only: str, options: dict[str, Any]) -> None:
    given = [name for name, value in options.items() if value not in (None, False)]
    if given:
        raise ConfigError(f'{given[0]} is for return_type="{only}", not for "{return_type}"')
