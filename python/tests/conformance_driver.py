"""What psycopg and sqlite3 return for a query, as the conformance cases write it.

Text and moments are compared with the server's own text; numbers, arrays, composites, ranges and the like with the
Python values that the driver makes of it.
"""

from __future__ import annotations

import keyword
import re
import sqlite3
from decimal import Context, Decimal
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
from psycopg.types import TypeInfo
from psycopg.types.composite import CompositeInfo, register_composite
from psycopg.types.hstore import register_hstore
from psycopg.types.range import Range, RangeInfo, register_range
from psycopg.types.string import TextLoader
from tests.conformance_display import DAY, braces, brackets, date, is_text, number, quoted, time, timestamp

# Types of which psycopg would make Python objects that hold less than the type.
AS_TEXT = ["date", "time", "timetz", "timestamp", "timestamptz", "interval", "inet", "cidr", "json", "jsonb"]
EXACT = Context(prec=200)


def postgres_values(uri: str, case: dict[str, Any], schema: pa.Schema) -> list[list[str]]:
    """The values of each column."""
    with psycopg.connect(uri, autocommit=True) as connection:
        for name in AS_TEXT:
            connection.adapters.register_loader(name, TextLoader)
        register_types(connection)
        for statement in case.get("before", []):
            # How the session writes values is of no matter to Bowshot, but to the driver, which reads text.
            if "TimeZone" in statement:
                connection.execute(statement)
        if any(holds_interval(field.type) for field in schema):
            connection.execute("SET IntervalStyle = 'iso_8601'")
        cursor = connection.execute(case["sql"])
        raw = cursor.pgresult
        assert raw is not None
        rows = cursor.fetchall()
        return [
            [postgres_cell(row[column], raw.get_value(number, column), field.type) for number, row in enumerate(rows)]
            for column, field in enumerate(schema)
        ]


def register_types(connection: psycopg.Connection[Any]) -> None:
    """Tells psycopg of the types that the cases define."""
    types = connection.execute(
        "SELECT typname, typtype, oid, typarray FROM pg_type"
        " WHERE typnamespace = 'public'::regnamespace AND typcategory <> 'A' ORDER BY oid"
    )
    for name, kind, oid, array in types.fetchall():
        if kind == "c":
            composite = CompositeInfo.fetch(connection, psycopg.sql.Identifier(name))
            # psycopg makes attributes of all names but keywords. Tables have these, whose rows no case reads whole.
            plain = composite is not None and not any(map(keyword.iskeyword, composite.field_names))
            if composite is not None and composite.field_names and plain:
                register_composite(composite, connection)
        elif kind == "r":
            found = RangeInfo.fetch(connection, name)
            assert found is not None
            register_range(found, connection)
        elif name == "hstore":
            register_hstore(TypeInfo(name, oid, array), connection)
        else:
            TypeInfo(name, oid, array).register(connection)


def sqlite_values(uri: str, case: dict[str, Any], schema: pa.Schema) -> list[list[str]]:
    """The values of each column."""
    connection = sqlite3.connect(uri.removeprefix("sqlite:///"))
    rows = connection.execute(case["sql"]).fetchall()
    connection.close()
    return [[top(row[column], field.type) for row in rows] for column, field in enumerate(schema)]


def postgres_cell(value: Any, raw: bytes | None, kind: pa.DataType) -> str:
    """A cell, from psycopg's value and from the server's own text."""
    if raw is None:
        return "null"
    if is_text(kind) or moment_of(kind):
        return top(raw.decode(), kind)
    if pa.types.is_binary(kind) and not isinstance(value, bytes):
        return raw.hex()
    return top(value, kind)


def top(value: Any, kind: pa.DataType) -> str:
    """A value as it stands alone: text without quotes, unless it could be taken for something else."""
    if isinstance(value, str) and is_text(kind) and value != "null" and not value.startswith('"'):
        return value
    return inside(value, kind)


