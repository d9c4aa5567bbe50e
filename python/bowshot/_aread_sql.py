"""`read_sql` for asyncio."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Literal, overload

from ._async_items import AsyncItems
from ._line import Line, calling_line
from ._read_sql import read_sql
from ._task import TaskRead
from .exceptions import UnsupportedError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from typing_extensions import Unpack

    from ._arguments import Connection, Sql
    from ._read_sql import PandasOptions, SourceOptions

_SIGNATURE = inspect.signature(read_sql)


@overload
def aread_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    chunksize: None = None,
    return_type: Literal["pandas"] = "pandas",
    **options: Unpack[PandasOptions],
) -> Coroutine[Any, Any, pd.DataFrame]: ...


@overload
def aread_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    chunksize: int,
    return_type: Literal["pandas"] = "pandas",
    **options: Unpack[PandasOptions],
) -> Coroutine[Any, Any, AsyncItems[pd.DataFrame]]: ...


@overload
def aread_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    return_type: Literal["arrow"],
    **options: Unpack[SourceOptions],
) -> Coroutine[Any, Any, pa.Table]: ...


@overload
def aread_sql(
    sql: Sql | Connection | None = None,
    con: Connection | Sql | None = None,
    *,
    return_type: Literal["polars"],
    **options: Unpack[SourceOptions],
) -> Coroutine[Any, Any, pl.DataFrame]: ...


# Not `async def`: a task runs the coroutine where the line that made it is no longer on the stack.
def aread_sql(*args: Any, **options: Any) -> Any:
    """The result of a query as a dataframe or as Arrow, while the event loop of asyncio goes on.

    The parameters are those of `read_sql`, and the result is the same, with two exceptions. With `chunksize`, the
    awaited result is an asynchronous iterator of frames, which is closed as that of `Query.abatches` is. There is no
    `return_type="arrow_stream"`: a `pyarrow.RecordBatchReader` blocks the loop while it waits for rows, which
    `Query.abatches` does not.

    A cancelled task (`task.cancel()`, `asyncio.timeout`, `asyncio.wait_for`, Ctrl-C in `asyncio.run`) gets its
    `asyncio.CancelledError` at once, and its query in the database ends within a second. Until the query is planned
    (the connection, the types of its columns), its thread waits for the database's answer in the background and then
    lets go of the connection; the URI's time limits bound that.

    Every read has a thread of its own, and those of the connections that it reads with. Nothing waits for asyncio's
    default executor, and nothing limits how many reads run at once: the database's limit of connections comes first,
    and an `asyncio.Semaphore` keeps below it. `connections=1` makes each read smaller.

    Warnings of what the database says come from the loop's thread when the read is over, at the line that called
    `aread_sql`, also where another task awaits it. A cancelled read warns of nothing, nor does one whose
    iterator was dropped. A callable `progress` is called
    in the thread that reads; `loop.call_soon_threadsafe` takes it to the loop.

    Returns
    -------
    A coroutine of what `read_sql` returns; with `chunksize`, of an asynchronous iterator.

    Raises
    ------
    bowshot.Error
        In one of its kinds; see `bowshot.exceptions`.
    asyncio.CancelledError
        When the task is cancelled.

    Examples
    --------
    >>> import asyncio, bowshot, sqlite3, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow')")
    >>> asyncio.run(bowshot.aread_sql("SELECT * FROM items", path))
       id name
    0   7  bow
    >>> async def chunks():
    ...     async for frame in await bowshot.aread_sql("SELECT * FROM items", path, chunksize=1000):
    ...         print(len(frame))
    >>> asyncio.run(chunks())
    1
    """
    arguments = _SIGNATURE.bind(*args, **options)
    return _read(arguments, calling_line())


aread_sql.__signature__ = _SIGNATURE.replace(return_annotation="Coroutine[Any, Any, Any]")  # type: ignore[attr-defined]
if sys.version_info >= (3, 12):
    inspect.markcoroutinefunction(aread_sql)


async def _read(call: inspect.BoundArguments, line: Line) -> Any:
    if call.arguments.get("return_type") == "arrow_stream":
        raise UnsupportedError(
            'return_type="arrow_stream" would block the event loop: a pyarrow.RecordBatchReader cannot be awaited; use'
            " bowshot.query(…).abatches(batch_size), or read_sql in a thread"
        )
    if call.arguments.get("chunksize") is None:
        return await TaskRead(line).call(lambda: read_sql(*call.args, **call.kwargs))
    frames = AsyncItems(lambda: read_sql(*call.args, **call.kwargs), line)
    await frames.begin()
    return frames


# What Python calls the coroutine when nobody awaits it.
_read.__name__ = _read.__qualname__ = aread_sql.__name__
