"""Intervals of months, days and nanoseconds as Python objects: `pyarrow.MonthDayNano`, which pickle cannot find."""

from __future__ import annotations

import copyreg
import functools
from typing import Any


@functools.cache
def let_travel() -> None:
    """Lets these objects be pickled, in frames that go to other processes; once is enough.

    >>> import pickle, pyarrow
    >>> let_travel()
    >>> pickle.loads(pickle.dumps(pyarrow.MonthDayNano([1, 2, 3])))
    MonthDayNano(months=1, days=2, nanoseconds=3)
    """
    import pyarrow

    copyreg.pickle(pyarrow.MonthDayNano, _written)


def _written(interval: Any) -> tuple[Any, tuple[int, int, int]]:
    return read, (interval.months, interval.days, interval.nanoseconds)


def read(months: int, days: int, nanoseconds: int) -> Any:
    """The interval that was pickled."""
    import pyarrow

    let_travel()
    return pyarrow.MonthDayNano([months, days, nanoseconds])
