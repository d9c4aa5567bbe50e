# ruff: noqa: SIM105, PT012 - whichever step says no, and blocks that say who closes what
"""Bytes that no client sends: refused each by itself, and the gateway goes on for everybody else."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.flight as flight
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.gateway.clients import flight_options, read_adbc
from tests.gateway.messages import TYPES, field, packed, statement, unpacked
from tests.gateway.serving import Gateway

REFUSED = (pa.ArrowException, flight.FlightError, NotImplementedError, OSError, ValueError, KeyError)


@pytest.fixture(autouse=True)
def alive(gateway: Gateway) -> Iterator[None]:
    """Whatever a test sent, others are served after it."""
    yield
    assert gateway.process.poll() is None
    assert read_adbc(gateway.address, "SELECT 1 AS one", {}).to_pylist() == [{"one": 1}]


@pytest.fixture
def client(gateway: Gateway) -> Iterator[flight.FlightClient]:
    with flight.FlightClient(gateway.address.replace("grpc://", "grpc+tcp://")) as client:
        yield client


def command(body: bytes) -> flight.FlightDescriptor:
    return flight.FlightDescriptor.for_command(body)


BYTES = st.one_of(
    st.binary(max_size=300),
    st.binary(max_size=100).map(lambda body: field(1, TYPES + "CommandStatementQuery") + field(2, body)),
    st.binary(max_size=100).map(lambda body: field(1, TYPES + "CommandGetTables") + field(2, body)),
    st.binary(max_size=100).map(lambda body: field(1, TYPES + "CommandPreparedStatementQuery") + field(2, body)),
    st.text(max_size=50).map(statement),
)
MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(body=BYTES)
def test_commands_of_any_bytes_are_answered_or_refused(client: flight.FlightClient, body: bytes) -> None:
    for ask in (client.get_flight_info, client.get_schema):
        try:
            ask(command(body), flight_options({}))
        except REFUSED:
            pass


@MANY
@given(ticket=st.binary(max_size=300))
def test_tickets_of_any_bytes_are_refused(client: flight.FlightClient, ticket: bytes) -> None:
    with pytest.raises(REFUSED):
        client.do_get(flight.Ticket(ticket), flight_options({})).read_all()


@MANY
@given(name=st.sampled_from(["CreatePreparedStatement", "CancelFlightInfo", "RenewFlightEndpoint", ""]), body=BYTES)
def test_actions_of_any_bytes_are_answered_or_refused(client: flight.FlightClient, name: str, body: bytes) -> None:
    try:
        list(client.do_action(flight.Action(name, body), flight_options({})))
    except REFUSED:
        pass


def test_a_ticket_with_any_bit_turned_is_refused(client: flight.FlightClient) -> None:
    info = client.get_flight_info(command(statement("SELECT 1")))
    ticket = info.endpoints[0].ticket.ticket
    for place in range(len(ticket)):
        forged = bytearray(ticket)
        forged[place] ^= 1 << place % 8
        with pytest.raises(REFUSED):
            client.do_get(flight.Ticket(bytes(forged))).read_all()
    assert client.do_get(flight.Ticket(ticket)).read_all().num_rows == 1


@pytest.mark.parametrize(
    "descriptor", [b"", b"nonsense", packed("CommandStatementUpdate", field(1, "DELETE FROM orders"))]
)
def test_what_is_put_anywhere_else_is_refused(client: flight.FlightClient, descriptor: bytes) -> None:
    batch = pa.record_batch({"n": [1]})
    with pytest.raises(REFUSED):
        writer, reader = client.do_put(command(descriptor), batch.schema, flight_options({}))
        writer.write_batch(batch)
        writer.done_writing()
        reader.read()
        writer.close()


def test_a_put_of_sixty_megabytes_is_refused_or_ignored(client: flight.FlightClient) -> None:
    create = packed("ActionCreatePreparedStatementRequest", field(1, "SELECT $1::text"))
    [made] = client.do_action(flight.Action("CreatePreparedStatement", create))
    handle = unpacked(made.body.to_pybytes())[1]
    batch = pa.record_batch({"1": ["x" * (60 << 20)]})
    with pytest.raises(REFUSED):
        writer, reader = client.do_put(command(packed("CommandPreparedStatementQuery", field(1, handle))), batch.schema)
        writer.write_batch(batch)
        writer.done_writing()
        reader.read()
        writer.close()


def test_headers_up_to_64_kib_are_taken_and_longer_ones_end_their_call_alone(gateway: Gateway) -> None:
    # The JDBC driver makes headers of what it does not know in its URL.
    assert read_adbc(gateway.address, "SELECT 2 AS two", {"x-long": "a" * 40_000}).to_pylist() == [{"two": 2}]
    with flight.FlightClient(gateway.address.replace("grpc://", "grpc+tcp://")) as client, pytest.raises(REFUSED):
        client.get_flight_info(command(statement("SELECT 1")), flight_options({"x-long": "a" * 200_000}))


def test_sql_nested_ten_thousand_deep_is_an_error(client: flight.FlightClient) -> None:
    for sql in ("SELECT " + "(" * 10_000 + "1" + ")" * 10_000, "SELECT " + "- " * 10_000 + "1"):
        try:
            info = client.get_flight_info(command(statement(sql)), flight_options({}))
            client.do_get(info.endpoints[0].ticket, flight_options({})).read_all()
        except REFUSED:
            pass


def test_sql_of_any_characters_survives(client: flight.FlightClient) -> None:
    text = "&;?#%00\\/\t\r\n'' \"ü🎯\u202e"
    info = client.get_flight_info(command(statement(f"SELECT '{text}' AS text")))
    [row] = client.do_get(info.endpoints[0].ticket).read_all().to_pylist()
    assert row["text"] == text.replace("''", "'")


def test_bytes_that_are_no_http2_end_their_connection_alone(gateway: Gateway) -> None:
    for rubbish in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 5000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 5000):
        with socket.create_connection(("127.0.0.1", gateway.port), 20) as raw:
            raw.sendall(rubbish)
            raw.settimeout(20)
            try:
                while raw.recv(4096):
                    pass
            except OSError:
                pass


def test_a_hundred_connections_that_say_nothing_keep_nobody_out(gateway: Gateway) -> None:
    idle = [socket.create_connection(("127.0.0.1", gateway.port), 20) for _ in range(100)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: read_adbc(gateway.address, f"SELECT {n} AS n", {}).to_pylist(), range(16)))
    assert found == [[{"n": n}] for n in range(16)]
    for raw in idle:
        raw.close()
