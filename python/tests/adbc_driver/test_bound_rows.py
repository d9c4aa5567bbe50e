"""Rows that a program binds as Arrow data of its own making."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import adbc_driver_manager
import pyarrow as pa
import pytest

ROWS = pa.array([{"id": 1, "name": "bow"}, {"id": 2, "name": "arrow"}, {"id": 3, "name": None}])
HOLES = pa.StructArray.from_arrays(
    [pa.array([1, 2, 3]), pa.array(["bow", "hidden", None])], ["id", "name"], mask=pa.array([False, True, False])
)


@pytest.fixture
def statement(driver: str, tmp_path: Path) -> Iterator[Any]:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    with (
        adbc_driver_manager.AdbcDatabase(driver=driver, uri=str(path)) as database,
        adbc_driver_manager.AdbcConnection(database) as connection,
        adbc_driver_manager.AdbcStatement(connection) as statement,
    ):
        yield statement


def insert(statement: Any, rows: Any) -> int:
    schema, array = rows.__arrow_c_array__()
    statement.set_sql_query("INSERT INTO items VALUES (?, ?)")
    statement.bind(array, schema)
    changed: int = statement.execute_update()
    return changed


def stored(statement: Any) -> list[dict[str, Any]]:
    statement.set_sql_query("SELECT id, name FROM items ORDER BY id")
    stream, _ = statement.execute_query()
    rows: list[dict[str, Any]] = pa.RecordBatchReader._import_from_c(stream.address).read_all().to_pylist()
    return rows


@pytest.mark.parametrize("rows", [ROWS, pa.RecordBatch.from_struct_array(ROWS)], ids=["struct", "batch"])
def test_a_struct_array_is_rows(statement: Any, rows: Any) -> None:
    assert insert(statement, rows) == 3
    assert stored(statement) == ROWS.to_pylist()


def test_a_slice_of_a_struct_array_is_its_rows_alone(statement: Any) -> None:
    assert insert(statement, HOLES[2:]) == 1
    assert stored(statement) == [{"id": 3, "name": None}]


def test_a_row_that_is_null_as_a_whole_is_refused(statement: Any) -> None:
    with pytest.raises(adbc_driver_manager.Error, match="row 1 of the struct array that was bound is NULL as a whole"):
        insert(statement, HOLES)
    # Nothing was changed, and the driver goes on.
    assert stored(statement) == []
    assert insert(statement, ROWS) == 3


def test_a_stream_with_such_a_row_is_refused_too(statement: Any) -> None:
    chunks = pa.chunked_array([ROWS.cast(HOLES.type), HOLES])
    statement.set_sql_query("INSERT INTO items VALUES (?, ?)")
    statement.bind_stream(chunks.__arrow_c_stream__())
    with pytest.raises(adbc_driver_manager.Error, match="row 1 of the struct array that was bound is NULL as a whole"):
        statement.execute_update()
    assert stored(statement) == []


def test_what_holds_no_rows_is_refused(statement: Any) -> None:
    with pytest.raises(adbc_driver_manager.Error, match="must be a struct array with a field a column, not Int64"):
        insert(statement, pa.array([1, 2]))
    assert insert(statement, ROWS) == 3
