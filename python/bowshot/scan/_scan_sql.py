"""The function that users call."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .. import _bowshot
from .._arguments import target
from .._options import keywords
from .._params import Params, plain_params
from .._require import require
from .._tell import tell
from ..exceptions import UnsupportedError
from .alike import Reading, comparable
from .settled import settled
from .source import Scan
from .statement import Statement, statement

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from .._arguments import Connection, Sql
    from .._bowshot import Progress

# Kinds of columns of which some values become NULL on the user's word.
DATES = frozenset({"date", "timestamp", "instant"})
SHOWN = 80


def scan_sql(
    sql: Sql,
    con: Connection,
    *,
    params: Params = None,
    types: Mapping[str, Any] | None = None,
    infinity: Literal["error", "null"] = "error",
    zero_dates: Literal["error", "null"] = "error",
    one_snapshot: bool = True,
    protocol: str | None = None,
    partition_on: str | None = None,
    partition_range: tuple[int, int] | None = None,
    partition_num: int | None = None,
    pre_execution_query: str | Sequence[str] | None = None,
    connections: int | None = None,
    progress: Callable[[Progress], object] | bool | Literal["always"] | None = None,
    batch_bytes: int | None = None,
    buffer_bytes: int | None = None,
) -> pl.LazyFrame:
    """A query as a Polars `LazyFrame`: the database sends no more columns and rows than the frame needs.

    Columns, `head` and the predicates that mean the same in the database go into its SQL; all others stay in Polars.
    `bowshot.explain_scan` says which, and so does the logger `bowshot.scan` at level INFO.

    Parameters
    ----------
    sql, con
        As in `read_sql`, in either order.
    params, types, infinity, zero_dates, one_snapshot, protocol, pre_execution_query, connections, progress
        As in `read_sql`.
    partition_on, partition_range, partition_num, batch_bytes, buffer_bytes
        As in `read_sql`.

    Returns
    -------
    polars.LazyFrame
        With the types of `read_sql(return_type="polars")`. The database is asked for them at once, and for rows
        whenever the frame is collected, as they are then.

    Raises
    ------
    bowshot.Error
        In one of its kinds, also from `collect`. `UnsupportedError` where a column's type in Polars depends on its
        values: numbers of more than 38 digits, and intervals. `types=` settles it.

    Examples
    --------
    >>> import bowshot, polars, sqlite3, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow'), (8, 'arrow')")
    >>> items = bowshot.scan_sql("items", path)
    >>> items.filter(polars.col("id") > 7).select("name").collect().rows()
    [('arrow',)]
    """
    require("polars", "polars")
    what = target(sql, con)
    options = keywords(
        protocol=protocol,
        partition_on=partition_on,
        partition_range=partition_range,
        partition_num=partition_num,
        pre_execution_query=pre_execution_query,
        types=types,
        infinity=infinity,
        zero_dates=zero_dates,
        one_snapshot=one_snapshot,
        connections=connections,
        several=len(what.queries) > 1,
        batch_bytes=batch_bytes,
        buffer_bytes=buffer_bytes,
    )
    plain, named = plain_params(params)
    plan = _bowshot.plan(what.uri, what.queries, what.columns, plain, named, options)
    try:
        tell(plan)
        schema = settled(plan)
        columns = list(zip(plan.schema.names, plan.schema.types, plan.schema.source_types, strict=True))
        written = _statement(what.uri, plan, params)
    finally:
        plan.close()
    reading = Reading(
        types=frozenset(types or ()),
        nulls_for=DATES if "null" in (infinity, zero_dates) else frozenset(),
        ascii_only=bool(options["before"]),
    )
    scan = Scan(
        target=what,
        params=plain,
        named=named,
        options=options,
        progress=progress,
        statement=written,
        schema=schema,
        types={name: arrow for name, arrow, _ in columns},
        comparable=comparable(written.scheme, columns, written.column, reading) if written else {},
    )
    return _registered(scan, " ".join(what.queries[0].split()))


def _statement(uri: str, plan: _bowshot.Plan, params: Params) -> Statement | None:
    # Several queries are several statements.
    if not plan.sql and _bowshot.scheme(uri) != "file":
        return None
    return statement(uri, plan.sql, plan.schema.names, params=params is not None, splits=len(plan.partitions) > 1)


def _registered(scan: Scan, query: str) -> pl.LazyFrame:
    try:
        from polars.io.plugins import register_io_source
    except ImportError:
        raise UnsupportedError("this version of Polars has no sources of others; install a newer one") from None
    options: dict[str, Any] = {
        # Polars may read once for a frame that is joined with itself.
        "is_pure": True,
        "explain_name": "bowshot",
        "explain_detail": query if len(query) <= SHOWN else query[: SHOWN - 1] + "…",
    }
    known = inspect.signature(register_io_source).parameters
    return register_io_source(
        scan, schema=scan.schema, **{name: value for name, value in options.items() if name in known}
    )
