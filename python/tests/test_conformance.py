"""Every conformance case through `bowshot.query`: types and values are the file's, and those of the driver."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import bowshot
import pyarrow as pa
import pytest
from tests.conformance_adbc import adbc_started
from tests.conformance_cases import Case, cases_of, started
from tests.conformance_display import display
from tests.conformance_driver import postgres_values, sqlite_values
from tests.conformance_mysql import mysql_values

# What the database's own Python driver returns, where there is one.
DRIVERS: dict[str, Callable[[str, Case, pa.Schema], list[list[str]]] | None] = {
    "postgres": postgres_values,
    "mysql": mysql_values,
    "sqlite": sqlite_values,
    "odbc-postgres": None,
    "odbc-mariadb": None,
    "h2": None,
    "questdb": None,
    "clickhouse": None,
    "adbc-duckdb": None,
    "adbc-sqlite": None,
    "adbc-postgres": None,
}
# BOWSHOT_DATABASES names some of them: dev/versions_test.sh has other versions of two.
NAMES = os.environ.get("BOWSHOT_DATABASES", " ".join(DRIVERS)).split()
OPTIONS = ("types", "infinity", "zero_dates", "one_snapshot")

CASES = [
    pytest.param(database, suite, case, id=f"{database}: {suite}: {case['name']}")
    for database in NAMES
    for suite, case in cases_of(database)
]
Databases = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def databases(testkit: str) -> Iterator[Databases]:
    """Each database, started when it is first asked for."""
    known: dict[str, dict[str, Any]] = {}
    with ExitStack() as stack:

        def find(name: str) -> dict[str, Any]:
            if name not in known:
                start = adbc_started if name.startswith("adbc-") else started
                known[name] = stack.enter_context(start(testkit, name))
            return known[name]

        yield find


@pytest.mark.parametrize(("database", "suite", "case"), CASES)
def test_case(databases: Databases, database: str, suite: str, case: Case) -> None:
    found = databases(database)
    if found["version"] < case.get("since", 0):
        return  # the run of a newer version shows it
    if case.get("at") == "silent-host":
        # The system accepts what nobody accepts.
        with socket.create_server(("127.0.0.1", 0)) as listener:
            check(case, found["addresses"]["silent-host"].replace("PORT", str(listener.getsockname()[1])))
        return
    uri = found["addresses"][case["at"]] if case.get("at", "well") != "well" else found["suites"][suite]
    table = check(case, uri)
    driver = DRIVERS[database]
    if table is not None and driver is not None and not {"driver", "params", "list", "any_order"} & case.keys():
        assert driver(uri, case, table.schema) == values(table)


def check(case: Case, con: str) -> pa.Table | None:
    """Compares with what the case says; the table that was read, if it is not an error."""
    options = {name: case[name] for name in OPTIONS if name in case}
    params = [None if value == "null" else value for value in case.get("params", [])] or None
    sql = case.get("list") or case.get("table") or case["sql"]
    if "error" in case:
        with pytest.raises(bowshot.Error) as caught:
            bowshot.query(sql, con, params=params, pre_execution_query=case.get("before"), **options).to_arrow()
        check_error(caught.value, case["error"])
        return None
    query = bowshot.query(sql, con, params=params, pre_execution_query=case.get("before"), **options)
    columns = expected(case)
    assert query.schema.types == [column["type"] for column in columns]
    for place, column in enumerate(columns):
        # A case that is its own only column has a name of another kind.
        assert column is case or column.get("name", query.schema.names[place]) == query.schema.names[place]
        assert column.get("source", query.schema.source_types[place]) == query.schema.source_types[place]
    table = query.to_arrow()
    read = values(table)
    for place, column in enumerate(columns):
        wanted = [text(value, place) for value in column.get("values", [])] * case.get("times", 1)
        if case.get("any_order"):
            assert sorted(read[place]) == sorted(wanted)
        else:
            assert read[place] == wanted
        assert column.get("nullable", table.schema.field(place).nullable) == table.schema.field(place).nullable
    return table


def check_error(error: bowshot.Error, wanted: dict[str, Any]) -> None:
    assert error.kind == re.sub("(?<=[a-z])(?=[A-Z])", "_", wanted["kind"]).lower(), error
    assert wanted.get("message", "") in str(error)
    assert "column" not in wanted or error.column == wanted["column"]
    assert "sqlstate" not in wanted or error.sqlstate == wanted["sqlstate"]
    assert "position" not in wanted or error.position == wanted["position"]
    assert wanted.get("hint", "") in (error.hint or "")


def expected(case: Case) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = case.get("columns", [case])
    copies: int = case.get("copies", 1)
    return columns * copies


def text(value: Any, place: int) -> str:
    if isinstance(value, dict):
        return str(value["repeat"]) * int(value["times"])
    return str(value).replace("{n}", str(place + 1))


def values(table: pa.Table) -> list[list[str]]:
    """The cells of each column as the cases write them."""
    return [[display(cell) for cell in column] for column in table.columns]
