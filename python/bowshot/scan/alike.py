"""Which columns a database compares as Polars does, and how the comparison is written.

A condition may keep more rows than Polars, which filters what arrives once more, and never fewer. So this is a list of
what is known to be right: a source, an Arrow type and the database's own type. All else stays in Polars.
"""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Write: TypeAlias = Callable[[str, str, Any], str | None]
"""A condition on a column, from its name in quotes, the operator and the value; `None`: it is not known to be right."""

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
ORDERED = ("=", "<>", "<", "<=", ">", ">=")

# Floats are compared with numbers that every database reads exactly, this far from the value that is meant.
STEPS = 1024
LARGEST = 2.0**42
# Digits behind the point of a decimal.
PLACES = 30


@dataclass(frozen=True)
class Column:
    """A column whose comparisons may go into the SQL."""

    name: str
    """As it stands in the SQL."""
    write: Write
    nulls: bool
    """Whether it is NULL in Polars exactly where it is NULL in the database."""
    kind: str
    """What its values are, a key of `WRITERS`."""
    stored: str | None = None
    """SQLite's storage classes of such values; other rows are kept whatever they hold."""

    def condition(self, operator: str, value: Any) -> str | None:
        """`"a" < 3`, if the database compares this column with this value as Polars does or keeps more rows."""
        return self._guarded(self.write(self._operand, operator, value))

    def one_of(self, values: Sequence[Any]) -> str | None:
        """`"a" IN (1, 2)`, on the same terms."""
        equals = f"{self._operand} = "
        conditions = [self.write(self._operand, "=", value) for value in values]
        known = [condition for condition in conditions if condition is not None]
        if not known or len(known) < len(conditions):
            return None
        if not all(condition.startswith(equals) for condition in known):
            return self._guarded(f"({' OR '.join(known)})")
        return self._guarded(f"{equals[:-2]}IN ({', '.join(condition.removeprefix(equals) for condition in known)})")

    @property
    def _operand(self) -> str:
        # The plus takes away the affinity by which SQLite would turn one side of a comparison.
        return self.name if self.stored is None else f"+{self.name}"

    def _guarded(self, condition: str | None) -> str | None:
        # SQLite keeps any value in any column, and Bowshot may read it as one of the column's type.
        if condition is None or self.stored is None:
            return condition
        return f"({condition} OR typeof({self.name}) NOT IN ({self.stored}, 'null'))"


@dataclass(frozen=True)
class Reading:
    """What of a read's options changes values, or what the session makes of literals."""

    types: frozenset[str] = frozenset()
    """Columns that are read as another type than the source's."""
    nulls_for: frozenset[str] = frozenset()
    """Kinds of columns of which some values become NULL: infinite dates, dates without a day."""
    ascii_only: bool = False
    """Whether text in the SQL must be ASCII, since the session may read it in another encoding."""


def comparable(
    scheme: str,
    columns: Sequence[tuple[str, str, str | None]],
    written: Callable[[str], str],
    reading: Reading,
) -> Mapping[str, Column]:
    """The columns, given as name, Arrow type and the database's type, whose comparisons may go into the SQL, where a
    name is `written` as that says."""
    known = KNOWN.get(scheme)
    found: dict[str, Column] = {}
    for name, arrow, source in columns:
        kind = None if known is None or name in reading.types else known(arrow, source)
        if kind is None:
            continue
        write = _ascii if kind == "text" and reading.ascii_only else WRITERS[kind]
        stored = SQLITE_STORED[kind] if scheme == "sqlite" else None
        found[name] = Column(written(name), write, kind not in reading.nulls_for, kind, stored)
    return found


def _postgres(arrow: str, source: str | None) -> str | None:
    if arrow.startswith("decimal128(") and source == "numeric":
        return "decimal"
    return {
        ("int16", "int2"): "integer",
        ("int32", "int4"): "integer",
        ("int64", "int8"): "integer",
        ("float32", "float4"): "float or NaN",
        ("float64", "float8"): "float or NaN",
        ("bool", "bool"): "boolean",
        ("utf8", "text"): "text",
        ("utf8", "varchar"): "text",
        ("date32", "date"): "date",
        ("timestamp[us]", "timestamp"): "timestamp",
        ("timestamp[us, UTC]", "timestamptz"): "instant",
    }.get((arrow, source or ""))


