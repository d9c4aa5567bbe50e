"""Bowshot."""

from typing import Any

import bowshot

from bench.result import Streamed


def load(source: str, sql: str, return_type: Any, connections: int | None = None) -> Any:
    """Loads a query with `bowshot.read_sql`; without a number of connections Bowshot chooses."""
    raise NotImplementedError


def stream(source: str, sql: str, connections: int) -> Streamed:
    raise NotImplementedError
