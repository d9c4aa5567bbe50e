"""The bar of reads for asyncio; the compiled half draws those of all others, but then hears of no cancelled task."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Any

from . import _bowshot

_CLEAR = "\r\x1b[2K"


class ProgressBar:
    """One line on standard error that says how far a read has come."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, progress: _bowshot.Progress) -> None:
        """Draws it; at the end of the read the line is empty again."""
        if progress.partitions_done == progress.partitions:
            self.close()
            return
        text = f"{time.monotonic() - self._start:.0f}s "
        end = f" {progress.rows} rows, {progress.bytes // 1_000_000} MB"
        if (part := _part(progress)) is not None:
            end = f" {part:.0%}{end}"
            width = max(shutil.get_terminal_size().columns - len(text) - len(end) - 1, 0)
            text += "█" * round(width * part) + "░" * (width - round(width * part))
        self._write(f"{_CLEAR}{text}{end}")

    def close(self) -> None:
        """Leaves the terminal as it was."""
        self._write(_CLEAR)

    def _write(self, text: str) -> None:
        # There is none under pythonw.
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


def progress_bar(wish: Any) -> ProgressBar | None:
    """The bar that `progress=True` or `"always"` asks for, if standard error is a place for it."""
    shown = wish == "always" or (bool(wish) and sys.stderr is not None and sys.stderr.isatty())
    return ProgressBar() if shown else None


def _part(progress: _bowshot.Progress) -> float | None:
    """How much of the result has arrived, by partitions where there are several, else by the rows that are expected."""
    if progress.partitions > 1:
        return progress.partitions_done / progress.partitions
    if progress.rows_expected is not None:
        # The estimate may be too low.
        return progress.rows / max(progress.rows_expected, progress.rows, 1)
    return None
