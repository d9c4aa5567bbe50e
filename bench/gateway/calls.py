"""Flight SQL's calls as pyarrow makes them: what stands between `GetFlightInfo` and a batch, without a driver."""

import pyarrow.flight as flight

STATEMENT = "type.googleapis.com/arrow.flight.protocol.sql.CommandStatementQuery"
# Streams of one client over connections of their own; gRPC would share one among all clients of a process.
OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]


def connect(uri: str) -> flight.FlightClient:
    """Returns a client with a connection of its own."""
    return flight.FlightClient(uri.replace("grpc://", "grpc+tcp://"), generic_options=OWN_CONNECTION)


def headers(**asked: object) -> flight.FlightCallOptions:
    """Returns a call's headers; `endpoints=2` is `bowshot-endpoints: 2`."""
    named = [(f"bowshot-{name}".encode(), str(value).encode()) for name, value in asked.items()]
    return flight.FlightCallOptions(headers=named)


def plan(client: flight.FlightClient, sql: str, options: flight.FlightCallOptions | None = None) -> flight.FlightInfo:
    """Asks for the endpoints of a query."""
    descriptor = flight.FlightDescriptor.for_command(statement(sql))
    return client.get_flight_info(descriptor, options or headers())


def statement(sql: str) -> bytes:
    """Returns `CommandStatementQuery` inside protobuf's `Any`, as Flight SQL wants commands.

    See https://arrow.apache.org/docs/format/FlightSql.html, "Commands".

    >>> statement("SELECT 1")[-10:]
    b'\\n\\x08SELECT 1'
    """
    return _field(1, STATEMENT.encode()) + _field(2, _field(1, sql.encode()))


def _field(number: int, content: bytes) -> bytes:
    """Returns a length-delimited field of protobuf (https://protobuf.dev/programming-guides/encoding/)."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    """Returns a number in groups of seven bits, the lowest first.

    >>> _varint(300)
    b'\\xac\\x02'
    """
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])
