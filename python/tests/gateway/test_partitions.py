# ruff: noqa: PT012, SIM117 - whichever step says no, and blocks that say who closes what
"""One result in several endpoints: read side by side, on other connections, from another process, each once."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import pyarrow as pa
import pyarrow.flight as flight
import pytest
from tests.gateway.clients import CLIENTS, HEADER, flight_options, read_adbc
from tests.gateway.databases import Databases, driver_rows
from tests.gateway.messages import statement
from tests.gateway.serving import Gateway

SQL = "SELECT * FROM orders"
OTHER_PROCESS = """
import sys
import adbc_driver_flightsql.dbapi as flight_sql
with flight_sql.connect(sys.argv[1], autocommit=True) as connection, connection.cursor() as cursor:
    cursor.adbc_read_partition(bytes.fromhex(sys.stdin.read()))
    print(sorted(row[0] for row in cursor.fetchall()))
"""


def normal(table: pa.Table) -> pa.Table:
    """The rows in one order, to be compared as multisets."""
    return table.sort_by([(name, "ascending") for name in table.schema.names]).combine_chunks()


@pytest.fixture(scope="module")
def direct(several: Gateway, databases: Databases) -> dict[str, pa.Table]:
    """The rows of each database in one endpoint, which its own driver has as well."""
    found = {}
    for name, uri in databases.named().items():
        table = read_adbc(
            several.address, SQL, {"catalog": name, "bowshot-endpoints": "1", "bowshot-compression": "none"}
        )
        rows = [
            tuple(map(comparable, row)) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)
        ]
        theirs = [tuple(map(comparable, row)) for row in driver_rows(name, uri, SQL)]
        assert sorted(rows, key=repr) == sorted(theirs, key=repr)
        found[name] = normal(table)
    return found


def comparable(value: Any) -> Any:
    """What a value is called where the driver has another Python type for it: SQLite's has no dates and no decimals."""
    if isinstance(value, (int, float, bytes, type(None))) and not isinstance(value, bool):
        return float(value) if isinstance(value, float) else value
    return str(value)


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd", "auto"])
@pytest.mark.parametrize("endpoints", [1, 2, 4, 8])
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("database", ["postgres", "mariadb", "sqlite"])
def test_any_number_of_endpoints_and_any_codec_are_the_same_rows(
    several: Gateway, direct: dict[str, pa.Table], database: str, client: str, endpoints: int, compression: str
) -> None:
    headers = {"catalog": database, "bowshot-endpoints": str(endpoints), "bowshot-compression": compression}
    table = CLIENTS[client](several.address, SQL, headers)
    assert table.schema.equals(direct[database].schema)
    assert normal(table).equals(direct[database])


def test_the_database_is_split_as_often_as_is_asked(several: Gateway) -> None:
    for database, least in (("postgres", 2), ("mariadb", 2), ("sqlite", 2)):
        for asked in (1, 2, 4):
            options = flight_options({"catalog": database, "bowshot-endpoints": str(asked)})
            with flight.FlightClient(several.address.replace("grpc://", "grpc+tcp://")) as client:
                info = client.get_flight_info(flight.FlightDescriptor.for_command(statement(SQL)), options)
                assert min(asked, least) <= len(info.endpoints) <= asked, database


def test_who_takes_one_endpoint_after_the_other_gets_one_unless_asked(several: Gateway) -> None:
    for asked, count in (({}, 1), ({"bowshot-endpoints": "2"}, 2)):
        options = {HEADER + name: value for name, value in {"catalog": "postgres", **asked}.items()}
        with (
            flight_sql.connect(several.address, db_kwargs=options, autocommit=True) as connection,
            connection.cursor() as cursor,
        ):
            assert len(cursor.adbc_execute_partitions(SQL)[0]) == count
    by_one = read_adbc(several.address, SQL, {"catalog": "postgres", "bowshot-endpoints": "1"})
    by_all = read_adbc(several.address, SQL, {"catalog": "postgres"})
    assert by_all.combine_chunks().equals(by_one.combine_chunks()), "other rows, or another order"


def test_a_result_with_an_order_is_one_endpoint(gateway: Gateway) -> None:
    options = flight_options({"bowshot-endpoints": "4"})
    with flight.FlightClient(gateway.address.replace("grpc://", "grpc+tcp://")) as client:
        command = statement("SELECT id FROM orders ORDER BY weight")
        assert len(client.get_flight_info(flight.FlightDescriptor.for_command(command), options).endpoints) == 1


def test_another_process_reads_the_partitions(gateway: Gateway) -> None:
    options = {HEADER + "bowshot-endpoints": "3"}
    with (
        flight_sql.connect(gateway.address, db_kwargs=options, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        partitions, schema = cursor.adbc_execute_partitions("SELECT id FROM orders")
        assert len(partitions) == 3
        assert schema.names == ["id"]
        found: list[int] = []
        for partition in partitions:
            run = [sys.executable, "-c", OTHER_PROCESS, gateway.address]
            done = subprocess.run(run, input=partition.hex(), capture_output=True, text=True, timeout=120, check=True)
            # A part may be empty: where the query was executed once, whoever reads first gets what there is.
            found += json.loads(done.stdout)
    assert sorted(found) == list(range(1, 60_001))


def test_a_partition_is_read_once(cursor: Any) -> None:
    [partition, *_], _ = cursor.adbc_execute_partitions("SELECT id FROM orders")
    cursor.adbc_read_partition(partition)
    assert cursor.fetch_arrow_table().num_rows > 0
    with pytest.raises(flight_sql.Error, match=r"read already|no such result"):
        cursor.adbc_read_partition(partition)
        cursor.fetch_arrow_table()


def test_a_number_of_endpoints_that_is_none_is_refused(gateway: Gateway) -> None:
    for wrong in ("0", "-1", "many"):
        options = {HEADER + "bowshot-endpoints": wrong}
        with flight_sql.connect(gateway.address, db_kwargs=options, autocommit=True) as connection:
            with connection.cursor() as cursor, pytest.raises(flight_sql.ProgrammingError, match="bowshot-endpoints"):
                cursor.execute("SELECT 1")
    options = {HEADER + "bowshot-compression": "gzip"}
    with flight_sql.connect(gateway.address, db_kwargs=options, autocommit=True) as connection:
        with connection.cursor() as cursor, pytest.raises(flight_sql.Error, match="bowshot-compression"):
            cursor.execute("SELECT 1")
            cursor.fetchall()
