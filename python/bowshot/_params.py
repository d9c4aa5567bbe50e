"""Values of placeholders: from what Python has to what databases know."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Params: TypeAlias = Sequence[Any] | Mapping[str, Any] | None
"""A sequence for `$1`, `?` and `%s`; a mapping for `:name` and `%(name)s`."""

_Plain: TypeAlias = bool | int | float | str | bytes | None


def plain_params(params: Params) -> tuple[list[_Plain] | list[tuple[str, _Plain]] | None, bool]:
    """The values in the few types that the compiled half takes, and whether they are named.

    >>> plain_params([datetime.date(2024, 2, 29), decimal.Decimal("1.50"), [1, None]])
    (['2024-02-29', '1.50', '{1,NULL}'], False)
    >>> plain_params({"low": 3})
    ([('low', 3)], True)
    """
    if params is None:
        return None, False
    if isinstance(params, Mapping):
        named = [(_name(name), _plain(value, f"parameter {name!r}")) for name, value in params.items()]
        return named, True
    if isinstance(params, str | bytes) or not hasattr(params, "__iter__"):
        raise TypeError(f"params must be a sequence or a mapping, not {type(params).__name__}")
    return [_plain(value, f"parameter {position}") for position, value in enumerate(params, 1)], False


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a parameter must be a str, not {type(name).__name__}")
    return name


def _plain(value: Any, where: str) -> _Plain:
    # A NumPy scalar knows its Python value; dates of more than microseconds do not become an int here.
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        value = _from_numpy(value, where)
    if value is None or isinstance(value, bool | float | str | bytes):
        return value
    if isinstance(value, int):
        # Larger numbers travel as text, which the database reads as its own largest type.
        return int(value) if -(2**63) <= value < 2**63 else str(int(value))
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, datetime.timedelta | datetime.datetime):
        if value != value:  # pandas' NaT is not equal to itself
            return None
        # pandas' own have them, and Python's fields leave them out.
        if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
            raise _nanoseconds(where)
    if isinstance(value, datetime.timedelta):
        return f"{value.days} days {value.seconds}.{value.microseconds:06} seconds"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | uuid.UUID):
        return str(value)
    if type(value).__module__.partition(".")[0] == "pandas" and type(value).__name__ == "NAType":
        return None
    if isinstance(value, list | tuple):
        return _array(value, where)
    raise TypeError(f"{where} is a {type(value).__name__}, which no database knows; give its text")


def _from_numpy(value: Any, where: str) -> Any:
    if value.ndim:
        return value.tolist()
    if value.dtype.kind in "Mm":
        exact = value.astype(f"{value.dtype.kind}8[us]")
        if exact != value and exact == exact:  # NaT is not equal to itself
            raise _nanoseconds(where)
        return exact.item()
    return value.item()


def _nanoseconds(where: str) -> TypeError:
    return TypeError(f"{where} has nanoseconds, which most databases would round; round it to microseconds")


def _array(items: Sequence[Any], where: str) -> str:
    """The text of a PostgreSQL array, `{1,NULL,"a b"}`."""
    return "{" + ",".join(_element(item, where) for item in items) + "}"


def _element(item: Any, where: str) -> str:
    if isinstance(item, list | tuple):
        return _array(item, where)
    value = _plain(item, where)
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, bytes):
        return f'"\\\\x{value.hex()}"'
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
