"""Flight SQL's messages, written by hand: protobuf without a generated module.

Names and numbers are those of `format/FlightSql.proto` and `format/Flight.proto` of Apache Arrow.
"""

from __future__ import annotations

from collections.abc import Iterator

TYPES = "type.googleapis.com/arrow.flight.protocol.sql."


def varint(number: int) -> bytes:
    """A number, seven bits a byte.

    >>> varint(300)
    b'\\xac\\x02'
    """
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def field(number: int, value: str | bytes | int) -> bytes:
    """One field: text, bytes (so messages too), or a number.

    >>> field(1, "a") + field(2, 3)
    b'\\n\\x01a\\x10\\x03'
    """
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    body = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(body)) + body


def packed(name: str, *fields: bytes) -> bytes:
    """A message of Flight SQL as `google.protobuf.Any`."""
    return field(1, TYPES + name) + field(2, b"".join(fields))


def statement(sql: str) -> bytes:
    """The command of a query."""
    return packed("CommandStatementQuery", field(1, sql))


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    found = shift = 0
    while data[at] > 127:
        found |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return found | data[at] << shift, at + 1


def fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The fields of a message: numbers and bytes.

    >>> list(fields(field(1, "a") + field(2, 300)))
    [(1, b'a'), (2, 300)]
    """
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            number, at = read_varint(data, at)
            yield key >> 3, number
        else:
            assert key & 7 == 2, "no other kind of field is in these messages"
            length, at = read_varint(data, at)
            yield key >> 3, data[at : at + length]
            at += length


def unpacked(data: bytes) -> dict[int, bytes | int]:
    """The fields of the message inside of an `Any`."""
    body = dict(fields(data))[2]
    assert isinstance(body, bytes)
    return dict(fields(body))
