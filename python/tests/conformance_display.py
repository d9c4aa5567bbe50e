"""Arrow values as the conformance cases write them; the same rules as `crates/testkit/src/conformance/display.rs`."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa

DAY = 86_400_000_000
# How many units a second has.
A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def display(value: pa.Scalar) -> str:
    """A cell as the cases write it."""
    text = inside(value)
    if not is_text(value.type) or text == "null":
        return text
    plain: str = json.loads(text)
    # Text that could be taken for something else stays in its quotes.
    return text if plain == "null" or plain.startswith('"') else plain


def inside(value: pa.Scalar) -> str:
    """A cell as it stands inside others."""
    if not value.is_valid:
        return "null"
    if isinstance(value, pa.ExtensionScalar):
        value = value.value
    kind = value.type
    if is_text(kind):
        return quoted(value.as_py())
    if pa.types.is_boolean(kind):
        return str(value.as_py()).lower()
    if pa.types.is_floating(kind):
        return number(value.as_py(), single=kind == pa.float32())
    if pa.types.is_decimal(kind):
        return f"{value.as_py():f}"
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return bytes(value.as_py()).hex()
    if pa.types.is_date32(kind):
        return date(value.value)
    if pa.types.is_time(kind):
        return time(value.value, kind.unit)
    if pa.types.is_timestamp(kind):
        return timestamp(value.value, kind.unit) + ("Z" if kind.tz else "")
    if pa.types.is_duration(kind):
        return f"{value.value} {kind.unit}"
    if pa.types.is_interval(kind):
        months, days, nanoseconds = value.as_py()
        return f"{months} months {days} days {nanoseconds} ns"
    if pa.types.is_map(kind):
        return braces([f"{inside(entry['key'])}: {inside(entry['value'])}" for entry in value.values])
    if pa.types.is_list(kind):
        return brackets([inside(item) for item in value.values])
    if pa.types.is_struct(kind):
        # By place: two fields may have one name.
        return braces([f"{kind.field(place).name}: {inside(value[place])}" for place in range(kind.num_fields)])
    return str(value.as_py())


def is_text(kind: pa.DataType) -> bool:
    """Text, also that of JSON or in a dictionary."""
    if isinstance(kind, pa.BaseExtensionType):
        return is_text(kind.storage_type)
    return bool(pa.types.is_string(kind) or pa.types.is_dictionary(kind))


def quoted(text: str) -> str:
    """As JSON quotes it."""
    return json.dumps(text, ensure_ascii=False)


def braces(members: list[str]) -> str:
    """A struct or a map."""
    return "{" + ", ".join(members) + "}"


def brackets(items: list[str]) -> str:
    """A list."""
    return "[" + ", ".join(items) + "]"


def number(value: float, single: bool = False) -> str:
    """The shortest digits that stand for a float, with a point or an exponent.

    >>> [number(value) for value in (1e308, 1e-07, -0.0, float("nan"), float("-inf"))]
    ['1e308', '1e-7', '-0.0', 'NaN', '-inf']
    """
    if value != value:
        return "NaN"
    shortest = float(str(np.float32(value))) if single else value
    return re.sub(r"e([+-])0*", lambda found: "e" + found[1].strip("+"), repr(shortest))


def date(days: int) -> str:
    """The date of a count of days since 1970-01-01; the year before year 1 is 0.

    >>> [date(days) for days in (0, 11_016, -719_528, -719_529)]
    ['1970-01-01', '2000-02-29', '0000-01-01', '-0001-12-31']
    """
    # numpy knows all years.
    text = str(np.datetime64(days, "D"))
    sign, year, rest = re.fullmatch(r"(-?)(\d+)(-\d\d-\d\d)", text).groups()  # type: ignore[union-attr]
    return f"{sign}{year:>04}{rest}"


def time(count: int, unit: str = "us") -> str:
    """The time of a count of units since midnight, without zeros at its end.

    >>> time(1_500_000), time(1_000_000_001, "ns")
    ('00:00:01.5', '00:00:01.000000001')
    """
    seconds, fraction = divmod(count, A_SECOND[unit])
    whole = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    nanoseconds = fraction * (10**9 // A_SECOND[unit])
    return f"{whole}.{nanoseconds:09}".rstrip("0") if fraction else whole


def timestamp(count: int, unit: str = "us") -> str:
    """The moment of a count of units since 1970-01-01."""
    days, rest = divmod(count, 86_400 * A_SECOND[unit])
    return f"{date(days)} {time(rest, unit)}"
