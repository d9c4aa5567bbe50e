"""A read for a task of asyncio: its calls run in threads, and end with the task."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from . import _bowshot
from ._line import Line, warn
from ._progress_bar import ProgressBar, progress_bar
from ._threads import run_in_thread
from .exceptions import CancelledError
from .notices import DatabaseNotice

_T = TypeVar("_T")

_STOPPED = "the read was stopped: its iterator was closed, or Python exits"


class StoppedError(Exception):
    """Ends a read that no task waits for; no user sees it."""


class TaskRead:
    """One read for a task of asyncio.

    Every call has a thread of its own. asyncio's default executor has few threads, which slow queries would take from
    the rest of the program, and the interpreter waits for them when it exits.
    """

    def __init__(self, line: Line) -> None:
        self._line = line
        self.notices: list[DatabaseNotice] = []
        """What the database said and the task has not warned of."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = False
        self._bar: ProgressBar | None = None
        with _live_lock:
            _live.add(self)

    async def call(self, work: Callable[[], _T]) -> _T:
        """What `work` returns, from a thread; the event loop goes on meanwhile. A cancelled task stops the read."""
        self._loop = asyncio.get_running_loop()
        answer: asyncio.Future[_T] = self._loop.create_future()
        here = self.here(work)
        try:
            run_in_thread(lambda: _answer(answer, here))
        except RuntimeError:
            # An exit has stopped the read, and starts no more threads.
            if self._stopped:
                raise CancelledError(_STOPPED) from None
            raise
        try:
            value = await answer
        except StoppedError:
            raise CancelledError(_STOPPED) from None
        except Exception:
            self.stop()
            # Its own error goes first, also where a filter makes errors of what was said.
            with contextlib.suppress(DatabaseNotice):
                self._tell()
            raise
        except BaseException:
            # The task was cancelled, or its coroutine closed.
            self.stop()
            raise
        self._tell()
        return value

    def _tell(self) -> None:
        """Warns of what the database has said, in the thread of the event loop."""
        notices, self.notices = self.notices, []
        warn(notices, self._line)

    def here(self, work: Callable[[], _T]) -> Callable[[], _T]:
        """`work` for another thread: in the caller's context, and known as part of this read."""
        context = contextvars.copy_context()
        context.run(_current.set, self)
        return lambda: context.run(work)

    def stop(self) -> None:
        """Has the read end in its own thread: within a moment once rows are read, else when it has been planned."""
        self._stopped = True
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    @property
    def stopped(self) -> bool:
        """Whether nobody waits for rows any more."""
        # The thread keeps the task alive that waits for it, so that a loop which was closed in the middle tells nobody.
        return self._stopped or (self._loop is not None and self._loop.is_closed())

    def check(self) -> None:
        """Ends a read that was stopped; for its threads."""
        if self.stopped:
            raise StoppedError

    def progress(self, wish: Any) -> Callable[[_bowshot.Progress], None]:
        """What a read reports to every 50 ms, rows or none: an error of it ends the query in the database."""
        told = wish
        if not callable(wish):
            told = self._bar = progress_bar(wish)

        def report(progress: _bowshot.Progress) -> None:
            self.check()
            if told is not None:
                told(progress)

        return report


_current: contextvars.ContextVar[TaskRead | None] = contextvars.ContextVar("bowshot_task_read", default=None)
_live: weakref.WeakSet[TaskRead] = weakref.WeakSet()
_live_lock = threading.Lock()


def current_read() -> TaskRead | None:
    """The read that runs in this thread for a task of asyncio, if there is one."""
    return _current.get()


def _answer(answer: asyncio.Future[Any], work: Callable[[], Any]) -> None:
    """Runs `work` in this thread and hands its result or error to the loop."""
    value: Any = None
    error: BaseException | None = None
    try:
        value = work()
    except StopIteration as raised:
        # No future takes one, as no generator does.
        error = RuntimeError("the read raised StopIteration")
        error.__cause__ = raised
    except BaseException as raised:
        error = raised
    try:
        answer.get_loop().call_soon_threadsafe(_settle, answer, value, error)
    except RuntimeError:
        # The loop was closed: nobody waits.
        return
    finally:
        # An error holds this frame, which would hold the error.
        del error


def _settle(answer: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if answer.done():
        return
    if error is None:
        answer.set_result(value)
    else:
        answer.set_exception(error)


# Registered after `_threads` registered its own, so that it runs first: an exit stops the reads, then waits for them.
@atexit.register
def _stop_all() -> None:
    with _live_lock:
        live = list(_live)
    for read in live:
        read.stop()
