"""What Spark makes of a result, cell by cell."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def table(df: DataFrame) -> pa.Table:
    """The rows of a DataFrame as Spark writes them for Arrow: instants stay instants, whatever the time zones are.

    `collect()` would make local times of Python's own zone of them.
    """
    if hasattr(df, "toArrow"):
        return df.toArrow()
    # Before Spark 4.0.
    batches = df._collect_as_arrow()
    return pa.Table.from_batches(batches) if batches else pa.table({name: [] for name in df.columns})


def texts(df: DataFrame) -> list[tuple[str | None, ...]]:
    """Each cell as Spark's own text of it, in the session's time zone."""
    columns = [f"CAST(`{name.replace('`', '``')}` AS STRING)" for name in df.columns]
    return [tuple(row) for row in df.selectExpr(*columns).collect()]


def types(df: DataFrame) -> dict[str, str]:
    """The columns' types in Spark's words: `{"id": "bigint", "at": "timestamp_ntz"}`."""
    return dict(df.dtypes)


def exact(value: Any) -> Any:
    """A value that equals only the same one: NaN equals NaN, -0.0 not 0.0, and 1 neither 1.0 nor True."""
    if isinstance(value, float):
        return ("float", "nan" if math.isnan(value) else struct.pack("<d", value))
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [exact(item) for item in value]
    if isinstance(value, datetime) and value.tzinfo is not None:
        # Versions of Spark write instants in different zones.
        value = value.astimezone(timezone.utc)
    return (type(value).__name__, value)


def values(column: pa.ChunkedArray) -> list[Any]:
    """The cells of a column; as numbers of days, or of the timestamps' units, where Python has no room for a date."""
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        days = pa.types.is_date32(column.type)
        return list(column.cast(pa.int32() if days else pa.int64()).to_pylist())


def rows(found: DataFrame | pa.Table) -> list[list[Any]]:
    """The cells, row by row, each as `exact` has it."""
    whole = found if isinstance(found, pa.Table) else table(found)
    columns = [[exact(value) for value in values(column)] for column in whole.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def assert_same(
    left: DataFrame, right: DataFrame, key: Callable[[list[Any]], Any] | None = repr, ignore_types: Sequence[str] = ()
) -> None:
    """Both have the same columns, types and cells; their rows are sorted by `key` first, unless it is `None`."""
    assert left.columns == right.columns
    kept = [name for name in left.columns if name not in ignore_types]
    assert {name: types(left)[name] for name in kept} == {name: types(right)[name] for name in kept}
    ours, theirs = rows(left), rows(right)
    if key is not None:
        ours, theirs = sorted(ours, key=key), sorted(theirs, key=key)
    assert len(ours) == len(theirs)
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        for name, cell, expected in zip(left.columns, one, other, strict=True):
            assert cell == expected, f'row {number}, column "{name}": {cell} is not {expected}'