def inside(value: Any, kind: pa.DataType) -> str:
    """A Python value as it stands inside others."""
    if value is None:
        return "null"
    if is_text(kind):
        return quoted(str(value))
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if moment := moment_of(kind):
        return str(moment(value))
    if pa.types.is_boolean(kind):
        return str(bool(value)).lower()
    if pa.types.is_floating(kind):
        return number(float(value), single=kind == pa.float32())
    if pa.types.is_decimal(kind):
        digits = re.sub(r"[$,]", "", str(value))  # money comes as the locale writes it
        return f"{Decimal(digits).quantize(Decimal(1).scaleb(-kind.scale), context=EXACT):f}"
    if pa.types.is_binary(kind):
        return bytes(value).hex()
    if pa.types.is_fixed_size_binary(kind):
        return str(value.hex)
    if pa.types.is_map(kind):
        return braces([f"{quoted(key)}: {inside(item, kind.item_type)}" for key, item in value.items()])
    if pa.types.is_list(kind):
        return brackets([inside(item, kind.value_type) for item in value])
    if pa.types.is_struct(kind):
        if isinstance(value, Range):
            value = (value.lower, value.upper, bool(value.lower_inc), bool(value.upper_inc), value.isempty)
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return braces([f"{field.name}: {inside(part, field.type)}" for field, part in zip(fields, value, strict=True)])
    return str(int(Decimal(value)))


def holds_interval(kind: pa.DataType) -> bool:
    """An interval, or a list of them."""
    return bool(pa.types.is_interval(kind.value_type if pa.types.is_list(kind) else kind))


def moment_of(kind: pa.DataType) -> Any:
    """What reads the server's text of a date, a time, a timestamp or an interval."""
    if pa.types.is_date32(kind):
        return lambda text: "null" if "infinity" in text else date(days(text))
    if pa.types.is_time(kind):
        return lambda text: time(microseconds(text))
    if pa.types.is_timestamp(kind):
        return lambda text: "null" if "infinity" in text else moment(text, kind.tz is not None)
    return interval if pa.types.is_interval(kind) else None


def days(text: str) -> int:
    """Days since 1970-01-01 of `YYYY-MM-DD`, perhaps with ` BC` behind it."""
    year, rest = text.removesuffix(" BC").split("-", 1)
    proleptic = 1 - int(year) if text.endswith(" BC") else int(year)
    return int(np.datetime64(f"{proleptic:05}-{rest}" if proleptic < 0 else f"{proleptic:04}-{rest}", "D").astype(int))


def microseconds(text: str) -> int:
    """Microseconds since midnight of `HH:MM:SS.ffffff`."""
    hours, minutes, seconds = text.split(":")
    return (int(hours) * 60 + int(minutes)) * 60_000_000 + int(Decimal(seconds) * 1_000_000)


def moment(text: str, utc: bool) -> str:
    """A timestamp; one with an offset as its instant."""
    found = re.fullmatch(r"(\d+-\d\d-\d\d)(?: ([\d:.]+))?(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?( BC)?", text)
    assert found, text
    day, clock, sign, *offset, era = found.groups()
    west = sum(int(part or 0) * unit for part, unit in zip(offset, (3600, 60, 1), strict=True)) * (
        -1 if sign == "+" else 1
    )
    # A date that becomes a timestamp is its midnight.
    local = days(day + (era or "")) * DAY + microseconds(clock or "0:0:0")
    return timestamp(local + west * 1_000_000) + "Z" if utc else timestamp(local)


def interval(text: str) -> str:
    """An interval in ISO 8601, such as `P1Y2M-3DT4H5M-6.7S`."""
    date_part, _, time_part = text.removeprefix("P").partition("T")
    parts = {unit: Decimal(count) for count, unit in re.findall(r"([-\d.]+)([YMWD])", date_part)}
    clock = {unit: Decimal(count) for count, unit in re.findall(r"([-\d.]+)([HMS])", time_part)}
    months = parts.get("Y", Decimal()) * 12 + parts.get("M", Decimal())
    seconds = clock.get("H", Decimal()) * 3600 + clock.get("M", Decimal()) * 60 + clock.get("S", Decimal())
    return f"{months} months {parts.get('D', 0)} days {int(seconds * 1_000_000_000)} ns"
