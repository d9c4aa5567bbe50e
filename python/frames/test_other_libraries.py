"""Libraries that take a query as an Arrow stream: every value arrives, or an error that the guide tells of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

import bowshot
import daft
import datafusion
import duckdb
import ibis
import pyarrow as pa
import pytest
from frames.every_case import ALL, both, source_of
from tests.conformance_cases import Case
from tests.conformance_display import display
from tests.test_tickets import until


def by_duckdb(query: bowshot.Query) -> pa.Table:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("query", query)
    return connection.sql("SELECT * FROM query").to_arrow_table()


def by_datafusion(query: bowshot.Query) -> pa.Table:
    return datafusion.SessionContext().from_arrow(query).to_arrow_table()


def by_daft(query: bowshot.Query) -> pa.Table:
    return daft.from_arrow(query).to_arrow()


def by_ibis(query: bowshot.Query) -> pa.Table:
    return ibis.memtable(query).to_pyarrow()


WIDE = r"decimal256"
LIBRARIES = {
    "duckdb": (by_duckdb, WIDE + r"|struct<>"),
    "datafusion": (by_datafusion, r"nothing"),
    "daft": (by_daft, WIDE + r"|dictionary"),
    "ibis": (by_ibis, WIDE + r"|struct<>|interval|arrow\.uuid|arrow\.json"),
}
"""How each reads a query, and the types that it refuses, as the guide says."""


@pytest.fixture(scope="module")
def databases(testkit: str) -> Iterator[dict[str, Any]]:
    with both(testkit) as found:
        yield found


@pytest.mark.filterwarnings("ignore::bowshot.DatabaseNotice")
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_type(databases: dict[str, Any], library: str) -> None:
    read, refused = LIBRARIES[library]
    found = 0
    for given in ALL:
        database, suite, case = cast("tuple[str, str, Case]", given.values)
        sql, options = source_of(case)
        query = bowshot.query(sql, databases[database]["suites"][suite], **options)
        whole = query.to_arrow()
        if not whole.num_columns or len(set(whole.column_names)) < whole.num_columns:
            continue
        if any(re.search(refused, str(kind)) for kind in whole.schema.types):
            with pytest.raises(Exception, match=r".") as told:
                read(query)
            assert not isinstance(told.value, AssertionError)
            continue
        if library == "ibis" and any("not null" in str(kind) for kind in whole.schema.types):
            # Ranges, of which it refuses those that are NULL.
            continue
        got = read(query)
        assert got.column_names == whole.column_names
        for column, wanted in zip(got.columns, whole.columns, strict=True):
            assert_equal(column, wanted, (database, suite, case["name"]))
        found += 1
    assert found > 150


def assert_equal(column: pa.ChunkedArray, wanted: pa.ChunkedArray, where: object) -> None:
    """Every value is there, in the type that the query had: offsets of 64 bits and names of items do not count."""
    if pa.types.is_null(wanted.type):
        assert column.null_count == len(column) == len(wanted), where
    elif "arrow." in str(wanted.type) and "arrow." not in str(column.type):
        # Text of UUIDs or of JSON.
        assert re.sub(r"UUID\((.*?)\)", r"\1", str(wanted.to_pylist())) == str(column.to_pylist()), where
    elif "not null" in str(wanted.type):
        # A cast refuses members of what is NULL.
        assert column.to_pylist() == wanted.to_pylist(), where
    else:
        assert [display(cell) for cell in column.cast(wanted.type)] == [display(cell) for cell in wanted], where


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_query_is_read_once(postgres: str, library: str) -> None:
    class Counted:
        """A stream that counts its readers."""

        def __init__(self) -> None:
            self.query, self.streams = bowshot.query("SELECT n FROM generate_series(1, 3) n", postgres), 0

        def __arrow_c_stream__(self, requested: object | None = None) -> object:
            self.streams += 1
            return self.query.__arrow_c_stream__(requested)

        def __arrow_c_schema__(self) -> object:
            return self.query.__arrow_c_schema__()

    counted = Counted()
    read: Callable[[Any], pa.Table] = LIBRARIES[library][0]
    assert read(counted)["n"].to_pylist() == [1, 2, 3]
    assert counted.streams == 1


def test_duckdb_streams_and_ends_the_query(postgres: str) -> None:
    """Of a result that would take minutes and gigabytes."""
    numbers = bowshot.query("SELECT generate_series(1, 1000000000) AS n, repeat('x', 1000) AS t", postgres)
    connection = duckdb.connect()
    connection.register("numbers", numbers)
    assert connection.sql("SELECT n FROM numbers LIMIT 3").fetchall() == [(1,), (2,), (3,)]
    connection.close()
    waiting = bowshot.query(
        "SELECT count(*)::int4 AS n FROM pg_stat_activity WHERE query LIKE '%1000000000%' AND state = 'active'"
        " AND pid <> pg_backend_pid()",
        postgres,
    )
    until(lambda: waiting.to_arrow()["n"].to_pylist() == [0], "the query goes on")
