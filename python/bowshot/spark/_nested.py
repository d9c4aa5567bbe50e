"""Batches in Spark's own Arrow types, where a type differs inside a list, a struct or a map, or in a mere name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..exceptions import DataError
from ._types import UUID

if TYPE_CHECKING:
    import pyarrow as pa


def fit(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch with exactly this schema, and the same values.

    Raises `DataError`, with the column and the value, if one is not a value of Spark's type.
    """
    import pyarrow

    columns = [_array(array, field.type, field.name) for array, field in zip(batch.columns, schema, strict=True)]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def _array(array: pa.Array, wanted: pa.DataType, column: str) -> pa.Array:
    import pyarrow
    from pyarrow import types

    kind = array.type
    if kind.equals(wanted):
        return array
    if str(kind) == UUID:
        return pyarrow.array([None if value is None else str(value) for value in array.to_pylist()], wanted)
    if isinstance(array, pyarrow.ExtensionArray):
        return _array(array.storage, wanted, column)
    if types.is_dictionary(kind):
        return _array(array.dictionary_decode(), wanted, column)
    if types.is_run_end_encoded(kind):
        import pyarrow.compute

        return _array(pyarrow.compute.run_end_decode(array), wanted, column)
    if types.is_map(wanted):
        array = _from_the_start(array)
        keys = _array(array.keys, wanted.key_type, column)
        items = _array(array.items, wanted.item_type, column)
        return pyarrow.MapArray.from_arrays(array.offsets, keys, items, wanted, mask=_nulls(array))
    if types.is_list(wanted):
        if not types.is_list(kind):
            array = array.cast(pyarrow.list_(kind.value_field))
        array = _from_the_start(array)
        values = _array(array.values, wanted.value_type, column)
        return pyarrow.ListArray.from_arrays(array.offsets, values, wanted, mask=_nulls(array))
    if types.is_struct(wanted):
        fields = [wanted.field(number) for number in range(wanted.num_fields)]
        parts = [_array(array.field(number), field.type, column) for number, field in enumerate(fields)]
        return pyarrow.StructArray.from_arrays(parts, fields=fields, mask=_nulls(array))
    if str(kind) == "month_day_nano_interval":
        return pyarrow.array([None if value is None else _interval(value) for value in array.to_pylist()], wanted)
    if types.is_time(kind):
        return _times(array)
    return _leaf(array, wanted, column)


def _leaf(array: pa.Array, wanted: pa.DataType, column: str) -> pa.Array:
    import pyarrow

    try:
        return array.cast(wanted)
    except pyarrow.ArrowInvalid:
        for number in range(len(array)):
            try:
                array.slice(number, 1).cast(wanted)
            except pyarrow.ArrowInvalid:
                value = array[number].cast(pyarrow.string()).as_py()
                raise DataError(
                    f'column "{column}" holds {value}, which {wanted} in Spark cannot; read it as text:'
                    f' types={{"{column}": "utf8"}}',
                    column=column,
                ) from None
        raise


def _times(array: pa.Array) -> pa.Array:
    """Times of a day as `types={…: "utf8"}` has them: 03:04:05.12, without zeros behind."""
    import pyarrow
    import pyarrow.compute

    whole = pyarrow.compute.replace_substring_regex(array.cast(pyarrow.string()), r"\.0+$", "")
    return pyarrow.compute.replace_substring_regex(whole, r"(\.[0-9]*[1-9])0+$", r"\1")


def _interval(value: Any) -> str:
    """A text that Spark's `CAST(… AS INTERVAL)` takes."""
    seconds, rest = divmod(abs(value.nanoseconds), 1_000_000_000)
    sign = "-" if value.nanoseconds < 0 else ""
    fraction = f".{rest:09}".rstrip("0") if rest else ""
    return f"{value.months} months {value.days} days {sign}{seconds}{fraction} seconds"


def _from_the_start(array: pa.Array) -> pa.Array:
    """The same values in an array that is no slice of another one: its offsets are then those of its values."""
    import pyarrow

    return array.take(pyarrow.array(range(len(array)), pyarrow.int64())) if array.offset else array


def _nulls(array: pa.Array) -> pa.Array | None:
    return array.is_null() if array.null_count else None
