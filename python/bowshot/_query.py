"""A query that is read when it is asked for its rows."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from . import _bowshot
from ._arguments import Target, target
from ._async_items import AsyncItems
from ._line import calling_line
from ._options import keywords
from ._params import Params, plain_params
from ._plan import Plan
from ._require import installed, require
from ._task import current_read
from ._tell import Telling, tell
from .notices import DatabaseNotice
from .pandas import FrameOptions, ParseDates, read_frame, read_frames
from .polars import read_polars

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from ._arguments import Connection, Sql

_T = TypeVar("_T")

# Held for an instant; one for all queries, so that a query can be copied and pickled.
_claiming = threading.Lock()


class Query:
    """A query on a database; nothing is read before one of its methods asks for rows.

    Looking at `schema` or `plan` asks the database what the result looks like and keeps that snapshot for the next
    read. Each further read plans anew and sees the database as it is then.
    """

    def __init__(self, target: Target, params: Params, options: dict[str, Any], progress: Any) -> None:
        """Made by `bowshot.query`."""
        self._target = target
        self._params, self._named = plain_params(params)
        self._options = options
        self._wish = progress
        self._planned: _bowshot.Plan | None = None
        self._claimed: _bowshot.Plan | None = None

    @property
    def _progress(self) -> Any:
        """Who is told how far a read has come; where a task of asyncio reads, that also looks whether it goes on."""
        read = current_read()
        return self._wish if read is None else read.progress(self._wish)

    def _plan(self, *, whole: bool = False) -> _bowshot.Plan:
        """The last plan, made if there is none.

        Who will keep the `whole` result in memory needs no bound on what waits for it: partitions may be larger, which
        costs the database less.
        """
        return self._planned or self._plan_anew(whole=whole, claim=False)

    def _plan_anew(self, *, whole: bool, claim: bool) -> _bowshot.Plan:
        """The last plan from now on; with `claim`, for the caller alone to read."""
        uri, queries, columns = self._target
        options = self._options
        if whole and options["buffer_bytes"] is None:
            options = {**options, "buffer_bytes": sys.maxsize}
        plan = _bowshot.plan(uri, queries, columns, self._params, self._named, options)
        if (read := current_read()) is not None and read.stopped:
            # Planning hears of no cancelled task; what it has opened is let go of here.
            plan.close()
            read.check()
        with _claiming:
            self._planned = plan
            if claim:
                self._claimed = plan
        tell(plan)
        return plan

    def _unread(self, *, whole: bool = False) -> _bowshot.Plan:
        """A plan that can be read, and that nobody else reads: several tasks may read one query side by side."""
        with _claiming:
            plan = self._planned
            if plan is not None and plan is not self._claimed and plan.unread:
                self._claimed = plan
                return plan
            self._planned = None
        return self._plan_anew(whole=whole, claim=True)

    @property
    def plan(self) -> Plan:
        """How it is read: partitions, snapshot, and why it was or was not split."""
        return Plan(self._plan())

    @property
    def schema(self) -> _bowshot.Schema:
        """The columns of the result."""
        return self._plan().schema

    @property
    def notices(self) -> Sequence[DatabaseNotice]:
        """What the database said of the last plan and its read, also what is not warned of; at first nothing."""
        return () if self._planned is None else tuple(self._planned.notices)

    @property
    def notices_left_out(self) -> int:
        """How many messages of the database found no room in `notices`."""
        return 0 if self._planned is None else self._planned.notices_left_out

    def batches(self, batch_size: int | None = None) -> Iterator[Any]:
        """The result batch by batch, in bounded memory: `pyarrow.RecordBatch` where pyarrow is installed, else
        `bowshot.RecordBatch`, which any library takes through `__arrow_c_array__`.

        With `batch_size`, each batch has exactly that many rows, the last one fewer. Leaving the loop early ends the
        query in the database.
        """
        plan = self._unread()
        return _told(plan, _batches(plan.read(self._progress), batch_size))

    def abatches(self, batch_size: int | None = None) -> AsyncItems[Any]:
        """The batches of `batches()` for `async for`: the event loop goes on while the database works.

        Each batch is asked for in a thread of its own, when the loop asks for it: what is read ahead has the same bound
        as elsewhere (`buffer_bytes`). Several tasks may read one query side by side, each with an iterator of its own.

        The query in the database ends when the task that waits for a batch is cancelled (also by `asyncio.timeout`),
        when the iterator is closed by `aclose()`, and when it is dropped, as by leaving the loop early. After a
        cancellation the iterator raises `bowshot.CancelledError`, since an end would make its batches look whole.

        A task that is cancelled gets its `asyncio.CancelledError` at once. Until the query is planned (the connection,
        the types of its columns), its thread then waits for the database's answer in the background, and lets go of
        the connection; the URI's time limits bound that. Warnings of what the database says come from the loop's
        thread, at the line that called `abatches`, unless the iterator was dropped or its task cancelled; a callable
        `progress` is called in the threads that read.

        >>> import asyncio, bowshot, sqlite3, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
        >>> with sqlite3.connect(path) as connection:
        ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
        ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow')")
        >>> async def names():
        ...     async for batch in bowshot.query("SELECT name FROM items", path).abatches():
        ...         print(batch.to_pylist())
        >>> asyncio.run(names())
        [{'name': 'bow'}]
        """
        return AsyncItems(lambda: self.batches(batch_size), calling_line())

    def to_arrow(self) -> pa.Table:
        """The whole result as a `pyarrow.Table`."""
        require("pyarrow", "arrow")
        import pyarrow

        plan = self._unread(whole=True)
        with Telling(plan):
            return pyarrow.table(plan.read(self._progress).read_all())

    def to_reader(self, batch_size: int | None = None) -> pa.RecordBatchReader:
        """The result as a `pyarrow.RecordBatchReader`, which reads on while it is consumed."""
        require("pyarrow", "arrow")
        import pyarrow

        plan = self._unread()
        stream = plan.read(self._progress)
        batches = _told(plan, _batches(stream, batch_size))
        return pyarrow.RecordBatchReader.from_batches(pyarrow.schema(stream.schema), batches)

    def to_table(self) -> _bowshot.Table:
        """The whole result in Arrow memory, without pyarrow: `len()`, `nbytes`, and `__arrow_c_stream__` for others."""
        plan = self._unread(whole=True)
        with Telling(plan):
            return plan.read(self._progress).read_all()

    def to_pandas(
        self,
        *,
        index_col: str | Sequence[str] | None = None,
        coerce_float: bool = True,
        parse_dates: ParseDates = None,
        dtype: Any = None,
        dtype_backend: Any = None,
    ) -> pd.DataFrame:
        """The whole result as a `pandas.DataFrame`; the parameters are those of `pandas.read_sql`."""
        plan = self._unread()
        options = FrameOptions(index_col, coerce_float, parse_dates, dtype, dtype_backend, plan.is_table)
        with Telling(plan):
            return read_frame(plan, options, self._progress)

    def to_pandas_chunks(
        self,
        chunksize: int,
        *,
        index_col: str | Sequence[str] | None = None,
        coerce_float: bool = True,
        parse_dates: ParseDates = None,
        dtype: Any = None,
        dtype_backend: Any = None,
    ) -> Iterator[pd.DataFrame]:
        """The result as frames of exactly `chunksize` rows, the last one shorter, in bounded memory."""
        plan = self._unread()
        options = FrameOptions(index_col, coerce_float, parse_dates, dtype, dtype_backend, plan.is_table)
        return _told(plan, read_frames(plan, options, chunksize, self._progress))

    def to_polars(self) -> pl.DataFrame:
        """The whole result as a `polars.DataFrame`."""
        plan = self._unread(whole=True)
        with Telling(plan):
            return read_polars(plan, self._progress)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The result as a stream for any library that speaks Arrow; it reads on while it is consumed.

        No warning comes of what the database says, since any thread may consume it: look at `notices`.
        """
        return self._unread().read(self._progress).__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The columns for any library that speaks Arrow."""
        return self.schema.__arrow_c_schema__()

    def __repr__(self) -> str:
        queries = self._target.queries
        text = " ".join(queries[0].split())
        more = f" and {len(queries) - 1} more" if len(queries) > 1 else ""
        return f"<bowshot.Query {text if len(text) < 80 else text[:77] + '…'}{more}>"


def _told(plan: _bowshot.Plan, items: Iterator[_T]) -> Iterator[_T]:
    with Telling(plan):
        yield from items


def _batches(stream: _bowshot.Stream, batch_size: int | None) -> Iterator[Any]:
    try:
        if installed("pyarrow"):
            yield from _pyarrow_batches(stream, batch_size)
        else:
            while (batch := stream.next_batch(batch_size)) is not None:
                yield batch
    finally:
        stream.close()


def _pyarrow_batches(stream: _bowshot.Stream, batch_size: int | None) -> Iterator[pa.RecordBatch]:
    import pyarrow

    if batch_size is not None:
        while (batch := stream.next_batch(batch_size)) is not None:
            yield pyarrow.record_batch(batch)
        return
    # A stream tells its schema once, where each batch alone would tell it again.
    reader = pyarrow.RecordBatchReader.from_stream(stream)
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except pyarrow.ArrowException:
            if (failure := stream.failure()) is None:
                raise
            # The text is all that pyarrow was told of it.
            raise failure from None
        yield batch


def query(
    sql: Sql,
    con: Connection,
    *,
    params: Params = None,
    types: Mapping[str, Any] | None = None,
    infinity: str = "error",
    zero_dates: str = "error",
    one_snapshot: bool = True,
    protocol: str | None = None,
    partition_on: str | None = None,
    partition_range: tuple[int, int] | None = None,
    partition_num: int | None = None,
    pre_execution_query: str | Sequence[str] | None = None,
    connections: int | None = None,
    batch_bytes: int | None = None,
    buffer_bytes: int | None = None,
    progress: Any = None,
) -> Query:
    """A query that is read when it is asked for its rows; the parameters are those of `read_sql`.

    >>> import bowshot, sqlite3, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow')")
    >>> items = bowshot.query("SELECT * FROM items WHERE id > ?", path, params=[3])
    >>> items.schema.names, items.schema.types
    (['id', 'name'], ['int64', 'utf8'])
    >>> items.to_arrow().to_pylist()
    [{'id': 7, 'name': 'bow'}]
    """
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
    return Query(what, params, options, progress)


def plan(
    sql: Sql,
    con: Connection,
    *,
    params: Params = None,
    types: Mapping[str, Any] | None = None,
    infinity: str = "error",
    zero_dates: str = "error",
    one_snapshot: bool = True,
    protocol: str | None = None,
    partition_on: str | None = None,
    partition_range: tuple[int, int] | None = None,
    partition_num: int | None = None,
    pre_execution_query: str | Sequence[str] | None = None,
    connections: int | None = None,
) -> Plan:
    """How a query would be read, without reading it; the parameters are those of `read_sql`."""
    return query(
        sql,
        con,
        params=params,
        types=types,
        infinity=infinity,
        zero_dates=zero_dates,
        one_snapshot=one_snapshot,
        protocol=protocol,
        partition_on=partition_on,
        partition_range=partition_range,
        partition_num=partition_num,
        pre_execution_query=pre_execution_query,
        connections=connections,
    ).plan
