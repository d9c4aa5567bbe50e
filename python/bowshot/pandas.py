"""Frames of pandas from a plan: what `pandas.read_sql` gives for the same query, straight from the database's bytes.

docs/guide/pandas.md shows the types; docs/decisions/0004-pandas-frames.md says why they are so.
"""

from __future__ import annotations

import datetime
import decimal
import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import _bowshot
from ._intervals import let_travel
from ._require import require
from .exceptions import ConfigError, DataError, UnsupportedError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

ParseDates: TypeAlias = bool | Sequence[str] | Mapping[str, str | Mapping[str, Any]] | None
Backend: TypeAlias = Literal["numpy", "numpy_nullable", "pyarrow"]

# Days since 1970 that Python's dates reach.
_FIRST_DAY = datetime.date.min.toordinal() - datetime.date(1970, 1, 1).toordinal()
_LAST_DAY = datetime.date.max.toordinal() - datetime.date(1970, 1, 1).toordinal()
# More digits than Arrow's longest decimal has: nothing is rounded.
_EXACT = decimal.Context(prec=80)
_UNITS = frozenset({"D", "d", "h", "m", "s", "ms", "us", "ns"})
# Rows that are made Python objects at a time, so that what comes in between stays small.
_STRIDE = 1 << 17


@dataclass(frozen=True)
class FrameOptions:
    """The parameters of `pandas.read_sql` that shape a frame; each means what it means there."""

    index_col: str | Sequence[str] | None = None
    coerce_float: bool = True
    parse_dates: ParseDates = None
    dtype: Any = None
    dtype_backend: Any = None
    is_table: bool = False
    """The query is the name of a table; pandas then makes timestamps of dates."""
    settled: bool = False
    """The types of the columns alone decide on dtypes, so that all partitions have the same, whatever their values."""
    part: bool = False
    """More frames follow that become one: what only all values tell is left to `frame_parts`."""
    only: tuple[str, ...] | None = None
    """The columns that are made, in the result's order; the others are read and dropped."""

    @property
    def backend(self) -> Backend:
        """The kind of columns; pandas' own `no_default` object means NumPy's."""
        if self.dtype_backend in ("pyarrow", "numpy_nullable"):
            backend: Backend = self.dtype_backend
            return backend
        if self.dtype_backend in (None, "numpy") or getattr(self.dtype_backend, "name", "") == "no_default":
            return "numpy"
        raise ConfigError(f'dtype_backend must be "numpy_nullable" or "pyarrow", not {self.dtype_backend!r}')


def read_frame(plan: _bowshot.Plan, options: FrameOptions, progress: Any = None) -> pd.DataFrame:
    """The whole result as one frame."""
    frames = _frames(plan, options, None, progress)
    return next(frames)


def read_frames(plan: _bowshot.Plan, options: FrameOptions, rows: int, progress: Any = None) -> Iterator[pd.DataFrame]:
    """Frames of exactly `rows` rows each, the last one shorter; an empty result is one empty frame."""
    if rows < 1:
        raise ConfigError(f"chunksize must be at least 1, not {rows}")
    return _frames(plan, options, rows, progress)


def empty_frame(plan: _bowshot.Plan, options: FrameOptions) -> pd.DataFrame:
    """The frame of a result without rows; that of `settled` options has the dtypes that all results have."""
    require("pandas", "pandas")
    require("pyarrow", "pandas")
    import pandas as pd
    import pyarrow as pa

    if options.backend == "pyarrow":
        table = pa.table(plan.for_pandas())
        arrays: list[Any] = [pd.arrays.ArrowExtensionArray(column) for column in table.columns]
    else:
        columns = plan.empty_frame(options.coerce_float, _masked(options))
        arrays = _arrays(columns, plan.schema, options)
    return shaped(_frame(arrays, _labels(plan.schema.names)), options)


def _masked(options: FrameOptions) -> bool:
    """Whether numbers are kept beside a mask. What is settled needs it too: NULLs may be in some partitions alone."""
    return options.backend == "numpy_nullable" or options.settled


def _labels(names: Sequence[str]) -> pd.Index[Any]:
    import pandas as pd

    return pd.Index(names) if names else pd.Index([], dtype=object)


