"""One form for the values of pyarrow, pandas, Polars and Python, so that they can be compared.

It is made without what is tested.
"""

from __future__ import annotations

import datetime
import json
import math
import re
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_DAY = 86_400 * 10**9
_EPOCH = datetime.datetime(1970, 1, 1)


def of_arrow(column: Any) -> list[Any]:
    """The forms of an array's or a chunked array's values."""
    return [of_scalar(value) for value in column]


def of_scalar(value: Any) -> Any:
    data_type = value.type
    kind = pa.types
    if kind.is_union(data_type) or kind.is_run_end_encoded(data_type) or kind.is_dictionary(data_type):
        inner = value.value
        return inner if inner is None else of_scalar(inner)
    if not value.is_valid:
        return None
    if isinstance(data_type, pa.BaseExtensionType):
        return _of_extension(data_type.extension_name, value.value)
    if kind.is_map(data_type):
        return ("map", [(of_scalar(pair[0]), of_scalar(pair[1])) for pair in value.values])
    if kind.is_struct(data_type):
        return ("struct", [(data_type.field(i).name, of_scalar(value[i])) for i in range(data_type.num_fields)])
    if hasattr(value, "values"):
        return [of_scalar(item) for item in value.values]
    if kind.is_timestamp(data_type):
        return ("instant", value.value * _UNITS[data_type.unit], data_type.tz is not None)
    if kind.is_time(data_type):
        return ("time", value.value * _UNITS[data_type.unit])
    if kind.is_duration(data_type):
        return ("span", value.value * _UNITS[data_type.unit])
    if kind.is_date32(data_type):
        return ("day", value.value)
    if kind.is_date64(data_type):
        days, rest = divmod(value.value, 86_400_000)
        return ("day", days) if not rest else ("instant", value.value * 10**6, False)
    return of_python(value.as_py())


def _of_extension(name: str, storage: Any) -> Any:
    if storage is None or not storage.is_valid:
        return None
    if name == "arrow.uuid":
        return uuid.UUID(bytes=storage.as_py())
    if name == "arrow.json":
        return ("json", storage.as_py())
    return bool(storage.as_py()) if name == "arrow.bool8" else of_scalar(storage)


def of_python(value: Any) -> Any:
    """The form of an object, as drivers, pandas and pyarrow have them."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, np.datetime64 | np.timedelta64):
        number = int(value.view("int64"))
        if np.isnat(value):
            return None
        scale = _UNITS[np.datetime_data(value.dtype)[0]]
        return ("instant", number * scale, False) if isinstance(value, np.datetime64) else ("span", number * scale)
    if isinstance(value, pd.Timestamp):
        return ("instant", int(value.asm8.view("int64")) * _UNITS[value.unit], value.tzinfo is not None)
    if isinstance(value, pd.Timedelta):
        return ("span", int(value.asm8.view("int64")) * _UNITS[value.unit])
    if isinstance(value, datetime.datetime):
        naive = value if value.tzinfo is None else value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return ("instant", (naive - _EPOCH) // datetime.timedelta(microseconds=1) * 1000, value.tzinfo is not None)
    if isinstance(value, datetime.date):
        return ("day", (value - _EPOCH.date()).days)
    if isinstance(value, datetime.time):
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return ("time", seconds * 10**9 + value.microsecond * 1000)
    if isinstance(value, datetime.timedelta):
        return ("span", value // datetime.timedelta(microseconds=1) * 1000)
    if isinstance(value, pa.MonthDayNano):
        return ("interval", value.months, value.days, value.nanoseconds)
    if isinstance(value, np.generic):
        return of_python(value.item())
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, dict):
        return ("struct", [(key, of_python(item)) for key, item in value.items()])
    if isinstance(value, list | np.ndarray):
        return [of_python(item) for item in value]
    if isinstance(value, tuple):
        return tuple(of_python(item) for item in value)
    return value


def of_series(series: Any) -> list[Any]:
    """The forms of a column of a pandas frame."""
    kind = getattr(series.dtype, "kind", "O")
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        utc = series.array.tz_convert("UTC").tz_localize(None)
        return [None if form is None else (*form[:2], True) for form in map(of_python, np.asarray(utc))]
    if kind in "mM" and isinstance(series.dtype, np.dtype):
        return [of_python(value) for value in series.to_numpy()]
    if isinstance(series.dtype, pd.ArrowDtype):
        return of_arrow(series.array.__arrow_array__())
    return [of_python(value) for value in series.to_numpy(dtype=object)]


def same(want: Any, got: Any, *, floats: bool = False) -> bool:
    """Whether both say the same; `floats`: the destination has the nearest float in place of a decimal."""
    if want is None or want == "nan":
        return got is None or got == "nan"
    if got is None:
        return False
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(lambda w, g: same(w, g), want, got))
    if isinstance(want, Decimal):
        if floats and isinstance(got, float):
            return got == float(want)
        return isinstance(got, Decimal | str) and Decimal(got) == want
    if isinstance(want, uuid.UUID):
        return str(want) == str(got)
    if not isinstance(want, tuple):
        return bool(want == got) and isinstance(got, bool) == isinstance(want, bool)
    if want[0] == "json":
        return got in (want, want[1]) or got == of_python(json.loads(want[1]))
    if want[0] == "interval":
        return got == want or got == _fixed(want) or (isinstance(got, str) and _parsed(got) == want[1:])
    if want[0] == "map":
        return _pairs(want[1], got)
    if want[0] == "struct":
        return (
            isinstance(got, tuple)
            and got[0] == "struct"
            and [name for name, _ in want[1]] == [name for name, _ in got[1]]
            and all(same(w, g) for (_, w), (_, g) in zip(want[1], got[1], strict=True))
        )
    return bool(want == got)


def _pairs(want: list[Any], got: Any) -> bool:
    """A map is a map, a `dict`, or a list of its pairs or of structs."""
    pairs = got[1] if isinstance(got, tuple) and got[0] in ("map", "struct") else got
    if not isinstance(pairs, list) or len(want) != len(pairs):
        return False
    plain = [tuple(item for _, item in pair[1]) if pair[0] == "struct" else pair for pair in pairs]
    return all(same(w[0], g[0]) and same(w[1], g[1]) for w, g in zip(want, plain, strict=True))


def _fixed(interval: Any) -> Any:
    _, months, days, nanoseconds = interval
    return None if months else ("span", days * _DAY + nanoseconds)


def _parsed(text: str) -> tuple[int, int, int]:
    """An interval's text, such as `1 years 2 mons -2 days 3 hours 4 mins 5.000000006 secs`."""
    found = {unit: Decimal(number) for number, unit in re.findall(r"(-?[\d.]+) (\w+)", text)}

    def unit(name: str) -> Decimal:
        return found.get(name, Decimal(0))

    seconds = (unit("hours") * 60 + unit("mins")) * 60 + unit("secs")
    return int(unit("years") * 12 + unit("mons")), int(unit("days")), int(seconds * 10**9)
