"""The conformance cases through the ADBC driver: values, options, parameters and errors.

Columns and cells are those that Bowshot reads itself, and the file's; errors are the file's.
"""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import adbc_driver_manager
import adbc_driver_manager.dbapi as adbc
import bowshot
import pyarrow as pa
import pytest
from adbc_driver_manager import AdbcStatusCode
from tests.conformance_cases import Case, cases_of, started
from tests.test_conformance import OPTIONS, expected, text, values

# What does not go through the driver, and how many of each there are.
LEFT_OUT = {
    "a list of queries": 2,  # a statement is one query
    "a list of queries with other columns": 2,
    "a statement that writes": 2,  # reads refuse it, the driver executes it as a change
    "a statement that returns nothing": 2,
    "100 MB": 2,  # to the driver, a value of 100 MB is as one of 1 MB
}


def left_out(case: Case) -> str | None:
    """By what a case is left out."""
    return next(
        (name for name in LEFT_OUT if name == case["name"] or (name == "100 MB" and name in case["name"])), None
    )


FOUND = [(database, *case) for database in ("postgres", "sqlite") for case in cases_of(database)]
CASES = [
    pytest.param(database, suite, case, id=f"{database}: {suite}: {case['name']}")
    for database, suite, case in FOUND
    if not left_out(case)
]
# What ADBC calls our kinds of errors. Those of the server's own code are of many kinds.
STATUS = {
    "Authentication": {AdbcStatusCode.UNAUTHENTICATED},
    "Cancelled": {AdbcStatusCode.CANCELLED},
    "Config": {AdbcStatusCode.INVALID_ARGUMENT},
    "Connect": {AdbcStatusCode.IO},
    "Timeout": {AdbcStatusCode.TIMEOUT},
    "Unsupported": {AdbcStatusCode.NOT_IMPLEMENTED},
    "Value": {AdbcStatusCode.INVALID_DATA},
}
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


def test_nothing_else_is_left_out() -> None:
    assert Counter(filter(None, (left_out(case) for _, _, case in FOUND))) == LEFT_OUT


@pytest.mark.parametrize(("database", "suite", "case"), CASES)
def test_a_case_through_the_driver(databases: Find, driver: str, database: str, suite: str, case: Case) -> None:
    found = databases(database)
    if found["version"] < case.get("since", 0):
        return  # the run of a newer version shows it
    uri = found["suites"][suite] if case.get("at", "well") == "well" else found["addresses"][case["at"]]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # The system accepts what nobody accepts.
        uri = uri.replace("PORT", str(silent.getsockname()[1]))
        if "error" in case:
            with pytest.raises((adbc_driver_manager.Error, pa.ArrowInvalid)) as caught:
                read(driver, uri, case)
            check_error(caught.value, case["error"])
            return
        table = read(driver, uri, case)
    options = {name: case[name] for name in OPTIONS if name in case}
    query = bowshot.query(case["sql"], uri, params=parameters(case), pre_execution_query=case.get("before"), **options)
    direct = query.to_arrow()
    assert table.schema.equals(direct.schema)
    assert [str(kind) for kind in query.schema.types] == [column["type"] for column in expected(case)]
    order = sorted if case.get("any_order") else list
    driven, read_directly = values(table), values(direct)
    for place, column in enumerate(expected(case)):
        cells = [text(value, place) for value in column.get("values", [])] * case.get("times", 1)
        assert order(driven[place]) == order(read_directly[place]) == order(cells)


def read(driver: str, uri: str, case: Case) -> pa.Table:
    """The result of a case, whose options are those of the statement."""
    with (
        adbc.connect(driver=driver, db_kwargs={"uri": uri}, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        options = {f"bowshot.{name}": option(case[name]) for name in (*OPTIONS, "before") if name in case}
        cursor.adbc_statement.set_options(**options)
        cursor.execute(case["sql"], parameters(case))
        table = cursor.fetch_arrow_table()
        assert isinstance(table, pa.Table)
        return table


def option(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def parameters(case: Case) -> list[Any] | None:
    return [None if value == "null" else value for value in case.get("params", [])] or None


def check_error(error: Exception, wanted: dict[str, Any]) -> None:
    for part in ("message", "hint"):
        assert wanted.get(part, "") in str(error)
    assert "column" not in wanted or f'"{wanted["column"]}"' in str(error)
    # What ends a result that has begun is text alone.
    if isinstance(error, adbc_driver_manager.Error):
        assert error.status_code in STATUS.get(wanted["kind"], set(AdbcStatusCode)), error
        assert "sqlstate" not in wanted or error.sqlstate == wanted["sqlstate"]
    else:
        assert wanted.get("sqlstate", "") in str(error)