def _frames(plan: _bowshot.Plan, options: FrameOptions, rows: int | None, progress: Any) -> Iterator[pd.DataFrame]:
    require("pandas", "pandas")
    require("pyarrow", "pandas")
    schema = plan.schema
    read: Callable[[int | None], tuple[int, list[Any]]]
    if options.backend == "pyarrow":
        stream = plan.read(progress, "pandas")
        read = lambda rows: _arrow_columns(stream, rows, options)  # noqa: E731 - one of two ways to read
    else:
        reader = plan.read_frame(options.coerce_float, _masked(options), progress)
        read = lambda rows: _numpy_columns(reader, schema, rows, options)  # noqa: E731
    # pandas' first index of texts imports much: that is done while rows arrive.
    labels = _labels([name for name in schema.names if _is_made(name, options)])
    first = True
    while True:
        length, arrays = read(rows)
        if not first and length == 0:
            return
        yield shaped(_frame(arrays, labels), options)
        first = False
        if rows is None or length < rows:
            return


def _frame(arrays: list[Any], labels: pd.Index[Any]) -> pd.DataFrame:
    """A frame that takes the arrays over, with labels of its own; they may repeat."""
    import pandas as pd

    frame = pd.DataFrame(dict(enumerate(arrays)), copy=False)
    frame.columns = labels.copy()
    return frame


def _is_made(name: str, options: FrameOptions) -> bool:
    return options.only is None or name in options.only


def shaped(frame: pd.DataFrame, options: FrameOptions) -> pd.DataFrame:
    """The frame with the dtypes, dates and index that the user asked for."""
    if options.dtype:
        dtype = options.dtype
        if options.only is not None and isinstance(dtype, Mapping):
            dtype = {name: value for name, value in dtype.items() if name in options.only}
        frame = frame.astype(dtype)
    frame = _with_dates(frame, options.parse_dates)
    if options.index_col is not None:
        index: Any = options.index_col if isinstance(options.index_col, str) else list(options.index_col)
        frame = frame.set_index(index)
    return frame


def _with_dates(frame: pd.DataFrame, parse_dates: ParseDates) -> pd.DataFrame:
    """Makes timestamps of the named columns: numbers count seconds unless a unit is given, text is parsed."""
    import pandas as pd

    if parse_dates is None or isinstance(parse_dates, bool):
        return frame
    wanted: Any = parse_dates if hasattr(parse_dates, "__iter__") else [parse_dates]
    if isinstance(wanted, str):
        wanted = [wanted]
    formats: Mapping[Hashable, Any] = wanted if isinstance(wanted, Mapping) else {}
    for position, name in enumerate(frame.columns):
        if name not in wanted:
            continue
        column: Any = frame.iloc[:, position]
        how = formats.get(name)
        numbers = getattr(column.dtype, "kind", "O") in "iuf"
        if isinstance(how, Mapping):
            parsed = pd.to_datetime(column, **how)
        elif how in _UNITS or (how is None and numbers):
            parsed = pd.to_datetime(column, errors="coerce", unit=how or "s")
        elif isinstance(column.dtype, pd.DatetimeTZDtype):
            continue
        else:
            parsed = pd.to_datetime(column.astype(str) if numbers else column, errors="coerce", format=how)
        frame.isetitem(position, parsed)
    return frame


def _arrow_columns(stream: _bowshot.Stream, rows: int | None, options: FrameOptions) -> tuple[int, list[Any]]:
    """Columns on Arrow memory, with the exact types of the result."""
    import pandas as pd
    import pyarrow as pa

    if rows is None:
        table = pa.table(stream.read_all())
    else:
        batch = stream.next_batch(rows)
        schema = pa.schema(stream.schema)
        table = pa.Table.from_batches([] if batch is None else [pa.record_batch(batch)], schema=schema)
    made = [column for name, column in zip(table.column_names, table.columns, strict=True) if _is_made(name, options)]
    return table.num_rows, [pd.arrays.ArrowExtensionArray(column) for column in made]


def _numpy_columns(
    reader: _bowshot.FrameReader, schema: _bowshot.Schema, rows: int | None, options: FrameOptions
) -> tuple[int, list[Any]]:
    columns = reader.read(rows)
    length = len(columns[0]) if columns else 0
    return length, _arrays(columns, schema, options)


