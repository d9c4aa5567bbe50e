"""Iterators of asyncio over what threads read."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, TypeVar

from ._line import Line
from ._task import StoppedError, TaskRead
from ._threads import run_in_thread
from .exceptions import CancelledError

_T_co = TypeVar("_T_co", covariant=True)

_END: Any = object()


class AsyncItems(AsyncIterator[_T_co], Generic[_T_co]):
    """Batches or frames, one pull at a time, each in a thread: what nobody asks for yet waits as it does elsewhere.

    The read ends with the iterator: at its end, by `aclose`, when a task that waits for an item is cancelled, and when
    nobody holds the iterator any more, as after a `break`.
    """

    def __init__(self, start: Callable[[], Iterator[_T_co]], line: Line) -> None:
        """`start` is called in the thread of the first pull."""
        self._read = _IteratorRead(start, line)
        self._pulling = False
        self._ended = False
        self._failure: str | None = None

    def __aiter__(self) -> AsyncItems[_T_co]:
        return self

    async def __anext__(self) -> _T_co:
        if self._failure is not None:
            # An end would make a short result look like a whole one.
            raise CancelledError(self._failure)
        if self._ended:
            raise StopAsyncIteration
        item: _T_co = await self._call(self._read.pull)
        if item is _END:
            self._ended = True
            raise StopAsyncIteration
        return item

    async def begin(self) -> None:
        """Plans the query, which the first pull does otherwise."""
        await self._call(self._read.begin)

    async def _call(self, work: Callable[[], Any]) -> Any:
        if self._pulling:
            raise RuntimeError("another task waits for an item of this iterator; only one can")
        self._pulling = True
        try:
            return await self._read.call(work)
        except Exception:
            self._ended = True
            self._read.stop()
            raise
        except BaseException:
            self._failure = "the read ended when the task that waited for an item was cancelled; read again"
            raise
        finally:
            self._pulling = False

    async def aclose(self) -> None:
        """Ends the query in the database if it still runs, and returns when that is done."""
        self._ended = True
        await self._read.end()

    def __del__(self) -> None:
        self._read.stop()


class _IteratorRead(TaskRead):
    """The read behind an iterator. Its threads hold this, not the iterator, so that they keep no dropped one alive."""

    def __init__(self, start: Callable[[], Iterator[Any]], line: Line) -> None:
        super().__init__(line)
        self._start = start
        self._items: Iterator[Any] | None = None
        # Whoever holds it may use `_items`.
        self._using = threading.Lock()

    def begin(self) -> None:
        """Plans the query and starts to read; in a thread."""
        self._use(lambda _: None)

    def pull(self) -> Any:
        """The next item, or `_END`; in a thread."""
        return self._use(lambda items: next(items, _END))

    def _use(self, work: Callable[[Iterator[Any]], Any]) -> Any:
        try:
            with self._using:
                self.check()
                try:
                    if self._items is None:
                        self._items = self._start()
                    item = work(self._items)
                except BaseException:
                    item = _END
                    raise
                finally:
                    if item is _END:
                        self._stopped, self._items = True, None
        finally:
            # The read may have been stopped while this thread held the lock.
            if self.stopped:
                _close(self._take())
        return item

    def _take(self) -> Iterator[Any] | None:
        """What is to be closed, for one caller; `None` while a thread uses it, which then looks here itself."""
        if not self._using.acquire(blocking=False):
            return None
        items, self._items = self._items, None
        self._using.release()
        return items

    def stop(self) -> None:
        super().stop()
        if (items := self._take()) is not None:
            # It takes up to half a second to tell the database, which an event loop has not.
            close = self.here(lambda: _close(items))
            try:
                run_in_thread(close)
            except RuntimeError:
                # The interpreter is shutting down and starts no more threads.
                close()

    async def end(self) -> None:
        """Stops the read and waits until the database was told."""
        super().stop()
        if (items := self._take()) is not None:
            await self.call(lambda: _close(items))


def _close(items: Any) -> None:
    if items is not None:
        with contextlib.suppress(StoppedError):
            items.close()
