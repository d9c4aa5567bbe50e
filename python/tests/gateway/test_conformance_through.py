"""Every conformance case that needs no option of the reader, through the gateway, for each client.

Types and values are the file's, and those of the database's own driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import bowshot
import pyarrow as pa
import pytest
from tests.conformance_cases import Case, cases_of, started
from tests.gateway.clients import CLIENTS, HEADER
from tests.gateway.serving import Gateway, served
from tests.test_conformance import DRIVERS, expected, text, values

# What the reader of the source is told, which a client of the gateway cannot tell it.
UNTOLD = {"types", "infinity", "zero_dates", "one_snapshot", "before", "list", "params", "error", "any_order", "at"}
DATABASES = ("postgres", "mysql", "sqlite")
CASES = [
    pytest.param(database, suite, case, id=f"{database}: {suite}: {case['name']}")
    for database in DATABASES
    for suite, case in cases_of(database)
    # A row of 100 MB takes a minute; test_adbc_shapes.py has one of 20 MB.
    if not UNTOLD & case.keys() and "100 MB" not in case["name"]
]
ERRORS = [
    pytest.param(database, suite, case, id=f"{database}: {suite}: {case['name']}")
    for database in DATABASES
    for suite, case in cases_of(database)
    if "error" in case and not (UNTOLD - {"error"}) & case.keys()
]
Find = Callable[[str], tuple[Gateway, dict[str, Any]]]


@pytest.fixture(scope="module")
def conformance(testkit: str, command: str) -> Iterator[Find]:
    """A gateway in front of all suites of a database, each a source."""
    known: dict[str, tuple[Gateway, dict[str, Any]]] = {}
    with ExitStack() as stack:

        def find(database: str) -> tuple[Gateway, dict[str, Any]]:
            if database not in known:
                found = stack.enter_context(started(testkit, database))
                sources = [f"{suite}={uri}" for suite, uri in found["suites"].items()]
                known[database] = (stack.enter_context(served(command, *sources)), found)
            return known[database]

        yield find


@pytest.mark.parametrize(("database", "suite", "case"), CASES)
def test_a_case_is_read_by_every_client(conformance: Find, database: str, suite: str, case: Case) -> None:
    gateway, found = conformance(database)
    if found["version"] < case.get("since", 0):
        return  # the run of a newer version shows it
    tables = {
        name: read(gateway.address, case["sql"], {"catalog": suite})
        for name, read in CLIENTS.items()
        # ADBC takes no row of 20 MB unless it is told so, which test_adbc_shapes.py does.
        if "adbc" not in name or case["name"] != "long values"
    }
    table = tables["pyarrow.flight"]
    columns = expected(case)
    direct = bowshot.query(case["sql"], found["suites"][suite]).to_arrow()
    assert table.schema == pa.schema([plain(field) for field in direct.schema])
    for place, column in enumerate(columns):
        assert values(table)[place] == [text(value, place) for value in column.get("values", [])] * case.get("times", 1)
        assert column.get("nullable", table.schema.field(place).nullable) == table.schema.field(place).nullable
    driver = DRIVERS[database]
    if driver is not None and "driver" not in case:
        assert driver(found["suites"][suite], case, table.schema) == values(table)
    for name, other in tables.items():
        assert other.schema.equals(table.schema), name
        assert values(other) == values(table), name


@pytest.mark.parametrize(("database", "suite", "case"), ERRORS)
def test_an_error_reaches_the_client(conformance: Find, database: str, suite: str, case: Case) -> None:
    gateway, found = conformance(database)
    if found["version"] < case.get("since", 0):
        return
    options = {HEADER + "catalog": suite}
    with (
        flight_sql.connect(gateway.address, db_kwargs=options, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        with pytest.raises(flight_sql.Error) as caught:
            read_all(cursor, case["sql"])
        assert case["error"].get("message", "") in str(caught.value)
        assert case["error"].get("column", "") in str(caught.value)


def read_all(cursor: Any, sql: str) -> pa.Table:
    cursor.execute(sql)
    return cursor.fetch_arrow_table()


def plain(field: pa.Field) -> pa.Field:
    """A column as the gateway shows it: no dictionaries, which not all clients read."""
    return field.with_type(plain_type(field.type))


def plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if pa.types.is_list(kind):
        return pa.list_(plain(kind.value_field))
    if pa.types.is_struct(kind):
        return pa.struct([plain(kind.field(place)) for place in range(kind.num_fields)])
    return kind
