"""The line of a user's program that called Bowshot, and warnings there."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from .notices import DatabaseNotice

_FOLDER = str(Path(__file__).parent)


class Line(NamedTuple):
    """A line of a program, as Python's warnings name it."""

    file: str
    number: int
    module: str
    registry: dict[Any, Any]
    """The module's record of warnings that were shown."""


def warn(notices: Iterable[DatabaseNotice], line: Line) -> None:
    """Warns of each one, unless Python's filters say otherwise."""
    for notice in notices:
        warnings.warn_explicit(notice, None, line.file, line.number, line.module, line.registry)


def calling_line() -> Line:
    """The line outside of this package that runs now."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_FOLDER):
        frame = frame.f_back
    registry: dict[Any, Any] = frame.f_globals.setdefault("__warningregistry__", {})
    return Line(frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__", "<string>"), registry)
