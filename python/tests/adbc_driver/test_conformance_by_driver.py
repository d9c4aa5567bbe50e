"""Every conformance case that needs no option, through the ADBC driver.

Columns and cells are those that Bowshot reads itself, and the file's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import adbc_driver_manager.dbapi as adbc
import bowshot
import pyarrow as pa
import pytest
from tests.conformance_cases import Case, cases_of, started
from tests.test_conformance import expected, text, values

# What a client has to say by options or parameters.
UNTOLD = {"types", "infinity", "zero_dates", "one_snapshot", "before", "list", "params", "error", "any_order", "at"}
CASES = [
    pytest.param(database, suite, case, id=f"{database}: {suite}: {case['name']}")
    for database in ("postgres", "sqlite")
    for suite, case in cases_of(database)
    if not UNTOLD & case.keys() and "100 MB" not in case["name"]
]
Find = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def databases(testkit: str) -> Iterator[Find]:
    known: dict[str, dict[str, Any]] = {}
    with ExitStack() as stack:

        def find(database: str) -> dict[str, Any]:
            if database not in known:
                known[database] = stack.enter_context(started(testkit, database))
            return known[database]

        yield find


@pytest.mark.parametrize(("database", "suite", "case"), CASES)
def test_a_case_through_the_driver(databases: Find, driver: str, database: str, suite: str, case: Case) -> None:
    found = databases(database)
    if found["version"] < case.get("since", 0):
        return  # the run of a newer version shows it
    uri = found["suites"][suite]
    with (
        adbc.connect(driver=driver, db_kwargs={"uri": uri}, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(case["sql"])
        table = cursor.fetch_arrow_table()
    direct = bowshot.query(case["sql"], uri).to_arrow()
    assert isinstance(table, pa.Table)
    assert table.schema.equals(direct.schema)
    assert values(table) == values(direct)
    for place, column in enumerate(expected(case)):
        assert values(table)[place] == [text(value, place) for value in column.get("values", [])] * case.get("times", 1)
