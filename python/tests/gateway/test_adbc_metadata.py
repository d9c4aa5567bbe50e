"""What ADBC tells of the sources: get_objects at every depth, a table's columns, what the server can do."""

from __future__ import annotations

from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import pyarrow as pa
import pytest
from tests.gateway.serving import Gateway

COLUMNS = {
    "id": "bigint",
    "customer": "integer",
    "price": "numeric",
    "weight": "double precision",
    "day": "date",
    "placed": "timestamp without time zone",
    "note": "text",
    "photo": "bytea",
}


def objects(connection: Any, **filters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = connection.adbc_get_objects(**filters).read_all().to_pylist()
    return found


def tables_of(catalogs: list[dict[str, Any]], schema: str) -> dict[str, dict[str, Any]]:
    schemas = {entry["db_schema_name"]: entry for catalog in catalogs for entry in catalog["catalog_db_schemas"]}
    return {table["table_name"]: table for table in schemas[schema]["db_schema_tables"]}


def test_the_sources_are_the_catalogs(several: Gateway) -> None:
    with flight_sql.connect(several.address, autocommit=True) as connection:
        found = objects(connection, depth="catalogs")
        assert [catalog["catalog_name"] for catalog in found] == ["bowshot", "mariadb", "postgres", "sqlite"]
        assert all(catalog["catalog_db_schemas"] is None for catalog in found)
        some = objects(connection, depth="catalogs", catalog_filter="%s%")
        assert [catalog["catalog_name"] for catalog in some] == ["bowshot", "postgres", "sqlite"]


def test_schemas_are_the_databases_own(connection: Any) -> None:
    [own, catalog] = objects(connection, depth="db_schemas")
    assert [schema["db_schema_name"] for schema in own["catalog_db_schemas"]] == ["bowshot"]
    names = [schema["db_schema_name"] for schema in catalog["catalog_db_schemas"]]
    assert {"store", "pg_catalog", "information_schema"} <= set(names)
    [_, catalog] = objects(connection, depth="db_schemas", db_schema_filter="st_re")
    assert [schema["db_schema_name"] for schema in catalog["catalog_db_schemas"]] == ["store"]


def test_the_gateways_own_table_is_listed_as_it_is_read(connection: Any) -> None:
    tables = tables_of(objects(connection, depth="all", catalog_filter="bowshot"), "bowshot")
    listed = [column["column_name"] for column in tables["queries"]["table_columns"]]
    with connection.cursor() as cursor:
        for name in ("bowshot.queries", '"bowshot"."bowshot"."queries"'):
            cursor.execute(f"SELECT * FROM {name}")
            assert cursor.fetch_arrow_table().column_names == listed


def test_tables_have_their_kinds(connection: Any) -> None:
    tables = tables_of(objects(connection, depth="tables", db_schema_filter="store"), "store")
    kinds = {name: table["table_type"] for name, table in tables.items()}
    assert kinds == {"customers": "TABLE", "orders": "TABLE", "cheap": "VIEW"}
    views = tables_of(
        objects(connection, depth="tables", db_schema_filter="store", table_types_filter=["VIEW"]), "store"
    )
    assert list(views) == ["cheap"]
    assert {"TABLE", "VIEW"} <= set(connection.adbc_get_table_types())


def test_columns_have_the_databases_types(connection: Any) -> None:
    tables = tables_of(objects(connection, depth="all", db_schema_filter="store", table_name_filter="orders"), "store")
    assert list(tables) == ["orders"]
    columns = tables["orders"]["table_columns"]
    assert {column["column_name"]: column["xdbc_type_name"] for column in columns} == COLUMNS
    assert [column["ordinal_position"] for column in columns] == list(range(1, 9))
    some = tables_of(
        objects(
            connection, depth="columns", db_schema_filter="store", table_name_filter="orders", column_name_filter="p%"
        ),
        "store",
    )
    assert [column["column_name"] for column in some["orders"]["table_columns"]] == ["price", "placed", "photo"]


def test_the_schema_of_a_table_is_that_of_its_rows(connection: Any, cursor: Any) -> None:
    schema = connection.adbc_get_table_schema("orders", db_schema_filter="store")
    cursor.execute("SELECT * FROM store.orders WHERE false")
    assert cursor.fetch_arrow_table().schema.names == schema.names
    assert schema.types == cursor.adbc_execute_schema("SELECT * FROM store.orders").types
    assert schema.field("price").type == pa.decimal128(12, 2)
    assert not schema.field("id").nullable
    assert schema.field("price").metadata[b"ARROW:FLIGHT:SQL:TYPE_NAME"] == b"numeric"


def test_a_table_that_is_not_there_is_not_found(connection: Any) -> None:
    with pytest.raises(flight_sql.ProgrammingError, match="NOT_FOUND"):
        connection.adbc_get_table_schema("nobody")


def test_the_server_says_who_it_is(gateway: Gateway, connection: Any) -> None:
    info = connection.adbc_get_info()
    assert info["vendor_name"] == "Bowshot"
    assert info["driver_name"].startswith("ADBC Flight SQL Driver")
    # Nothing is written, so that nothing is committed: the driver warns where it is asked for transactions.
    with pytest.warns(match="Cannot disable autocommit"):
        flight_sql.connect(gateway.address).close()
