"""Plans of DataFrames, which are kept for as long as Spark may read them."""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import TYPE_CHECKING, Any

from ..lazy.piece import Pieces

if TYPE_CHECKING:
    from collections.abc import Callable

LOOK_AGAIN = 0.5
"""Seconds between looks at Spark's memory."""


class Held:
    """Keeps the plan of one DataFrame, and of all that are derived from it."""

    def __init__(self, pieces: Pieces, name: str) -> None:
        """`pieces` keeps the plan; `name` is that of the data source, for other plans when this one is let go of."""
        self.pieces, self.name = pieces, name
        self._gone: Callable[[], bool] | None = None

    def tie(self, df: Any) -> None:
        """Lets go of the plan when nothing in Spark refers to the DataFrame's source any more."""
        if is_connect(df):
            # Derived DataFrames hold the plans that they are derived from.
            weakref.finalize(df._plan, self.close).atexit = False
            return
        self._gone = _garbage(df)
        with _lock:
            _all.append(self)
            if len(_all) == 1:
                threading.Thread(target=_watch, name="bowshot-spark", daemon=True).start()

    def close(self) -> None:
        """Lets go of the plan now."""
        self.pieces = Pieces([], self.name)

    @property
    def done(self) -> bool:
        """Whether nothing refers to the source any more; its plan is let go of then."""
        if self._gone is None or not self._gone():
            return False
        self.close()
        with _lock:
            _free.append(self.name)
        return True


_lock = threading.Lock()
_all: list[Held] = []
_free: list[str] = []
_numbers = itertools.count(1)


def name_for(prefix: str) -> str:
    """A name for a data source, which no plan has that may still be read: Spark forgets no name, so they are reused."""
    with _lock:
        return _free.pop() if _free else f"{prefix}-{next(_numbers)}"


def is_connect(of: Any) -> bool:
    """Whether a session or a DataFrame is one of Spark Connect, which has no JVM here."""
    return type(of).__module__.startswith("pyspark.sql.connect")


def _garbage(df: Any) -> Callable[[], bool]:
    """What says whether the JVM has thrown away the source of the DataFrame, or the whole session is over."""
    context = df.sparkSession.sparkContext
    table = df._jdf.queryExecution().analyzed().collectLeaves().head().table()
    weak = context._jvm.java.lang.ref.WeakReference(table)

    def gone() -> bool:
        try:
            # `get` would give Python a reference, which the JVM keeps until Python's own garbage is collected.
            return context._jsc is None or bool(weak.refersTo(None))
        except Exception:
            # The JVM has ended.
            return True

    return gone


def _watch() -> None:
    pause = threading.Event()
    while True:
        pause.wait(LOOK_AGAIN)
        with _lock:
            found = list(_all)
        done = [held for held in found if held.done]
        with _lock:
            _all[:] = [held for held in _all if held not in done]
            if not _all:
                return
