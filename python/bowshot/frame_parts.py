"""What pandas makes of a whole result, from what it made of each part: dtypes depend on all values.

A column of integers is `int64` if no part has a NULL, and of another dtype in all parts if one has. So every part is
looked at where it is, the facts are put together, and each part is changed where it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .pandas import FrameOptions, durations, shaped

if TYPE_CHECKING:
    import pandas as pd

_EXACT = 1 << 53
"""Floats hold all integers up to here."""
_INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"})


@dataclasses.dataclass(frozen=True)
class Fact:
    """What is known of a column in one part."""

    dtype: Any
    empty: bool
    """It has nothing but NULLs, which pandas gives no type."""
    inexact: bool
    """An integer is in it that no float is."""
    spans: bool
    """Its objects are intervals that `timedelta64` holds, or NULL."""
    text: str | None
    """Its first text."""


@dataclasses.dataclass(frozen=True)
class Part:
    """What is known of one part."""

    rows: int
    facts: tuple[Fact, ...]


def look(frame: pd.DataFrame) -> Part:
    """What to know of a part before anything is decided."""
    return Part(len(frame), tuple(_fact(frame.iloc[:, position]) for position in range(frame.shape[1])))


def dtypes_of_all(parts: Sequence[Part], types: Sequence[str]) -> list[Any]:
    """The dtype of each column in the whole; `types` are those of the result's schema."""
    filled = [part for part in parts if part.rows]
    return [_dtype([part.facts[position] for part in filled], name) for position, name in enumerate(types)]


def settled_dates(options: FrameOptions, names: Sequence[str], parts: Sequence[Part]) -> FrameOptions:
    """Options that parse dates in each part as in the whole, whose first text says how all are read."""
    from pandas.tseries.api import guess_datetime_format

    wanted: Any = options.parse_dates
    if wanted is None or isinstance(wanted, bool):
        return options
    if not isinstance(wanted, Mapping):
        wanted = dict.fromkeys([wanted] if isinstance(wanted, str) else wanted)
    known: dict[str, Any] = dict(wanted)
    for position, name in enumerate(names):
        how = known.get(name)
        texts = (part.facts[position].text for part in parts)
        text = next((text for text in texts if text is not None), None)
        if name not in wanted or text is None or isinstance(how, str):
            continue
        if isinstance(how, Mapping):
            if how.keys() & {"format", "unit"}:
                continue
            form = guess_datetime_format(text, dayfirst=bool(how.get("dayfirst")))
            known[name] = {**how, "format": form or "mixed"}
        else:
            known[name] = guess_datetime_format(text) or "mixed"
    return dataclasses.replace(options, parse_dates=known)


def fitted(frame: pd.DataFrame, dtypes: Sequence[Any], start: int, options: FrameOptions) -> pd.DataFrame:
    """A part as it is in the whole, of which `start` rows come before."""
    import pandas as pd

    frame = frame.copy(deep=False)
    for position, dtype in enumerate(dtypes):
        column = frame.iloc[:, position]
        if column.dtype != dtype:
            frame.isetitem(position, _changed(column, dtype))
    frame.index = pd.RangeIndex(start, start + len(frame))
    return shaped(frame, options)


def _fact(column: pd.Series[Any]) -> Fact:
    dtype = column.dtype
    values: Any = None
    if dtype == "object":
        values = column.to_numpy()
    empty = values is not None and all(value is None for value in values)
    spans = values is not None and (empty or durations(values).dtype != object)
    first = column.first_valid_index() if getattr(dtype, "kind", "O") == "O" and not empty else None
    text = None if first is None else column.loc[first]
    return Fact(dtype, empty, _inexact(column), spans, text if isinstance(text, str) else None)


def _inexact(column: pd.Series[Any]) -> bool:
    if column.dtype != "int64":
        return False
    values = column.to_numpy()
    large = values[(values > _EXACT) | (values < -_EXACT)]
    return any(int(float(value)) != value for value in large.tolist())


def _dtype(facts: Sequence[Fact], type_name: str) -> Any:
    import numpy as np
    import pandas as pd

    known = {fact.dtype for fact in facts if not fact.empty}
    if not known:
        return np.dtype(object)
    if known == {np.dtype(object)} and all(fact.spans for fact in facts):
        return np.dtype("timedelta64[us]")
    gaps = any(fact.empty for fact in facts)
    names = {str(dtype) for dtype in known}
    if names <= {"bool", "object"}:
        return np.dtype(object) if gaps or "object" in names else np.dtype(bool)
    if names <= {"int64", "uint64", "Int64", "UInt64", "float64"} and type_name in _INTEGERS:
        gaps = gaps or not names <= {"int64", "uint64"}
        unsigned = bool(names & {"uint64", "UInt64"})
        if not gaps:
            return np.dtype("uint64" if unsigned else "int64")
        if type_name == "uint64":
            return pd.UInt64Dtype() if unsigned else pd.Int64Dtype()
        if "Int64" in names or any(fact.inexact for fact in facts):
            return pd.Int64Dtype()
        return np.dtype("float64")
    (dtype,) = known
    return dtype


def _changed(column: pd.Series[Any], dtype: Any) -> Any:
    import pandas as pd

    if dtype == "timedelta64[us]":
        values = column.to_numpy()
        found = durations(values)
        return found if found.dtype != object else pd.array([None] * len(values), dtype=dtype)
    if column.dtype == object:
        return pd.Series([None] * len(column), index=column.index, dtype=dtype)
    return column.astype(dtype)