def _mysql(arrow: str, source: str | None) -> str | None:
    source = (source or "").removesuffix(" unsigned")
    if arrow in INTEGERS and source in ("tinyint", "smallint", "mediumint", "int", "bigint"):
        return "integer"
    if arrow.startswith("decimal128(") and source == "decimal":
        return "decimal"
    # FLOAT is left out: what a session shows of it has fewer digits than what it compares.
    return {
        ("float64", "double"): "float",
        ("utf8", "varchar"): "text",
        ("date32", "date"): "date",
        ("timestamp[us]", "datetime"): "timestamp",
    }.get((arrow, source))


def _sqlite(arrow: str, _source: str | None) -> str | None:
    return {"int64": "integer", "float64": "float", "utf8": "text"}.get(arrow)


KNOWN: Mapping[str, Callable[[str, str | None], str | None]] = {
    "postgresql": _postgres,
    "mysql": _mysql,
    "sqlite": _sqlite,
}
"""The kind of a column by source; where there is none, its comparisons stay in Polars."""


def _integer(name: str, operator: str, value: Any) -> str | None:
    if operator not in ORDERED or type(value) is not int:
        return None
    return f"{name} {operator} {value}"


def _decimal(name: str, operator: str, value: Any) -> str | None:
    if operator not in ORDERED or not isinstance(value, int | decimal.Decimal) or isinstance(value, bool):
        return None
    exact = decimal.Decimal(value)
    exponent = exact.as_tuple().exponent
    # Some databases cut longer fractions off; of NaN it is a letter.
    known = isinstance(exponent, int) and exponent >= -PLACES
    return f"{name} {operator} {exact:f}" if known else None


def _float(name: str, operator: str, value: Any) -> str | None:
    # Not every database reads every literal as the nearest float. These numbers all read alike, and a float that is
    # sent as text may lose its last digit.
    if not isinstance(value, float) or not math.isfinite(value) or abs(value) >= LARGEST:
        return None
    below = f"{name} >= {_exact((math.floor(value * STEPS) - 1) / STEPS)}"
    above = f"{name} <= {_exact((math.ceil(value * STEPS) + 1) / STEPS)}"
    return {"=": f"({below} AND {above})", ">": below, ">=": below, "<": above, "<=": above}.get(operator)


def _float_or_nan(name: str, operator: str, value: Any) -> str | None:
    condition = _float(name, operator, value)
    # NaN is the largest float to Polars and PostgreSQL, and the smallest one to some who speak its protocol.
    return f"({condition} OR {name} = 'NaN')" if condition and operator in (">", ">=") else condition


def _exact(value: float) -> str:
    return f"{decimal.Decimal(value):f}"


def _boolean(name: str, operator: str, value: Any) -> str | None:
    return f"{name} {operator} {str(value).upper()}" if operator in ("=", "<>") and isinstance(value, bool) else None


def _text(name: str, operator: str, value: Any) -> str | None:
    # Collations differ in order, and in what they take for equal: but text is always equal to itself. A backslash may
    # escape, a NUL ends some texts, blanks at the end are not always kept, and % is a parameter to some.
    if operator != "=" or not isinstance(value, str) or value.endswith(" ") or not value.isprintable():
        return None
    return None if set(value) & {"\\", "%"} else f"{name} = " + "'" + value.replace("'", "''") + "'"


def _date(name: str, operator: str, value: Any) -> str | None:
    if operator not in ORDERED or type(value) is not datetime.date or value.year < 1000:
        return None
    return f"{name} {operator} DATE '{value.isoformat()}'"


def _timestamp(name: str, operator: str, value: Any) -> str | None:
    if operator not in ORDERED or not isinstance(value, datetime.datetime) or value.year < 1000 or value.tzinfo:
        return None
    return f"{name} {operator} TIMESTAMP '{value.isoformat(' ', 'microseconds')}'"


def _instant(name: str, operator: str, value: Any) -> str | None:
    if operator not in ORDERED or not isinstance(value, datetime.datetime) or value.year < 1000:
        return None
    if value.utcoffset() != datetime.timedelta():
        return None
    utc = value.replace(tzinfo=None).isoformat(" ", "microseconds")
    return f"{name} {operator} TIMESTAMP WITH TIME ZONE '{utc}+00:00'"


def _ascii(name: str, operator: str, value: Any) -> str | None:
    return _text(name, operator, value) if isinstance(value, str) and value.isascii() else None


WRITERS: Mapping[str, Write] = {
    "integer": _integer,
    "decimal": _decimal,
    "float": _float,
    "float or NaN": _float_or_nan,
    "boolean": _boolean,
    "text": _text,
    "date": _date,
    "timestamp": _timestamp,
    "instant": _instant,
}

SQLITE_STORED: Mapping[str, str] = {"integer": "'integer'", "float": "'integer', 'real'", "text": "'text'"}
