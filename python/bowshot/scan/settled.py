"""What the columns of a result are in Polars, before a row of it is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import _bowshot
from ..exceptions import UnsupportedError

if TYPE_CHECKING:
    import polars as pl

# Decimals and intervals, at any depth.
_DECIMAL = re.compile(r"decimal\d+\((\d+), (-?\d+)\)")
_INTERVAL = re.compile(r"month_day_nano_interval(?!:)|Interval\(DayTime\)")
# What Polars' decimals hold.
DIGITS = 38


def settled(plan: _bowshot.Plan) -> pl.Schema:
    """The schema in Polars, which is that of `read_sql(return_type="polars")`.

    A column whose type there depends on its values has none before they are read: it is an error that says what to do.
    """
    import polars as pl

    schema = plan.schema
    for name, arrow, source in zip(schema.names, schema.types, schema.source_types, strict=True):
        if _is_open(arrow):
            advice = (
                '"duration[us]" or "utf8"' if _INTERVAL.search(arrow) else '"decimal128(38, 10)", "float64" or "utf8"'
            )
            raise UnsupportedError(
                f'column "{name}" ({source or arrow}) is {arrow}, which becomes one type or another in Polars, as its'
                f" values are; a scan has to know it before it reads: say types={{{name!r}: …}} with {advice}"
            )
    return pl.DataFrame(plan.for_polars()).schema


def _is_open(arrow: str) -> bool:
    """Whether only the values settle what the type becomes.

    >>> _is_open("decimal256(76, 38)"), _is_open("list<decimal128(38, 2)>")
    (True, False)
    """
    decimals = ((int(digits), int(scale)) for digits, scale in _DECIMAL.findall(arrow))
    return any(digits > DIGITS and scale >= 0 for digits, scale in decimals) or _INTERVAL.search(arrow) is not None
