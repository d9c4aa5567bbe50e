"""Warnings of what a database said, at the line that called Bowshot."""

from __future__ import annotations

from types import TracebackType

from . import _bowshot
from ._line import calling_line, warn
from ._task import current_read
from .notices import DatabaseNotice


class Telling:
    """Warns of what a database said while the body of a `with` read the plan; its own error goes first."""

    def __init__(self, plan: _bowshot.Plan) -> None:
        self._plan = plan

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            tell(self._plan)
        except DatabaseNotice:
            # A filter makes errors of them, and there is a graver one.
            if kind is None:
                raise


def tell(plan: _bowshot.Plan) -> None:
    """Warns of what the database has said and nobody was told yet, at the line that called Bowshot.

    In a thread that reads for a task of asyncio, no line of the user's is on the stack: the task warns.
    """
    notices = plan.take_untold()
    if (read := current_read()) is not None:
        read.notices.extend(notices)
    elif notices:
        warn(notices, calling_line())
