"""`scan_sql` keeps the rows that the same filter in Polars keeps, on every type of every database."""

from __future__ import annotations

import datetime
import decimal
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import bowshot
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from tests import scan_tables
from tests.scan_databases import Database, reads

CLOSED: tuple[Literal["both", "left", "right", "none"], ...] = ("both", "left", "right", "none")
NAMES = ("postgres", "mariadb", "sqlite")
COMPARISONS: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "eq": pl.Expr.eq,
    "ne": pl.Expr.ne,
    "lt": pl.Expr.lt,
    "le": pl.Expr.le,
    "gt": pl.Expr.gt,
    "ge": pl.Expr.ge,
    "eq_missing": pl.Expr.eq_missing,
    "ne_missing": pl.Expr.ne_missing,
}
# How many predicates went into the SQL, at least in part, and how many did not.
PUSHED: Counter[tuple[str, bool]] = Counter()


@pytest.fixture(scope="module", name="databases")
def made_databases(
    postgres: str, mariadb: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Database]]:
    """The table of every type in each."""
    path = tmp_path_factory.mktemp("scan") / "types.db"
    found = {}
    for name, types, uri in (
        ("postgres", scan_tables.POSTGRES, scan_tables.fill_postgres(postgres)),
        ("mariadb", scan_tables.MARIADB, scan_tables.fill_mariadb(mariadb)),
        ("sqlite", scan_tables.SQLITE, scan_tables.fill_sqlite(Path(path))),
    ):
        whole = bowshot.read_sql("every_type", uri, return_type="polars").sort("id")
        found[name] = Database(name, uri, whole, scan_tables.names(types))
    yield found
    for name in NAMES:
        # A test of what is never pushed would prove nothing.
        if PUSHED[name, True] + PUSHED[name, False] > 50:
            assert PUSHED[name, True] > 10, PUSHED


def values_of(column: pl.Series) -> list[Any]:
    """Its values, without NULL and without what Python's dates cannot be."""
    values = column.unique(maintain_order=True).drop_nulls()
    return (values.filter(values <= datetime.date(9999, 12, 31)) if values.dtype == pl.Date else values).to_list()


def literals(dtype: pl.DataType, values: list[Any]) -> st.SearchStrategy[Any]:
    """Values to compare a column with: its own, their neighbours, and others."""
    own = st.sampled_from(values)
    if dtype.is_integer():
        return own | own.map(lambda value: value + 1) | st.integers(-(2**66), 2**66) | st.integers(-3, 3) | st.just(0.5)
    if dtype.is_float():
        odd = st.sampled_from([float("nan"), float("inf"), -float("inf"), -0.0, 0.1, 1, 2**53 + 1])
        return own | st.floats(allow_subnormal=True) | odd | st.integers(-5, 5)
    if dtype.is_decimal():
        return own | st.decimals(-1000, 1000, places=3) | st.integers(-3, 3) | st.just(decimal.Decimal("0.105"))
    if dtype == pl.String:
        return own | st.text(max_size=3) | st.sampled_from(["a", "A", "a ", " a", "ä", "a\x00", "%s", ":a", "?", "--"])
    if dtype == pl.Date:
        return own | st.dates() | st.datetimes()
    if dtype == pl.Datetime:
        zone = getattr(dtype, "time_zone", None)
        return own | st.datetimes(timezones=st.just(datetime.UTC) if zone else st.none()) | st.dates()
    return own


