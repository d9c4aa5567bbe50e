"""pyarrow.flight: messages packed by hand, metadata, actions, files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.parquet as pq
import pytest
from tests.gateway.clients import flight_options
from tests.gateway.messages import field, fields, packed, statement, unpacked
from tests.gateway.serving import Gateway


@pytest.fixture
def client(gateway: Gateway) -> Iterator[flight.FlightClient]:
    with flight.FlightClient(gateway.address.replace("grpc://", "grpc+tcp://")) as client:
        yield client


def descriptor(command: bytes) -> flight.FlightDescriptor:
    return flight.FlightDescriptor.for_command(command)


def answer(client: flight.FlightClient, command: bytes) -> pa.Table:
    """What a command about metadata answers, with the columns that were announced."""
    info = client.get_flight_info(descriptor(command))
    [endpoint] = info.endpoints
    table = client.do_get(endpoint.ticket).read_all()
    assert table.schema.equals(info.schema)
    assert client.get_schema(descriptor(command)).schema.equals(info.schema)
    return table


def test_a_token_of_a_login_lets_in(client: flight.FlightClient) -> None:
    name, value = client.authenticate_basic_token("anybody", "anything")
    assert name == b"authorization"
    assert value.startswith(b"Bearer ")
    options = flight.FlightCallOptions(headers=[(name, value)])
    info = client.get_flight_info(descriptor(statement("SELECT 1 AS one")), options)
    assert client.do_get(info.endpoints[0].ticket, options).read_all().to_pylist() == [{"one": 1}]


def test_a_result_goes_to_a_parquet_file(client: flight.FlightClient, tmp_path: Path) -> None:
    info = client.get_flight_info(
        descriptor(statement("SELECT * FROM orders")), flight_options({"bowshot-endpoints": "1"})
    )
    path = tmp_path / "orders.parquet"
    with pq.ParquetWriter(path, info.schema) as writer:
        for chunk in client.do_get(info.endpoints[0].ticket):
            writer.write_batch(chunk.data)
    table = pq.read_table(path)
    assert table.num_rows == 60_000
    assert table.schema.equals(info.schema)
    assert sorted(table.column("id").to_pylist()) == list(range(1, 60_001))


def test_the_schema_is_told_without_a_read(client: flight.FlightClient) -> None:
    schema = client.get_schema(descriptor(statement("SELECT * FROM orders"))).schema
    info = client.get_flight_info(descriptor(statement("SELECT * FROM orders")))
    assert schema.equals(info.schema, check_metadata=True)


def test_metadata_have_their_rows(client: flight.FlightClient) -> None:
    assert answer(client, packed("CommandGetCatalogs")).to_pylist() == [
        {"catalog_name": "bowshot"},
        {"catalog_name": "shop"},
    ]
    schemas = answer(client, packed("CommandGetDbSchemas", field(2, "sto%"))).to_pylist()
    assert schemas == [{"catalog_name": "shop", "db_schema_name": "store"}]
    tables = answer(client, packed("CommandGetTables", field(2, "store"), field(5, 1)))
    assert tables.column("table_name").to_pylist() == ["cheap", "customers", "orders"]
    read = [pa.ipc.read_schema(pa.py_buffer(schema)) for schema in tables.column("table_schema").to_pylist()]
    assert read[1].names == ["id", "name"]
    assert "TABLE" in answer(client, packed("CommandGetTableTypes")).column("table_type").to_pylist()


def test_keys_are_told(client: flight.FlightClient) -> None:
    def keys(name: str, *numbered: bytes) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = answer(client, packed(name, *numbered)).to_pylist()
        return found

    schema = field(2, "store")
    [key] = keys("CommandGetPrimaryKeys", schema, field(3, "orders"))
    assert (key["table_name"], key["column_name"], key["key_sequence"]) == ("orders", "id", 1)
    [imported] = keys("CommandGetImportedKeys", schema, field(3, "orders"))
    assert (imported["pk_table_name"], imported["pk_column_name"]) == ("customers", "id")
    assert (imported["fk_table_name"], imported["fk_column_name"]) == ("orders", "customer")
    assert keys("CommandGetExportedKeys", schema, field(3, "customers")) == [imported]
    both = [field(2, "store"), field(3, "customers"), field(5, "store"), field(6, "orders")]
    assert keys("CommandGetCrossReference", *both) == [imported]
    assert keys("CommandGetImportedKeys", schema, field(3, "customers")) == []


def test_the_server_tells_what_it_can(client: flight.FlightClient) -> None:
    info = {row["info_name"]: row["value"] for row in answer(client, packed("CommandGetSqlInfo")).to_pylist()}
    assert info[0] == "Bowshot"
    assert info[3] is True, "read-only"
    # A code that the JDBC driver does not know would end it.
    assert max(info) < 600
    some = answer(client, packed("CommandGetSqlInfo", field(1, 0)))
    assert some.column("info_name").to_pylist() == [0]
    types = answer(client, packed("CommandGetXdbcTypeInfo"))
    assert {"type_name", "data_type"} <= set(types.schema.names)
    assert types.num_rows > 5


def test_a_statement_is_prepared_and_closed(client: flight.FlightClient) -> None:
    create = packed("ActionCreatePreparedStatementRequest", field(1, "SELECT id FROM orders WHERE id = $1"))
    [result] = client.do_action(flight.Action("CreatePreparedStatement", create))
    made = unpacked(result.body.to_pybytes())
    assert pa.ipc.read_schema(pa.py_buffer(made[2])).names == ["id"]
    assert len(pa.ipc.read_schema(pa.py_buffer(made[3]))) == 1
    query = packed("CommandPreparedStatementQuery", field(1, made[1]))
    parameters = pa.record_batch({"1": [42]})
    writer, reader = client.do_put(descriptor(query), parameters.schema)
    writer.write_batch(parameters)
    writer.done_writing()
    answered = dict(fields(reader.read().to_pybytes()))
    writer.close()
    query = packed("CommandPreparedStatementQuery", field(1, answered.get(1, made[1])))
    info = client.get_flight_info(descriptor(query))
    assert client.do_get(info.endpoints[0].ticket).read_all().to_pylist() == [{"id": 42}]
    close = packed("ActionClosePreparedStatementRequest", field(1, made[1]))
    assert list(client.do_action(flight.Action("ClosePreparedStatement", close))) == []
    with pytest.raises(pa.ArrowKeyError, match="prepare it again"):
        client.get_flight_info(descriptor(query))


def test_a_result_is_renewed_and_cancelled(client: flight.FlightClient) -> None:
    info = client.get_flight_info(descriptor(statement("SELECT * FROM orders")))
    renewed = client.do_action(flight.Action("RenewFlightEndpoint", field(1, info.endpoints[0].serialize())))
    endpoint = flight.FlightEndpoint.deserialize(next(iter(renewed)).body.to_pybytes())
    assert endpoint.expiration_time.value >= info.endpoints[0].expiration_time.value
    cancelled = client.do_action(flight.Action("CancelFlightInfo", field(1, info.serialize())))
    assert [result.body.to_pybytes() for result in cancelled] == [field(1, 1)]
    with pytest.raises(pa.ArrowKeyError, match="no such result"):
        client.do_get(endpoint.ticket).read_all()


def test_the_actions_that_are_listed_are_the_ones_that_work(client: flight.FlightClient) -> None:
    names = {action.type for action in client.list_actions()}
    assert {"CreatePreparedStatement", "ClosePreparedStatement", "CancelFlightInfo", "RenewFlightEndpoint"} <= names
    assert "CloseSession" in names
    with pytest.raises(NotImplementedError):
        list(client.do_action(flight.Action("Nonsense", b"")))


def test_columns_say_their_types_and_tables(client: flight.FlightClient) -> None:
    info = client.get_flight_info(descriptor(statement("SELECT price, count(*) AS n FROM store.orders GROUP BY price")))
    price, count = (
        {
            key.removeprefix(b"ARROW:FLIGHT:SQL:").decode(): value.decode()
            for key, value in column.metadata.items()
            if key.startswith(b"ARROW:FLIGHT:SQL:")
        }
        for column in info.schema
    )
    assert price == {
        "CATALOG_NAME": "shop",
        "DB_SCHEMA_NAME": "store",
        "SCHEMA_NAME": "store",
        "TABLE_NAME": "orders",
        "TYPE_NAME": "numeric",
        "PRECISION": "12",
        "SCALE": "2",
        "IS_READ_ONLY": "1",
    }
    assert count == {"TYPE_NAME": "int8", "PRECISION": "19", "SCALE": "0", "IS_READ_ONLY": "1"}
    rows = client.do_get(info.endpoints[0].ticket).read_all()
    assert rows.schema.equals(info.schema, check_metadata=True)