def _arrays(columns: list[_bowshot.FrameColumn], schema: _bowshot.Schema, options: FrameOptions) -> list[Any]:
    arrays = []
    columns.reverse()
    # Each column is let go as soon as its array stands.
    for name, type_name in zip(schema.names, schema.types, strict=True):
        column = columns.pop()
        if _is_made(name, options):
            arrays.append(_array(column, name, type_name, options))
    return arrays


def _array(column: _bowshot.FrameColumn, name: str, type_name: str, options: FrameOptions) -> Any:
    """The array of one column, on the column's own memory where NumPy or Arrow can hold it."""
    import numpy as np
    import pandas as pd

    length = len(column)
    kind = column.kind
    backend = options.backend
    if backend == "numpy" and column.nulls == length and not options.settled:
        # pandas sees only None here, whatever the type in the database.
        return _objects(np.full(length, None, dtype=object))
    if kind == "text":
        import pyarrow as pa

        na_value: Any = pd.NA if backend == "numpy_nullable" else np.nan
        texts = pa.record_batch(column.take_batch()).column(0)
        return pd.array(texts, dtype=pd.StringDtype("pyarrow", na_value=na_value), copy=False)
    if kind == "object":
        objects = _python_objects(column, name)
        if not options.settled and not options.part:
            objects = durations(objects)
        return _objects(objects) if objects.dtype == object else objects
    values: Any = np.asarray(column.take_values())
    taken = column.take_mask()
    mask: Any = None if taken is None else np.asarray(taken)
    if kind == "instant":
        return _instants(values, column.zone, name)
    if kind == "day" and options.is_table:
        days = values.astype("datetime64[D]").astype("datetime64[s]")
        days[slice(0) if mask is None else mask] = np.datetime64("NaT")
        return days
    if kind == "day":
        return _objects(_dates(values, mask, name))
    if mask is None:
        return values
    if kind == "float64" and backend == "numpy":
        values[mask] = np.nan
        return values
    if kind == "float64":
        return pd.arrays.FloatingArray(values, mask)
    if kind == "bool":
        if _masked(options):
            return pd.arrays.BooleanArray(values, mask)
        objects = values.astype(object)
        objects[mask] = None
        return _objects(objects)
    if options.settled and type_name == "uint64":
        values = values.view("uint64")
    # With NumPy's backend, only settled integers and those beyond 2^53 come here: float64 would change them.
    return pd.arrays.IntegerArray(values, mask)


def _objects(values: np.ndarray[Any, Any]) -> pd.Series[Any]:
    """Python objects that pandas shall leave alone."""
    import pandas as pd

    return pd.Series(values, dtype=object, copy=False)


def _instants(values: np.ndarray[Any, Any], zone: str | None, name: str) -> Any:
    import pandas as pd

    if zone is None:
        return values
    unit: Any = str(values.dtype)[len("datetime64[") : -1]
    utc = pd.array(values.view("int64"), dtype=pd.DatetimeTZDtype(unit, "UTC"), copy=False)
    if zone in ("UTC", "+00:00"):
        return utc
    try:
        return pd.DatetimeIndex(utc).tz_convert(zone)
    except (LookupError, ValueError) as error:
        raise UnsupportedError(
            f'column "{name}" has the time zone "{zone}", which Python does not know here: {error}; install tzdata, or'
            f' read it as Arrow: return_type="arrow"',
            column=name,
        ) from error


def _dates(days: np.ndarray[Any, Any], mask: Any, name: str) -> np.ndarray[Any, Any]:
    """Dates of days since 1970. Equal days share one object."""
    import numpy as np

    if mask is None:
        mask = np.zeros(len(days), dtype=bool)
    if mask.all():
        return np.full(len(days), None, dtype=object)
    days[mask] = days[~mask][0]
    low, high = int(days.min()), int(days.max())
    if low < _FIRST_DAY or high > _LAST_DAY:
        raise DataError(
            f'column "{name}" (date) holds a day outside of the years 1 to 9999, which datetime.date cannot; read it as'
            f' Arrow: dtype_backend="pyarrow", or as text: types={{"{name}": "utf8"}}',
            column=name,
        )
    epoch = datetime.date(1970, 1, 1).toordinal()
    span = high - low + 1
    if span <= max(len(days), 1 << 16):
        shared = np.array([datetime.date.fromordinal(epoch + day) for day in range(low, high + 1)], dtype=object)
        codes = days
        codes -= low
    else:
        unique, codes = np.unique(days, return_inverse=True)
        shared = np.array([datetime.date.fromordinal(epoch + int(day)) for day in unique], dtype=object)
    objects = np.empty(len(days), dtype=object)
    for start in range(0, len(days), _STRIDE):
        objects[start : start + _STRIDE] = shared[codes[start : start + _STRIDE]]
    objects[mask] = None
    return objects


