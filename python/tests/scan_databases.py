"""Databases with a table of every type, and what was asked of them, for the tests of `scan_sql`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import bowshot
import polars as pl
from bowshot.scan.predicate import LOG
from bowshot.scan.source import Read


@dataclass(frozen=True)
class Database:
    """A database with the table `every_type`."""

    name: str
    uri: str
    whole: pl.DataFrame = field(repr=False)
    """The table, as `read_sql` reads it."""
    columns: dict[str, str] = field(repr=False)
    """The name of the column of each type."""

    def scan(self) -> pl.LazyFrame:
        """The table, lazily."""
        return bowshot.scan_sql("every_type", self.uri)


class _Reads(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.reads: list[Read] = []

    def emit(self, record: logging.LogRecord) -> None:
        assert isinstance(record.args, tuple)
        read = record.args[0]
        assert isinstance(read, Read)
        self.reads.append(read)


@contextmanager
def reads() -> Iterator[list[Read]]:
    """The reads of scans inside of the `with`."""
    handler, level = _Reads(), LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    try:
        yield handler.reads
    finally:
        LOG.removeHandler(handler)
        LOG.propagate = True
        LOG.setLevel(level)
