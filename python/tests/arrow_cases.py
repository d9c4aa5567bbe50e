"""Arrays of every Arrow type, with NULLs and extremes, and what they stand in: the cases of test_destinations.py."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa

D = Decimal
_EXACT = Context(prec=99)
MOST = 2**63 - 1


def counted(data_type: Any, numbers: Sequence[int | None]) -> Any:
    """An array of a type that is a number beneath, of any numbers."""
    width = pa.int32() if data_type.bit_width == 32 else pa.int64()
    return pa.Array.from_buffers(data_type, len(numbers), pa.array(numbers, width).buffers())


def decimals(data_type: Any, values: Sequence[str | None]) -> Any:
    """An array of decimals, also of those that pyarrow reads and does not make."""
    width = data_type.bit_width // 8
    digits = [None if value is None else int(D(value).scaleb(data_type.scale, _EXACT)) for value in values]
    valid = pa.array([value is not None for value in values]).buffers()[1]
    packed = b"".join((number or 0).to_bytes(width, "little", signed=True) for number in digits)
    return pa.Array.from_buffers(data_type, len(values), [valid, pa.py_buffer(packed)])


def extension(data_type: Any, storage: Any) -> Any:
    return pa.ExtensionArray.from_storage(data_type, storage)


class Unknown(pa.ExtensionType):  # type: ignore[misc]
    """An extension type that nobody reads."""

    def __init__(self) -> None:
        super().__init__(pa.int32(), "somebody.else")

    def __arrow_ext_serialize__(self) -> bytes:
        return b"parameters"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> Unknown:
        return cls()


def ordinary() -> dict[str, Any]:
    """A value of each type, a NULL, and what the type holds at its ends where every destination holds it too."""
    texts, blobs = ["a", None, "", "ä" * 40], [b"a", None, b"", b"\xff" * 40]
    found: dict[str, Any] = {
        "null": pa.nulls(3),
        "bool": pa.array([True, None, False]),
        "float16": pa.array(np.array([1.5, 0, -65504, np.inf], np.float16), mask=np.array([0, 1, 0, 0], bool)),
        "float32": pa.array([0.5, None, -1.25, float("inf"), 1e10], pa.float32()),
        "float64": pa.array([0.1, None, -1e300, float("-inf"), float("nan")]),
        "utf8": pa.array(texts),
        "large_utf8": pa.array(texts, pa.large_string()),
        "utf8_view": pa.array(texts, pa.string_view()),
        "binary": pa.array(blobs),
        "large_binary": pa.array(blobs, pa.large_binary()),
        "binary_view": pa.array(blobs, pa.binary_view()),
        "fixed_size_binary[2]": pa.array([b"ab", None, b"\x00\xff"], pa.binary(2)),
        "fixed_size_binary[0]": pa.array([b"", None, b""], pa.binary(0)),
        "date32": counted(pa.date32(), [0, None, -719162, 2932896]),
        "date64": counted(pa.date64(), [0, None, -719162 * 86_400_000, 2932896 * 86_400_000]),
        "time32[s]": counted(pa.time32("s"), [0, None, 86399]),
        "time32[ms]": counted(pa.time32("ms"), [0, None, 86_399_999]),
        "time64[us]": counted(pa.time64("us"), [0, None, 86_399_999_999]),
        "time64[ns]": counted(pa.time64("ns"), [0, None, 86_399_999_999_000]),
        "interval[months]": "months",
        "interval[days]": "days",
        "interval": pa.array([pa.MonthDayNano([0, 2, 3000]), None, pa.MonthDayNano([0, -9999, -(10**15)])]),
        "interval of months": pa.array([pa.MonthDayNano([-1, 2, 3]), None, pa.MonthDayNano([0, 0, 0])]),
        "struct": pa.array([{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}]),
        "struct<>": pa.array([{}, None, {}], pa.struct([])),
        "fixed_size_list[0]": pa.array([[], None, []], pa.list_(pa.int32(), 0)),
        "map": pa.array([[("a", 1), ("b", None)], None, []], pa.map_(pa.string(), pa.int32())),
        "map of lists": pa.array([[([1], 1)], None, []], pa.map_(pa.list_(pa.int8()), pa.int32())),
        "dictionary<utf8>, ordered": pa.DictionaryArray.from_arrays([1, None, 0], ["b", "a"], ordered=True),
        "dictionary<utf8>, repeating": pa.DictionaryArray.from_arrays([0, None, 1, 2], ["a", "a", None]),
        "dictionary<large_utf8>": pa.DictionaryArray.from_arrays([1, None, 0], pa.array(["b", "a"], pa.large_string())),
        "dictionary<int64>": pa.DictionaryArray.from_arrays([1, None, 0], [7, 8]),
        "run_end_encoded<int64>": pa.RunEndEncodedArray.from_arrays([2, 3, 5], [7, None, 8]),
        "sparse_union": pa.UnionArray.from_sparse(
            pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, None]), pa.array(["a", "b", "c"])]
        ),
        "dense_union": pa.UnionArray.from_dense(
            pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, None]), pa.array(["b"])]
        ),
        "arrow.uuid": extension(pa.uuid(), pa.array([uuid.UUID(int=1).bytes, None, b"\xff" * 16], pa.binary(16))),
        "arrow.json": extension(pa.json_(pa.string()), pa.array(['{"a": [1.5]}', None, "3"])),
        "arrow.bool8": extension(pa.bool8(), pa.array([1, None, 0], pa.int8())),
        "extension of int32": extension(Unknown(), pa.array([1, None, -5], pa.int32())),
    }
    for bits in (8, 16, 32, 64):
        found[f"int{bits}"] = pa.array([-(2 ** (bits - 1)), None, 2 ** (bits - 1) - 1, 0], f"int{bits}")
        found[f"uint{bits}"] = pa.array([0, None, 2**bits - 1, 1], f"uint{bits}")
        for index in (f"int{bits}", f"uint{bits}"):
            name = f"dictionary<utf8> by {index}"
            found[name] = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 1], index), ["b", "a"])
    for unit in ("s", "ms", "us", "ns"):
        found[f"duration[{unit}]"] = counted(pa.duration(unit), [0, None, -1, 10**9])
        for zone in (None, "UTC", "Europe/Berlin", "+05:30", "-03:00"):
            name = f"timestamp[{unit}{', ' + zone if zone else ''}]"
            found[name] = counted(pa.timestamp(unit, zone), [0, None, -1, 10**9])
    for zone in ("Z", "utc", "+0530", "-03", "+14:00", "-00:00", "UTC+05:30", "US/Pacific", "EST5EDT", "Etc/GMT-5"):
        found[f"timestamp[us, {zone}]"] = counted(pa.timestamp("us", zone), [0, None, -1, 1_700_000_000_000_000])
    for bits, digits in ((32, 9), (64, 18), (128, 38), (256, 76)):
        make = getattr(pa, f"decimal{bits}")
        nines = "9" * digits
        point = f"{nines[2:]}.{nines[:2]}"
        found[f"decimal{bits}({digits}, 2)"] = decimals(make(digits, 2), ["1.10", None, point, "-" + point, "0.00"])
        found[f"decimal{bits}({digits}, 0)"] = decimals(make(digits, 0), ["1", None, "-" + nines])
        found[f"decimal{bits}({digits}, {digits})"] = decimals(make(digits, digits), ["0.1", None, "0." + nines])
        found[f"decimal{bits}(5, -2)"] = decimals(make(5, -2), ["100", None, "-9999900"])
        found[f"decimal{bits}({digits}, -3)"] = decimals(make(digits, -3), [nines + "000", None, "-1000"])
    found["decimal256(38, 2)"] = decimals(pa.decimal256(38, 2), ["1.10", None, "9" * 36 + ".99"])
    found["decimal256(76, 38)"] = decimals(pa.decimal256(76, 38), ["1.5", None, "-2.25"])
    return found


def extreme() -> dict[str, Any]:
    """Values that some destinations cannot hold."""
    days = 86_400_000_000
    return {
        "date32 at its ends": counted(pa.date32(), [-(2**31), None, 2**31 - 1]),
        "date32 beyond 9999": counted(pa.date32(), [2932897, None]),
        "date64 within a day": counted(pa.date64(), [1, None]),
        "date64 at its ends": counted(pa.date64(), [-MOST, None, MOST]),
        "time32[s] 24:00": counted(pa.time32("s"), [86400, None]),
        "time64[us] negative": counted(pa.time64("us"), [None, -1]),
        "time64[ns] of nanoseconds": counted(pa.time64("ns"), [1, None, 86_399_999_999_999]),
        "timestamp[s] at its ends": counted(pa.timestamp("s"), [-MOST, None, MOST]),
        "timestamp[ms] at its ends": counted(pa.timestamp("ms"), [-MOST, None, MOST]),
        "timestamp[us] at its ends": counted(pa.timestamp("us"), [-MOST, None, MOST]),
        "timestamp[us, UTC] at its ends": counted(pa.timestamp("us", "UTC"), [-MOST, None, MOST]),
        "timestamp[ns] at its ends": counted(pa.timestamp("ns"), [-MOST, None, MOST]),
        "timestamp[us] NumPy's NaT": counted(pa.timestamp("us"), [-MOST - 1, None]),
        "timestamp[ns] NumPy's NaT": counted(pa.timestamp("ns"), [-MOST - 1, None]),
        "timestamp[us] in the year 10000": counted(pa.timestamp("us"), [253_402_300_800_000_000, None]),
        "timestamp[us] before the year 1": counted(pa.timestamp("us"), [-62_135_596_800_000_001, None]),
        "timestamp[us, Mars/Phobos]": counted(pa.timestamp("us", "Mars/Phobos"), [1, None]),
        "duration[s] at its ends": counted(pa.duration("s"), [-MOST, None, MOST]),
        "duration[us] at its ends": counted(pa.duration("us"), [-MOST, None, MOST]),
        "duration[ns] NumPy's NaT": counted(pa.duration("ns"), [-MOST - 1, None]),
        "interval beyond int64": pa.array([pa.MonthDayNano([0, 2**31 - 1, 0]), None]),
        "interval at its ends": pa.array([pa.MonthDayNano([-(2**31), -(2**31), -MOST - 1]), None]),
        "interval of nanoseconds": pa.array([pa.MonthDayNano([0, 0, 1]), None, pa.MonthDayNano([0, 0, -days])]),
        "map, a key twice": pa.array([[("a", 1), ("a", 2)], None], pa.map_(pa.string(), pa.int32())),
        "struct, a name twice": pa.StructArray.from_arrays([pa.array([1, 2]), pa.array([3, 4])], ["a", "a"]),
        "arrow.json, not JSON": extension(pa.json_(pa.string()), pa.array(["{", None])),
        "all NULL: date32": pa.nulls(3, pa.date32()),
        "all NULL: decimal256": pa.nulls(3, pa.decimal256(76, 38)),
        "all NULL: interval": pa.nulls(3, pa.month_day_nano_interval()),
        "all NULL: time64[ns]": pa.nulls(3, pa.time64("ns")),
        "all NULL: utf8": pa.nulls(3, pa.string()),
        "all NULL: struct": pa.nulls(3, pa.struct([("x", pa.decimal32(5, 1))])),
        "no rows: date32": pa.nulls(0, pa.date32()),
        "no rows: decimal32": pa.nulls(0, pa.decimal32(5, 1)),
        "no rows: decimal256": pa.nulls(0, pa.decimal256(76, 38)),
        "no rows: interval": pa.nulls(0, pa.month_day_nano_interval()),
        "no rows: list of dates": pa.nulls(0, pa.list_(pa.date64())),
        "no rows: timestamp[s, +05:30]": pa.nulls(0, pa.timestamp("s", "+05:30")),
    }


def _offsets(values: Any) -> Any:
    """Three lists; the second is NULL, and hides a value."""
    ends = [0, min(1, len(values)), min(2, len(values)), len(values)]
    return pa.array(ends, pa.int32())


_MASK = pa.array([False, True, False])


def _keys(values: Any) -> Any:
    return pa.array([f"k{number}" for number in range(len(values))])


def _struct(values: Any) -> Any:
    numbers = pa.array(range(len(values)), pa.int32())
    mask = pa.array([number % 3 == 1 for number in range(len(values))], pa.bool_())
    return pa.StructArray.from_arrays([values, numbers], ["v", "n"], mask=mask)


def _view(values: Any) -> Any:
    last = max(len(values) - 1, 0)
    some = min(1, len(values))
    offsets, sizes = pa.array([last, 0, 0], pa.int32()), pa.array([some, some, len(values)], pa.int32())
    return pa.ListViewArray.from_arrays(offsets, sizes, values, mask=_MASK)


def _dictionary(values: Any) -> Any:
    rows = [0, None, len(values) - 1] if len(values) else [None]
    return pa.DictionaryArray.from_arrays(pa.array(rows, pa.int16()), values)


NESTINGS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda values: values,
    "list": lambda values: pa.ListArray.from_arrays(_offsets(values), values, mask=_MASK),
    "list view": _view,
    "fixed-size list": lambda values: pa.FixedSizeListArray.from_arrays(
        values.slice(0, len(values) // 2 * 2), 2, mask=pa.array([i == 1 for i in range(len(values) // 2)], pa.bool_())
    ),
    "struct": _struct,
    "map": lambda values: pa.MapArray.from_arrays(_offsets(values), _keys(values), values),
    "dictionary": _dictionary,
    "list of struct of map": lambda values: NESTINGS["list"](_struct(NESTINGS["map"](values))),
}
