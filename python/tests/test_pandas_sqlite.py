"""The default frame is what `pandas.read_sql` gives for the same query on sqlite3."""

from __future__ import annotations

import datetime
import decimal
import sqlite3
from pathlib import Path
from typing import Any

import bowshot
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

ALL = "SELECT * FROM items ORDER BY id"


def both(path: Path, sql: str, **options: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    connection = sqlite3.connect(path)
    theirs = pd.read_sql(sql, connection, **options)
    connection.close()
    return bowshot.read_sql(sql, path, **options), theirs


def assert_same(ours: pd.DataFrame, theirs: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(ours, theirs, check_exact=True, check_column_type=True, check_index_type=True)
    for position in range(len(theirs.columns)):
        kinds = [{type(value) for value in frame.iloc[:, position]} for frame in (ours, theirs)]
        assert kinds[0] == kinds[1], theirs.columns[position]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"coerce_float": False},
        {"index_col": "id"},
        {"index_col": ["id", "name"]},
        {"parse_dates": ["day"]},
        {"parse_dates": ["day", "seconds"]},
        {"parse_dates": {"day": "%Y-%m-%d", "seconds": "s"}},
        {"parse_dates": {"seconds": "ms"}},
        {"parse_dates": {"day": {"format": "%Y-%m-%d", "utc": True}}},
        {"parse_dates": {"name": {"errors": "coerce", "format": "ISO8601"}}},
        {"parse_dates": "day"},
        {"parse_dates": True},
        {"dtype": {"id": "float32", "name": "object"}},
        {"dtype": {"amount": "Int64"}, "index_col": "id"},
    ],
)
def test_every_cell_and_dtype(shop: Path, options: dict[str, Any]) -> None:
    if options.get("parse_dates") == "day":
        # pandas looks for a column of each letter; a name alone can only mean that column.
        ours = bowshot.read_sql(ALL, shop, parse_dates="day")
        assert_same(ours, both(shop, ALL, parse_dates=["day"])[1])
        return
    ours, theirs = both(shop, ALL.replace(", large", ""), **options)
    # float64 would change integers beyond 2^53; here none is NULL, so both are int64.
    assert_same(ours, theirs)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM items WHERE 0",
        "SELECT * FROM items WHERE 0",
        "SELECT void, void AS again FROM items",
        "SELECT id, id, name AS id FROM items",
        "SELECT 1 AS one",
        "SELECT NULL AS void",
        "SELECT count(*), sum(price), avg(amount) FROM items",
        "SELECT name || '!' AS loud, length(name) AS size, price * 2 AS double FROM items ORDER BY id",
        "WITH odd AS (SELECT * FROM items WHERE id % 2) SELECT * FROM odd ORDER BY id -- odd ones",
        "SELECT image FROM items",
        'SELECT id AS "", name AS "näme" FROM items',
    ],
)
def test_queries_of_many_shapes(shop: Path, sql: str) -> None:
    assert_same(*both(shop, sql))


@pytest.mark.parametrize("chunksize", [1, 7, 50, 100, 101])
def test_chunks_have_exactly_the_rows_asked_for(shop: Path, chunksize: int) -> None:
    connection = sqlite3.connect(shop)
    theirs = list(pd.read_sql(ALL, connection, chunksize=chunksize, index_col="id", parse_dates=["day"]))
    connection.close()
    ours = list(bowshot.read_sql(ALL, shop, chunksize=chunksize, index_col="id", parse_dates=["day"]))
    assert [len(frame) for frame in ours] == [len(frame) for frame in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        assert_same(mine, other)


def test_chunks_of_nothing_are_one_empty_frame(shop: Path) -> None:
    frames = list(bowshot.read_sql("SELECT * FROM items WHERE 0", shop, chunksize=10))
    assert [len(frame) for frame in frames] == [0]
    assert len(frames[0].columns) == 11


def test_integers_that_float64_would_change_stay_integers(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE t (exact INTEGER, inexact INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(2**62, 2**63 - 1), (None, None), (-3, 2**53 + 1)])
    ours, theirs = both(database, "SELECT * FROM t")
    pd.testing.assert_series_equal(ours["exact"], theirs["exact"], check_exact=True)
    assert ours["exact"].dtype == "float64"
    assert ours["inexact"].dtype == "Int64"
    assert ours["inexact"].tolist() == [2**63 - 1, pd.NA, 2**53 + 1]


def test_numpy_nullable(shop: Path) -> None:
    sql = "SELECT id, amount, price, name, note, large, cost FROM items ORDER BY id"
    ours, theirs = both(shop, sql, dtype_backend="numpy_nullable")
    pd.testing.assert_frame_equal(ours, theirs, check_exact=True)


def test_pyarrow_backend_has_the_types_of_the_result(shop: Path) -> None:
    sql = "SELECT id, amount, price, name, note, image FROM items ORDER BY id"
    frame = bowshot.read_sql(sql, shop, dtype_backend="pyarrow")
    table = bowshot.read_sql(sql, shop, return_type="arrow")
    assert [dtype.pyarrow_dtype for dtype in frame.dtypes] == table.schema.types
    assert [frame[name].tolist() for name in frame] == [
        [pd.NA if value is None else value for value in column.to_pylist()] for column in table.columns
    ]
    chunks = list(bowshot.read_sql(sql, shop, dtype_backend="pyarrow", chunksize=30))
    assert [len(chunk) for chunk in chunks] == [30, 30, 30, 10]
    pd.testing.assert_frame_equal(pd.concat(chunks, ignore_index=True), frame)


def test_frames_can_be_written_to_and_outlive_the_read(shop: Path) -> None:
    frame = bowshot.read_sql(ALL, shop)
    frame.loc[0, "id"] = 42
    frame.loc[0, "name"] = "new"
    frame["large"] = frame["large"] + 1
    assert [frame[name].iloc[0] for name in ("id", "name", "large")] == [42, "new", 2**53 + 2]


def test_text_is_arrow_memory_in_one_piece(shop: Path) -> None:
    frame = bowshot.read_sql("SELECT name FROM items", shop)
    assert frame["name"].dtype == pd.StringDtype("pyarrow", na_value=np.nan)
    column = pa.Table.from_pandas(frame).column("name")
    assert column.type == pa.large_string()
    assert column.num_chunks == 1


def test_types_settle_the_type(shop: Path) -> None:
    sql = "SELECT id, day, seconds, cost FROM items ORDER BY id"
    types = {"day": "date32", "cost": "decimal128(10, 2)"}
    frame = bowshot.read_sql(sql, shop, types=types, coerce_float=False)
    assert frame["day"].tolist()[:2] == [datetime.date(2024, 2, 2), datetime.date(2024, 2, 3)]
    assert frame["cost"].tolist()[:2] == [decimal.Decimal("1.25"), decimal.Decimal("2.25")]
    assert bowshot.read_sql(sql, shop, types=types)["cost"].dtype == "float64"


def test_without_pandas_or_pyarrow_the_extra_is_named(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bowshot._require.installed", lambda _: False)
    with pytest.raises(ModuleNotFoundError, match=r"bowshot\[pandas\]"):
        bowshot.read_sql(ALL, shop)
    with pytest.raises(ModuleNotFoundError, match=r"bowshot\[arrow\]"):
        bowshot.read_sql(ALL, shop, return_type="arrow")
    with pytest.raises(ModuleNotFoundError, match=r"bowshot\[polars\]"):
        bowshot.read_sql(ALL, shop, return_type="polars")