@st.composite
def predicates(draw: st.DrawFn, whole: pl.DataFrame, depth: int = 2) -> pl.Expr:
    """Predicates over the columns of a frame."""
    if depth and draw(st.booleans()):
        inner = draw(predicates(whole, depth - 1))
        kind = draw(st.sampled_from(["and", "or", "not", "xor"]))
        if kind == "not":
            return inner.not_()
        other = draw(predicates(whole, depth - 1))
        return {"and": inner & other, "or": inner | other, "xor": inner.xor(other)}[kind]
    name = draw(st.sampled_from(whole.columns))
    column, dtype = pl.col(name), whole.schema[name]
    kind = draw(
        st.sampled_from(["null", "not null", "compare", "compare", "turned", "in", "between", "itself", "columns"])
    )
    if kind == "null":
        return column.is_null()
    if kind == "not null":
        return column.is_not_null()
    if kind == "itself" and dtype == pl.Boolean:
        return column
    if kind == "columns":
        return column.eq(
            pl.col(draw(st.sampled_from([other for other in whole.columns if whole.schema[other] == dtype])))
        )
    known = values_of(whole[name])
    values = literals(dtype, known)
    if kind == "in":
        some = draw(st.lists(st.sampled_from([*known, None]), max_size=4))
        return column.is_in(some, nulls_equal=draw(st.booleans()))
    if kind == "between":
        closed = draw(st.sampled_from(CLOSED))
        return column.is_between(pl.lit(draw(values)), pl.lit(draw(values)), closed=closed)
    compare = COMPARISONS[draw(st.sampled_from(sorted(COMPARISONS)))]
    literal = pl.lit(draw(values))
    return compare(literal, column) if kind == "turned" else compare(column, literal)


def same(database: Database, predicate: pl.Expr, columns: list[str], *, explained: bool = False) -> bool | None:
    """Whether a condition went into the SQL; `None` where Polars itself refuses the predicate."""
    try:
        expected = database.whole.filter(predicate).select(columns)
    except Exception:  # whatever Polars says to a text that is compared with a number
        return None
    frame = database.scan().filter(predicate).select(columns)
    with reads() as seen:
        found = frame.collect()
    if explained:
        # What is said before is what is done.
        assert bowshot.explain_scan(frame).splitlines()[0] == "".join(read.sql for read in seen), frame.explain()
    order = "id" if "id" in columns else None
    assert_frame_equal(found.sort(order) if order else found, expected, check_exact=True, check_row_order=bool(order))
    return any(read.conditions for read in seen)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_predicate(name: str, databases: dict[str, Database], data: st.DataObject) -> None:
    database = databases[name]
    usable = database.whole.select(pl.exclude(pl.List, pl.Struct))
    predicate = data.draw(predicates(usable))
    columns = data.draw(st.lists(st.sampled_from(database.whole.columns), unique=True, max_size=3))
    others = [column for column in columns if column != "id"]
    pushed = same(database, predicate, ["id", *others], explained=True)
    if pushed is not None:
        PUSHED[name, pushed] += 1


@pytest.mark.parametrize("name", NAMES)
def test_each_value_of_each_column(name: str, databases: dict[str, Database]) -> None:
    # All columns of a type that is on the list are compared in the database, and no others.
    database = databases[name]
    pushed = set()
    for kind, column in database.columns.items():
        dtype = database.whole.schema[column]
        if dtype.is_nested():
            continue
        values = values_of(database.whole[column])
        for value in values:
            literal = pl.lit(value, dtype=dtype) if dtype != pl.Categorical else pl.lit(value)
            for compare in COMPARISONS.values():
                if same(database, compare(pl.col(column), literal), ["id"]):
                    pushed.add(kind)
        for low, high, closed in itertools.product(values[:3], values[:3], CLOSED):
            same(database, pl.col(column).is_between(pl.lit(low), pl.lit(high), closed=closed), ["id"])
        for predicate in (pl.col(column).is_null(), pl.col(column).is_not_null(), pl.col(column).is_in(values)):
            same(database, predicate, ["id"])
    assert pushed == PUSHED_TYPES[name]


PUSHED_TYPES = {
    "postgres": {
        *("int2", "int4", "int8", "float4", "float8", "numeric(10, 2)", "numeric(38, 10)"),
        *("bool", "text", "varchar(9)", "date", "timestamp", "timestamptz"),
    },
    "mariadb": {
        *("TINYINT", "SMALLINT UNSIGNED", "MEDIUMINT", "INT", "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED"),
        *("DOUBLE", "DECIMAL(10, 2)", "VARCHAR(9)", "VARCHAR(5) COLLATE utf8mb4_bin", "DATE", "DATETIME(6)"),
    },
    "sqlite": {
        *("INTEGER", "BIGINT", "REAL", "DECIMAL(10, 2)", "TEXT", "VARCHAR(3) COLLATE NOCASE", "TEXT COLLATE RTRIM"),
        *("DATE", "BOOLEAN", ""),
    },
}
