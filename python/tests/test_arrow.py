"""Arrow: tables, streams, and the PyCapsule interface, with and without pyarrow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bowshot
import polars as pl
import pyarrow as pa
import pytest

ALL = "SELECT id, amount, price, name, image FROM items ORDER BY id"


def test_a_table(shop: Path) -> None:
    table = bowshot.read_sql(ALL, shop, return_type="arrow")
    assert isinstance(table, pa.Table)
    table.validate(full=True)
    assert table.num_rows == 100
    assert table["amount"].to_pylist()[:4] == [10, 20, None, 40]


def test_a_stream_has_the_schema_of_the_table(shop: Path) -> None:
    table = bowshot.read_sql(ALL, shop, return_type="arrow")
    reader = bowshot.read_sql(ALL, shop, return_type="arrow_stream", batch_size=30)
    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.schema == table.schema
    batches = list(reader)
    assert [batch.num_rows for batch in batches] == [30, 30, 30, 10]
    assert pa.Table.from_batches(batches).equals(table.combine_chunks())


def test_an_error_in_a_stream_keeps_its_class(shop: Path) -> None:
    sql = "SELECT CASE WHEN id < 100 THEN id ELSE abs(-9223372036854775808) END AS n FROM items"
    reader = bowshot.read_sql(sql, shop, return_type="arrow_stream", types={"n": "int64"})
    with pytest.raises(bowshot.SqlError, match="overflow"):
        reader.read_all()
    for size in (None, 30):
        with pytest.raises(bowshot.SqlError, match="overflow") as caught:
            list(bowshot.query(sql, shop, types={"n": "int64"}).batches(size))
        assert caught.value.kind == "sql"


def test_a_query_is_read_when_asked_and_again(shop: Path) -> None:
    query = bowshot.query(ALL, shop)
    assert query.schema.names == ["id", "amount", "price", "name", "image"]
    assert query.plan.reason
    table = query.to_arrow()
    assert query.to_arrow().equals(table)
    assert pa.table(query).equals(table)
    assert pa.schema(query.schema) == table.schema
    assert sum(batch.num_rows for batch in query.batches()) == 100
    assert [batch.num_rows for batch in query.batches(batch_size=64)] == [64, 36]
    assert query.to_pandas(index_col="id").shape == (100, 4)
    assert query.to_polars().shape == (100, 5)
    assert "SELECT id" in repr(query)


def test_polars(shop: Path) -> None:
    frame = bowshot.read_sql(ALL, shop, return_type="polars")
    assert frame.schema == {
        "id": pl.Int64,
        "amount": pl.Int64,
        "price": pl.Float64,
        "name": pl.String,
        "image": pl.Binary,
    }
    assert frame.rows() == [tuple(row.values()) for row in bowshot.query(ALL, shop).to_arrow().to_pylist()]
    stream = pl.DataFrame(bowshot.query(ALL, shop))
    assert stream.equals(frame)


def test_a_plan_is_read_once(shop: Path) -> None:
    stream = bowshot.query(ALL, shop)._unread().read()
    first = stream.next_batch(10)
    assert first is not None
    assert len(first) == 10
    assert first.nbytes > 0
    assert pa.record_batch(first)["id"].to_pylist() == list(range(1, 11))
    assert len(stream.read_all()) == 90
    assert stream.next_batch() is None
    assert len(stream.read_all()) == 0


WITHOUT_PYARROW = """
import sys

# What is None here cannot be imported.
sys.modules["pyarrow"] = sys.modules["pandas"] = None
import bowshot

query = bowshot.query("SELECT id, name FROM items ORDER BY id", sys.argv[1])
table = query.to_table()
assert len(table) == 100 and table.nbytes > 0 and table.schema.types == ["int64", "utf8"], table
assert repr(table.schema).startswith("id: int64")
names = []
for batch in query.batches(batch_size=60):
    assert isinstance(batch, bowshot.RecordBatch)
    schema, array = batch.__arrow_c_array__()
    names += [repr(schema).split('"')[1], repr(array).split('"')[1]]
assert names == ["arrow_schema", "arrow_array"] * 2, names
assert '"arrow_array_stream"' in repr(query.__arrow_c_stream__())
assert '"arrow_array_stream"' in repr(table.__arrow_c_stream__(None))
assert '"arrow_schema"' in repr(query.__arrow_c_schema__())

import polars
frame = polars.DataFrame(query)
assert frame["id"].sum() == 5050, frame
assert bowshot.read_sql("items", sys.argv[1], return_type="polars").height == 100
for failing in ("arrow", "pandas"):
    try:
        bowshot.read_sql("items", sys.argv[1], return_type=failing)
    except ModuleNotFoundError as error:
        assert f"bowshot[{failing}]" in str(error), error
    else:
        raise AssertionError(failing)
assert sys.modules["pyarrow"] is None and "pyarrow.lib" not in sys.modules
print("without pyarrow")
"""


def test_capsules_work_without_pyarrow(shop: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYARROW, str(shop)], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "without pyarrow"


def test_capsules_that_nobody_takes_are_released(shop: Path) -> None:
    query = bowshot.query(ALL, shop)
    for _ in range(50):
        query.__arrow_c_stream__()
        query.__arrow_c_schema__()
