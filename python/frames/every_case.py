"""The conformance cases that succeed, as arguments of a read, and what a table holds, to be compared cell by cell."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import bowshot
import pyarrow as pa
import pytest
from tests.conformance_cases import Case, cases_of, started
from tests.conformance_display import display

NAMES = ("postgres", "sqlite")
# Two take seconds a library and show nothing that smaller values do not.
ALL = [
    pytest.param(database, suite, case, id=f"{database}-{suite}-{case['name']}")
    for database in NAMES
    for suite, case in cases_of(database)
    if "error" not in case and "100 MB" not in case["name"]
]
# Where each case takes its time: all of them in `make frames`, one of four where all suites run.
CASES = ALL if os.environ.get("BOWSHOT_EVERY_CASE") else ALL[::4]


@contextmanager
def both(testkit: str) -> Iterator[dict[str, Any]]:
    """Both databases with all that the cases read."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(started(testkit, name)) for name in NAMES}


def source_of(case: Case) -> tuple[Any, dict[str, Any]]:
    """What a case reads, and the options of that."""
    options: dict[str, Any] = {
        name: case[name] for name in ("types", "infinity", "zero_dates", "one_snapshot") if name in case
    }
    options["params"] = [None if value == "null" else value for value in case.get("params", [])] or None
    options["pre_execution_query"] = case.get("before")
    return case.get("list") or case.get("table") or case["sql"], options


def travels(sql: Any, con: str, options: dict[str, Any]) -> bool:
    """Whether its partitions can be read in workers."""
    with bowshot.plan(sql, con, **options) as plan:
        return plan.travels


def cells(table: pa.Table) -> list[list[str]]:
    """Every value as text, exactly: NaN is like NaN, and -0.0 is not like 0.0."""
    return [[display(cell) for cell in column] for column in table.columns]
