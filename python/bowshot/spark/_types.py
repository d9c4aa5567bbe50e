"""Arrow types in Spark: what a column is read as, so that each of its values is exactly a value of Spark's type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..exceptions import UnsupportedError

if TYPE_CHECKING:
    import pyarrow as pa

DIGITS = 38
"""How many digits Spark's decimals have at most."""

UUID = "extension<arrow.uuid>"
"""A UUID, as pyarrow names its type."""


WRITTEN = ("month_day_nano_interval", "time32[s]", "time32[ms]", "time64[us]", "time64[ns]")
"""Types that become texts of the same form whatever the source is, in lists, too."""


def conversions(schema: pa.Schema) -> dict[str, str]:
    """What `types=` must say for Spark to take the columns, which Bowshot then converts exactly or not at all.

    >>> import pyarrow as pa
    >>> conversions(pa.schema([("id", pa.uint32()), ("name", pa.string()), ("at", pa.timestamp("ns"))]))
    {'id': 'int64', 'at': 'timestamp[us]'}
    """
    found = {}
    for field in schema:
        wanted = column_type(field)
        # `fit` does the rest: lists, structs and maps, which have no names for `types=`, and texts of one form.
        if _is_nested(field.type) or str(field.type) in WRITTEN:
            continue
        if _name(wanted) != _name(field.type):
            found[field.name] = _name(wanted)
    return found


def spark_schema(schema: pa.Schema) -> pa.Schema:
    """The columns as Spark's own Arrow schema has them: instants in UTC, items called `element`.

    Raises `UnsupportedError`, with the column's name, for a type that Spark has no equal of.
    """
    import pyarrow

    return pyarrow.schema([pyarrow.field(field.name, column_type(field), field.nullable) for field in schema])


def column_type(field: pa.Field) -> pa.DataType:
    """The type of a column in Spark, as Arrow has it."""
    import pyarrow

    # Earlier versions of pyarrow know no UUIDs.
    if (field.metadata or {}).get(b"ARROW:extension:name") == b"arrow.uuid":
        return pyarrow.string()
    if pyarrow.types.is_decimal(field.type) and field.type.precision > DIGITS:
        scale = min(max(0, field.type.scale), 18)
        raise _too_many_digits(field.type, field.name, f'types={{"{field.name}": "decimal128({DIGITS}, {scale})"}}')
    return _equal(field.type, field.name)


def _equal(kind: pa.DataType, column: str) -> pa.DataType:
    import pyarrow
    from pyarrow import types

    if str(kind) == UUID:
        return pyarrow.string()
    if isinstance(kind, pyarrow.BaseExtensionType):
        return _equal(kind.storage_type, column)
    widened = {
        "uint8": pyarrow.int16(),
        "uint16": pyarrow.int32(),
        "uint32": pyarrow.int64(),
        "uint64": pyarrow.decimal128(20, 0),
        "halffloat": pyarrow.float32(),
        "date64[ms]": pyarrow.date32(),
        # Spark's intervals are of months or of days, or cannot come in as Arrow; CAST(… AS INTERVAL) takes the text.
        "month_day_nano_interval": pyarrow.string(),
    }
    if str(kind) in widened:
        return widened[str(kind)]
    if types.is_boolean(kind) or types.is_signed_integer(kind) or types.is_floating(kind) or types.is_null(kind):
        return kind
    if types.is_date32(kind):
        return kind
    if types.is_decimal(kind):
        return _decimal(kind, column)
    if types.is_time(kind) or types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return pyarrow.string()
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind):
        return pyarrow.binary()
    if types.is_fixed_size_binary(kind):
        return pyarrow.binary()
    if types.is_timestamp(kind):
        return pyarrow.timestamp("us", None if kind.tz is None else "UTC")
    if types.is_duration(kind):
        return pyarrow.duration("us")
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _equal(kind.value_type, column)
    if types.is_map(kind):
        key = pyarrow.field("key", _equal(kind.key_type, column), nullable=False)
        value = pyarrow.field("value", _equal(kind.item_type, column), kind.item_field.nullable)
        return pyarrow.map_(key, value)
    if types.is_struct(kind):
        fields = [kind.field(number) for number in range(kind.num_fields)]
        # Spark's own way to pandas and Arrow fails for a struct that is NULL if one of its fields may not be.
        return pyarrow.struct([pyarrow.field(one.name, _equal(one.type, column)) for one in fields])
    if _is_list(kind):
        return pyarrow.list_(pyarrow.field("element", _equal(kind.value_type, column), kind.value_field.nullable))
    raise UnsupportedError(
        f'column "{column}" ({kind}) has a type that Spark has no equal of; read it as text:'
        f' types={{"{column}": "utf8"}}',
        column=column,
    )


def _decimal(kind: pa.DataType, column: str) -> pa.DataType:
    import pyarrow

    # Arrow has decimals of thousands (a scale below 0), and of thousandths alone (a scale above the precision).
    scale = max(0, kind.scale)
    precision = max(kind.precision - min(0, kind.scale), scale)
    if precision > DIGITS:
        raise _too_many_digits(kind, column, "a cast in the query")
    return pyarrow.decimal128(precision, scale)


def _too_many_digits(kind: pa.DataType, column: str, way: str) -> UnsupportedError:
    return UnsupportedError(
        f'column "{column}" ({kind}) may have more digits than the {DIGITS} of Spark\'s decimals; say how many it has'
        f' by {way}, or read it as text: types={{"{column}": "utf8"}}',
        column=column,
    )


def _is_nested(kind: pa.DataType) -> bool:
    from pyarrow import types

    return types.is_struct(kind) or types.is_map(kind) or _is_list(kind)


def _is_list(kind: pa.DataType) -> bool:
    from pyarrow import types

    return any(
        is_kind(kind)
        for is_kind in (
            types.is_list,
            types.is_large_list,
            types.is_fixed_size_list,
            types.is_list_view,
            types.is_large_list_view,
        )
    )


def _name(kind: pa.DataType) -> str:
    """The name of a type for `types=`."""
    names = {"string": "utf8", "float": "float32", "double": "float64", "halffloat": "float16"}
    text = str(kind)
    if text in names:
        return names[text]
    return text.replace(", tz=", ", ").replace("date32[day]", "date32")