def _python_objects(column: _bowshot.FrameColumn, name: str) -> np.ndarray[Any, Any]:
    """What drivers return for the types that neither NumPy nor pandas has."""
    import numpy as np
    import pyarrow as pa

    let_travel()
    objects = np.empty(len(column), dtype=object)
    start = 0
    # Each batch is let go when its objects stand.
    while (batch := column.take_batch()) is not None:
        array = pa.record_batch(batch).column(0)
        try:
            values = array.to_pylist()
            if (convert := _conversion(array.type)) is not None:
                values = [None if value is None else convert(value) for value in values]
        except (ValueError, TypeError, ArithmeticError, LookupError, RuntimeError, pa.ArrowException) as error:
            raise DataError(
                f'column "{name}" ({array.type}) holds a value that Python has no object for: {error}; read it as'
                f' Arrow: dtype_backend="pyarrow"',
                column=name,
            ) from error
        objects[start : start + len(values)] = np.fromiter(values, dtype=object, count=len(values))
        start += len(values)
    return objects


def _conversion(data_type: Any) -> Callable[[Any], Any] | None:
    """What is left to do to pyarrow's Python values of a type, at every depth; `None`: nothing."""
    import pyarrow as pa

    if isinstance(data_type, pa.BaseExtensionType):
        return json.loads if data_type.extension_name == "arrow.json" else None
    if pa.types.is_decimal256(data_type):
        return _shortest
    if pa.types.is_map(data_type):
        return _mapping(data_type)
    if pa.types.is_struct(data_type):
        found = {field.name: _conversion(field.type) for field in data_type}
        inside = {name: convert for name, convert in found.items() if convert is not None}
        return (lambda value: _members(value, inside)) if inside else None
    if any(is_list(data_type) for is_list in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)):
        convert = _conversion(data_type.value_type)
        if convert is not None:
            return lambda values: [None if value is None else convert(value) for value in values]
    return None


def _members(value: dict[str, Any], inside: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    for name, convert in inside.items():
        if value[name] is not None:
            value[name] = convert(value[name])
    return value


def _mapping(data_type: Any) -> Callable[[Any], Any]:
    """A map as a `dict`; as its pairs where its keys are of a type that no `dict` takes."""
    import pyarrow as pa

    keys, items = _conversion(data_type.key_type), _conversion(data_type.item_type)
    hashable = not pa.types.is_nested(data_type.key_type)

    def mapped(pairs: list[tuple[Any, Any]]) -> Any:
        if keys is not None:
            pairs = [(keys(key), item) for key, item in pairs]
        if items is not None:
            pairs = [(key, None if item is None else items(item)) for key, item in pairs]
        if not hashable:
            return pairs
        made = dict(pairs)
        if len(made) != len(pairs):
            raise ValueError("a key of a map is there twice")
        return made

    return mapped


def _shortest(value: decimal.Decimal) -> decimal.Decimal:
    """Without the zeros that a column of one scale adds: 1.5 of a numeric without precision."""
    short = value.normalize(_EXACT)
    return short.quantize(decimal.Decimal(1), context=_EXACT) if value == value.to_integral_value() else short


def durations(objects: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Intervals as `timedelta64[us]`, unless one has months, whose length nobody knows, or is too long or too fine for
    that; other objects as they are."""
    import numpy as np
    import pyarrow as pa

    known = next((value for value in objects if value is not None), None)
    if not isinstance(known, pa.MonthDayNano):
        return objects
    longest = np.iinfo(np.int64).max
    micros = np.empty(len(objects), dtype=np.int64)
    for row, value in enumerate(objects):
        if value is None:
            micros[row] = -longest - 1
            continue
        length, rest = divmod(value.nanoseconds, 1000)
        length += value.days * 86_400_000_000
        if value.months or rest or abs(length) > longest:
            return objects
        micros[row] = length
    return micros.view("timedelta64[us]")
