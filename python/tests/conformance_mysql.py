"""What PyMySQL returns for a query, as the conformance cases write it: the server's own text, cell by cell."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pymysql
from pymysql.converters import encoders
from tests.conformance_display import date, is_text, number, timestamp
from tests.conformance_driver import days, top

MICROSECONDS = {"days": 86_400_000_000, "hours": 3_600_000_000, "minutes": 60_000_000, "seconds": 1_000_000}


def mysql_values(uri: str, case: dict[str, Any], schema: pa.Schema) -> list[list[str]]:
    """The values of each column."""
    parts = urlsplit(uri)
    connection = pymysql.connect(
        host=parts.hostname,
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=parts.path.lstrip("/"),
        charset="utf8mb4",
        conv=dict(encoders),  # none of the decoders: values stay as the server sent them
        init_command="SET time_zone = '+00:00'",
    )
    with connection, connection.cursor() as cursor:
        for statement in case.get("before", []):
            cursor.execute(statement)
        cursor.execute(case["sql"])
        rows = cursor.fetchall()
    return [[cell(row[column], field.type) for row in rows] for column, field in enumerate(schema)]


def cell(value: str | bytes | None, kind: pa.DataType) -> str:
    """A cell, from the text that the server sent."""
    if value is None:
        return "null"
    if pa.types.is_binary(kind):
        raw = value.encode() if isinstance(value, str) else value
        return raw.hex()
    if isinstance(value, bytes) and not is_text(kind):
        # BIT comes as its bytes.
        bits = int.from_bytes(value, "big")
        return str(bool(bits)).lower() if pa.types.is_boolean(kind) else str(bits)
    text = value.decode() if isinstance(value, bytes) else value
    if is_text(kind):
        return top(text, kind)
    if pa.types.is_floating(kind):
        return number(float(text), single=kind == pa.float32())
    if pa.types.is_date32(kind):
        return "null" if "-00" in text else date(days(text))
    if pa.types.is_timestamp(kind):
        return "null" if "-00" in text.split()[0] else moment(text) + ("Z" if kind.tz else "")
    if pa.types.is_duration(kind):
        return f"{duration(text)} us"
    # YEAR and ZEROFILL come with zeros in front.
    return str(int(text)) if pa.types.is_integer(kind) else text


def moment(text: str) -> str:
    """A date with a time in microseconds."""
    day, clock = text.split(" ")
    return timestamp(days(day) * MICROSECONDS["days"] + duration(clock))


def duration(text: str) -> int:
    """The microseconds of `[-]HHH:MM:SS[.ffffff]`.

    >>> duration("-838:59:59.5")
    -3020399500000
    """
    found = re.fullmatch(r"(-?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?", text)
    assert found, text
    sign, hours, minutes, seconds, fraction = found.groups()
    whole = int(hours) * MICROSECONDS["hours"] + int(minutes) * MICROSECONDS["minutes"]
    whole += int(seconds) * MICROSECONDS["seconds"] + int((fraction or "").ljust(6, "0"))
    return -whole if sign else whole
