"""Warnings of what a database said, at the line that called Bowshot."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import TracebackType

from . import _bowshot
from .notices import DatabaseNotice

_FOLDER = str(Path(__file__).parent)


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
    """Warns of what the database has said and nobody was told yet, at the line that called Bowshot."""
    notices = plan.take_untold()
    if not notices:
        return
    frame, level = sys._getframe(0), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_FOLDER):
        frame, level = frame.f_back, level + 1
    for notice in notices:
        warnings.warn(notice, stacklevel=level)
