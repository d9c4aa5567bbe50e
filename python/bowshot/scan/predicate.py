"""From a predicate of Polars to conditions for the database.

Polars has no public form of its expressions that could be read. But it takes them apart (`meta.pop`) and compares them
(`meta.eq`): whatever is recognised here is put together again by Polars' own operators, and the result must be the
expression that it was. So nothing is taken for something else, whatever a version of Polars makes of an expression.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .alike import Column

if TYPE_CHECKING:
    import polars as pl

LOG = logging.getLogger("bowshot.scan")

# As long a list as a statement takes easily.
LONGEST_LIST = 1000

OPERATORS: Mapping[str, str] = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
TURNED: Mapping[str, str] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
BETWEEN: Mapping[str, tuple[str, str]] = {
    "both": (">=", "<="),
    "left": (">=", "<"),
    "right": (">", "<="),
    "none": (">", "<"),
}


@dataclass(frozen=True)
class Divided:
    """A predicate as what goes into the SQL, and what Polars alone decides."""

    conditions: Sequence[str]
    """Conditions that every row which the predicate keeps meets."""
    left: Sequence[str]
    """The parts of the predicate that no condition stands for, as Polars writes them."""


def divide(predicate: pl.Expr, columns: Mapping[str, Column], dtypes: Mapping[str, pl.DataType]) -> Divided:
    """The conditions that go into the SQL for a predicate over columns of these types."""
    conditions, left = [], []
    translation = _Translation(columns, dtypes)
    for part in _parts(predicate):
        try:
            condition = translation.condition(part)
        except Exception as error:
            # Polars can apply whatever it is: a date that Python has not, for one.
            LOG.debug("%s stays in Polars: %s", part, error)
            condition = None
        if condition is None:
            left.append(str(part))
        else:
            conditions.append(condition)
    return Divided(conditions, left)


def _parts(predicate: pl.Expr) -> list[pl.Expr]:
    """What `&` joins."""
    predicate = predicate.meta.undo_aliases()
    joined = _operands(predicate)
    if joined and _is(predicate, joined[0] & joined[1]):
        return _parts(joined[0]) + _parts(joined[1])
    return [predicate]


def _operands(expression: pl.Expr) -> tuple[pl.Expr, pl.Expr] | None:
    """The two sides of an expression that has two; Polars hands out the last one first."""
    inputs = expression.meta.pop()
    return (inputs[1], inputs[0]) if len(inputs) == 2 else None


def _is(expression: pl.Expr, rebuilt: pl.Expr) -> bool:
    return expression.meta.eq(rebuilt)


class _Translation:
    def __init__(self, columns: Mapping[str, Column], dtypes: Mapping[str, pl.DataType]) -> None:
        self._columns = columns
        self._dtypes = dtypes

    def condition(self, expression: pl.Expr) -> str | None:
        """A condition that holds wherever the expression is true; `None` where none is known."""
        # A name changes nothing about what is true.
        expression = expression.meta.undo_aliases()
        if expression.meta.is_column():
            return self._compared(expression, "=", True)
        inputs = expression.meta.pop()
        if len(inputs) == 1:
            return self._of_one(expression, inputs[0])
        if len(inputs) == 2:
            return self._of_two(expression, inputs[1], inputs[0])
        if len(inputs) == 3:
            return self._between(expression, inputs[2], inputs[1], inputs[0])
        return None

    def _of_one(self, expression: pl.Expr, inner: pl.Expr) -> str | None:
        column = self._column(inner)
        if column is None:
            return None
        if column.nulls and _is(expression, inner.is_null()):
            return f"{column.name} IS NULL"
        if column.nulls and _is(expression, inner.is_not_null()):
            return f"{column.name} IS NOT NULL"
        return self._compared(inner, "=", False) if _is(expression, inner.not_()) else None

    def _of_two(self, expression: pl.Expr, left: pl.Expr, right: pl.Expr) -> str | None:
        if _is(expression, left & right):
            # Either side alone keeps enough.
            sides = [side for side in (self.condition(left), self.condition(right)) if side is not None]
            return f"({' AND '.join(sides)})" if sides else None
        if _is(expression, left | right):
            first, second = self.condition(left), self.condition(right)
            return None if first is None or second is None else f"({first} OR {second})"
        for method, operator in OPERATORS.items():
            if _is(expression, getattr(left, method)(right)):
                if right.meta.is_column():
                    left, right, operator = right, left, TURNED[operator]
                return self._compared_with(left, operator, right)
        if _is(expression, left.eq_missing(right)):
            # A value, or the literal would be no value of the column's type.
            return self._compared_with(left, "=", right)
        if _is(expression, left.is_in(right)):
            return self._one_of(left, right)
        return None

    def _between(self, expression: pl.Expr, inner: pl.Expr, low: pl.Expr, high: pl.Expr) -> str | None:
        if self._column(inner) is None:
            return None
        for closed, (above, below) in BETWEEN.items():
            if _is(expression, inner.is_between(low, high, closed=closed)):  # type: ignore[arg-type]
                sides = [self._compared_with(inner, above, low), self._compared_with(inner, below, high)]
                known = [side for side in sides if side is not None]
                return f"({' AND '.join(known)})" if known else None
        return None

    def _one_of(self, inner: pl.Expr, literal: pl.Expr) -> str | None:
        column, series = self._column(inner), _literal(literal)
        if column is None or series is None or len(series) != 1 or not series.dtype.is_nested():
            return None
        values = series.explode()
        if values.dtype != self._dtypes[inner.meta.output_name()] or len(values) > LONGEST_LIST:
            return None
        return column.one_of(values.drop_nulls().to_list())

    def _compared_with(self, inner: pl.Expr, operator: str, literal: pl.Expr) -> str | None:
        column, series = self._column(inner), _literal(literal)
        if column is None or series is None or len(series) != 1 or series.null_count():
            return None
        if not self._is_of_the_column(series.dtype, inner.meta.output_name()):
            return None
        return column.condition(operator, series.item())

    def _compared(self, inner: pl.Expr, operator: str, value: Any) -> str | None:
        column = self._column(inner)
        return None if column is None or column.kind != "boolean" else column.condition(operator, value)

    def _column(self, expression: pl.Expr) -> Column | None:
        return self._columns.get(expression.meta.output_name()) if expression.meta.is_column() else None

    def _is_of_the_column(self, dtype: pl.DataType, name: str) -> bool:
        """Whether a literal is of the column's type; numbers of other kinds are compared after a conversion."""
        column = self._dtypes[name]
        return dtype == column or (column.is_decimal() and (dtype.is_decimal() or dtype.is_integer()))


def _literal(expression: pl.Expr) -> pl.Series | None:
    """The values of a literal."""
    if not expression.meta.is_literal():
        return None
    import polars as pl

    return pl.select(expression).to_series()
