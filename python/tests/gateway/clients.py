"""One query through each client that Python has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import adbc_driver_flightsql.dbapi as flight_sql
import bowshot
import pyarrow as pa
import pyarrow.flight as flight
from tests.gateway.messages import statement

HEADER = "adbc.flight.sql.rpc.call_header."
# address, SQL, call headers -> the result, and how many endpoints it came from
Read = Callable[[str, str, Mapping[str, str]], pa.Table]


def read_adbc(address: str, sql: str, headers: Mapping[str, str]) -> pa.Table:
    """With ADBC's driver, as a cursor does it."""
    options = {HEADER + name: value for name, value in headers.items()}
    with (
        flight_sql.connect(address, db_kwargs=options, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)
        return cursor.fetch_arrow_table()


def read_adbc_partitions(address: str, sql: str, headers: Mapping[str, str]) -> pa.Table:
    """With ADBC's driver, each partition on a connection of its own."""
    options = {HEADER + name: value for name, value in headers.items()}

    def read(partition: bytes) -> pa.Table:
        with (
            flight_sql.connect(address, db_kwargs=options, autocommit=True) as connection,
            connection.cursor() as cursor,
        ):
            cursor.adbc_read_partition(partition)
            return cursor.fetch_arrow_table()

    with (
        flight_sql.connect(address, db_kwargs=options, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        partitions, schema = cursor.adbc_execute_partitions(sql)
        with ThreadPoolExecutor(8) as pool:
            parts = list(pool.map(read, partitions))
    assert all(part.schema == schema for part in parts)
    return pa.concat_tables(parts)


def flight_options(headers: Mapping[str, str]) -> flight.FlightCallOptions:
    """Call options of pyarrow.flight; no call takes for ever."""
    return flight.FlightCallOptions(
        timeout=300, headers=[(name.encode(), value.encode()) for name, value in headers.items()]
    )


def read_pyarrow(address: str, sql: str, headers: Mapping[str, str]) -> pa.Table:
    """With pyarrow.flight, one endpoint after the other."""
    options = flight_options(headers)
    with flight.FlightClient(address.replace("grpc://", "grpc+tcp://")) as client:
        info = client.get_flight_info(flight.FlightDescriptor.for_command(statement(sql)), options)
        parts = [client.do_get(endpoint.ticket, options).read_all() for endpoint in info.endpoints]
    assert all(part.schema.equals(info.schema, check_metadata=True) for part in parts)
    return pa.concat_tables(parts)


def read_bowshot(address: str, sql: str, headers: Mapping[str, str]) -> pa.Table:
    """With Bowshot, all endpoints side by side."""
    options = "&".join(f"header.{name}={quote(value)}" for name, value in headers.items())
    return bowshot.query(sql, f"{address}/?{options}").to_arrow()


CLIENTS: dict[str, Read] = {
    "adbc": read_adbc,
    "adbc partitions": read_adbc_partitions,
    "pyarrow.flight": read_pyarrow,
    "bowshot": read_bowshot,
}
