"""Reads what was planned into frames, tables and batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from . import _bowshot
from ._async_items import AsyncItems
from ._line import calling_line
from ._require import installed, require
from ._task import current_read
from ._tell import Telling
from .pandas import FrameOptions, ParseDates, read_frame, read_frames
from .polars import read_polars

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_T = TypeVar("_T")


class Reads(ABC):
    """Something that can be read into whatever the user works with: a query, or a partition of one."""

    _wish: Any = None
    """Who is told how far a read has come, as the user says it."""

    @abstractmethod
    def _unread(self, *, whole: bool = False) -> _bowshot.Plan:
        """A plan that nobody else reads. Who will keep the `whole` result in memory needs no bound on what waits."""

    @property
    @abstractmethod
    def schema(self) -> _bowshot.Schema:
        """The columns of the result."""

    @property
    def _progress(self) -> Any:
        """Who is told how far a read has come; where a task of asyncio reads, that also looks whether it goes on."""
        read = current_read()
        return self._wish if read is None else read.progress(self._wish)

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
