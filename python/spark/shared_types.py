"""Values of every type that Spark's own Parquet reader knows."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from typing import Any

import pyarrow as pa

D = decimal.Decimal
UTC = dt.timezone.utc

# A value, another one, and NULL between them: of each type that Spark's own Parquet reader knows.
SHARED: dict[str, tuple[pa.DataType, list[Any]]] = {
    "bool": (pa.bool_(), [True, None, False]),
    "int8": (pa.int8(), [-128, None, 127]),
    "int16": (pa.int16(), [-32768, None, 32767]),
    "int32": (pa.int32(), [-(2**31), None, 2**31 - 1]),
    "int64": (pa.int64(), [-(2**63), None, 2**63 - 1]),
    "uint8": (pa.uint8(), [0, None, 255]),
    "uint16": (pa.uint16(), [0, None, 65535]),
    "uint32": (pa.uint32(), [0, None, 2**32 - 1]),
    "uint64": (pa.uint64(), [0, None, 2**64 - 1]),
    "float32": (pa.float32(), [-0.0, None, math.inf]),
    "float64": (pa.float64(), [math.nan, None, 5e-324]),
    "decimal small": (pa.decimal128(9, 2), [D("-1234567.89"), None, D("0.01")]),
    "decimal long": (pa.decimal128(18, 4), [D("99999999999999.9999"), None, D("-0.0001")]),
    "decimal large": (pa.decimal128(38, 10), [D("9" * 28 + ".0123456789"), None, D("-1E-10")]),
    "date": (pa.date32(), [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    "instant ms": (
        pa.timestamp("ms", "UTC"),
        [dt.datetime(1969, 12, 31, tzinfo=UTC), None, dt.datetime(2024, 3, 10, 7, tzinfo=UTC)],
    ),
    "instant us": (
        pa.timestamp("us", "UTC"),
        [dt.datetime(1900, 1, 1, 0, 0, 0, 1, UTC), None, dt.datetime(2024, 3, 10, 7, 30, 0, 999999, UTC)],
    ),
    "timestamp us": (
        pa.timestamp("us"),
        [dt.datetime(1969, 12, 31, 23, 59, 59, 999999), None, dt.datetime(2024, 3, 10, 2, 30)],
    ),
    "text": (pa.string(), ["", None, "träge 🏹 \0"]),
    "large text": (pa.large_string(), ["a" * 100, None, "b"]),
    "binary": (pa.binary(), [b"", None, b"\xff\0"]),
    "list": (pa.list_(pa.int32()), [[1, None, 3], None, []]),
    "list of text": (pa.list_(pa.string()), [["a", None], None, ["", "long enough to be no inline view"]]),
    "struct": (pa.struct([("x", pa.int64()), ("y", pa.string())]), [{"x": 1, "y": None}, None, {"x": None, "y": "z"}]),
    "map": (pa.map_(pa.string(), pa.float64()), [[("a", 1.5), ("b", None)], None, []]),
    "deep": (
        pa.list_(pa.struct([("m", pa.map_(pa.string(), pa.list_(pa.decimal128(20, 3))))])),
        [[{"m": [("k", [D("1.125"), None])]}, None, {"m": None}], None, [{"m": []}]],
    ),
}
