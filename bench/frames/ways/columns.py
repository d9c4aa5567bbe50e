"""Arrow tables by the ADBC driver, and LazyFrames of which little is needed; each beside the straight way."""

import adbc_driver_manager.dbapi as adbc
import bowshot
import pandas as _pandas  # noqa: F401  (pyarrow imports it for its first table)
import polars as pl
import pyarrow as _pyarrow  # noqa: F401  (imported by the first read otherwise)
import pyarrow.compute as pc

from bench.cases import SQL
from bench.frames.way import COLUMN, Outcome, Way

# One row in a hundred at scale 1.
FEW = 2000


def driver(source: str) -> Way:
    """Bowshot's ADBC driver under Python's manager, which finds it by its manifest."""
    yield from _driver(uri=source)


def driver_unlimited(source: str) -> Way:
    """The same, told that all of the result is kept."""
    yield from _driver(**{"uri": source, "bowshot.buffer_bytes": "unlimited"})


def _driver(**options: str) -> Way:
    yield None
    with (
        adbc.connect(driver="bowshot", db_kwargs=options, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(SQL)
        table = cursor.fetch_arrow_table()
    yield Outcome(table.num_rows, pc.sum(table[COLUMN]).as_py())


def table(source: str) -> Way:
    """The same straight."""
    yield None
    table = bowshot.read_sql(SQL, source, return_type="arrow")
    yield Outcome(table.num_rows, pc.sum(table[COLUMN]).as_py())


def scanned(source: str) -> Way:
    """Two of 16 columns and one row in a hundred, as a LazyFrame says it."""
    few = pl.col(COLUMN) <= FEW
    yield None
    frame = bowshot.scan_sql(SQL, source).filter(few).select("l_extendedprice", COLUMN).collect()
    yield _of(frame)


def written(source: str) -> Way:
    """The same as somebody writes it in SQL."""
    sql = f"SELECT l_extendedprice, {COLUMN} FROM lineitem WHERE {COLUMN} <= {FEW}"
    yield None
    frame = bowshot.read_sql(sql, source, return_type="polars")
    yield _of(frame)


def _of(frame: pl.DataFrame) -> Outcome:
    return Outcome(frame.height, int(frame[COLUMN].cast(pl.Int64).sum()))
