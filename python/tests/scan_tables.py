"""A table of every type in each database, with NULL, extremes and odd text, for the tests of `scan_sql`."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
import pymysql

# Each type with values as its database writes them; NULL is added to all.
POSTGRES: dict[str, list[str]] = {
    "int2": ["-32768", "-1", "0", "1", "32767"],
    "int4": ["-2147483648", "-1", "0", "1", "2147483647"],
    "int8": ["-9223372036854775808", "-1", "0", "9007199254740993", "9223372036854775807"],
    "float4": ["-0", "0.1", "1.5", "'NaN'", "'Infinity'", "'-Infinity'", "16777217", "1e-38", "3.4e38"],
    "float8": ["-0", "0.1", "1.5", "'NaN'", "'Infinity'", "'-Infinity'", "9007199254740993", "5e-324", "1e308"],
    "numeric(10, 2)": ["-99999999.99", "-0.01", "0", "0.10", "1.50", "99999999.99"],
    "numeric(38, 10)": ["-1e-10", "0", "9999999999999999999999999999.9999999999"],
    "bool": ["true", "false"],
    "text": ["''", "'a'", "'A'", "'a '", "'ä'", "'it''s'", "E'back\\\\slash'", "'100%'", "'𝄞'", "E'line\\nend'"],
    "varchar(9)": ["''", "'a'", "'A'", "'a '", "'ß'"],
    "char(3)": ["''", "'a'", "'A'", "'abc'"],
    "date": ["'0001-01-01'", "'1582-10-10'", "'1970-01-01'", "'2024-02-29'", "'9999-12-31'", "'20000-01-01'"],
    "timestamp": ["'0001-01-01'", "'1970-01-01 00:00:00.000001'", "'2024-02-29 12:30'", "'9999-12-31 23:59:59.999999'"],
    "timestamptz": ["'1970-01-01 00:00:00.000001+00'", "'2024-02-29 12:30+05:30'", "'9999-12-31 23:59+00'"],
    "time": ["'00:00'", "'12:30:00.000001'", "'23:59:59.999999'"],
    "bytea": ["''", "'\\x00ff'", "'a'"],
    "uuid": ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
    "json": ["'1'", "'{\"a\": 1}'"],
    "jsonb": ["'1'", "'{\"a\": 1}'"],
    "inet": ["'127.0.0.1'", "'10.0.0.0/8'"],
    "feeling": ["'sad'", "'ok'", "'happy'"],
    "money": ["1", "-2.5"],
    "int4[]": ["'{}'", "'{1,NULL}'"],
}

MARIADB: dict[str, list[str]] = {
    "TINYINT": ["-128", "0", "127"],
    "SMALLINT UNSIGNED": ["0", "1", "65535"],
    "MEDIUMINT": ["-8388608", "0", "8388607"],
    "INT": ["-2147483648", "-1", "0", "2147483647"],
    "INT UNSIGNED": ["0", "1", "4294967295"],
    "BIGINT": ["-9223372036854775808", "0", "9007199254740993", "9223372036854775807"],
    "BIGINT UNSIGNED": ["0", "9223372036854775808", "18446744073709551615"],
    "YEAR": ["0", "1970", "2005", "2155"],
    "BIT(9)": ["0", "1", "511"],
    "FLOAT": ["0", "0.1", "16777217", "1.5"],
    "DOUBLE": ["-0e0", "0.1", "1.5", "9007199254740993", "1e308"],
    "DECIMAL(10, 2)": ["-99999999.99", "-0.01", "0", "1.5", "99999999.99"],
    "VARCHAR(9)": ["''", "'a'", "'A'", "'a '", "'ä'", "'it''s'", "'back\\\\'", "'100%'", "'𝄞'", "'ß'", "'ss'"],
    "VARCHAR(5) COLLATE utf8mb4_bin": ["''", "'a'", "'A'", "'a '", "'ä'"],
    "CHAR(3)": ["''", "'a'", "'A'", "'abc'"],
    "TEXT": ["''", "'a'", "'A'", "'a '"],
    "DATE": ["'1000-01-01'", "'1970-01-01'", "'2024-02-29'", "'9999-12-31'"],
    "DATETIME(6)": ["'1000-01-01'", "'1970-01-01 00:00:00.000001'", "'9999-12-31 23:59:59.999999'"],
    "TIMESTAMP(6) NULL": ["'1970-01-02 00:00:00.000001'", "'2024-02-29 12:30'"],
    "TIME(6)": ["'-838:59:59'", "'00:00'", "'12:30:00.000001'"],
    "BLOB": ["''", "'a'", "x'00ff'"],
    "ENUM('x', 'y')": ["'x'", "'y'"],
    "JSON": ["'1'", "'{\"a\": 1}'"],
}

SQLITE: dict[str, list[str]] = {
    "INTEGER": ["-9223372036854775808", "-1", "0", "1", "'5'", "7.0", "9223372036854775807"],
    "BIGINT": ["-1", "0", "1", "'12'"],
    "REAL": ["0", "0.1", "1.5", "'2.5'", "9007199254740992", "1e308", "9e999"],
    "DECIMAL(10, 2)": ["0", "0.1", "1.5", "'2.5'", "-7"],
    "TEXT": ["''", "'a'", "'A'", "'a '", "5", "1.5", "'it''s'", "'100%'", "'back\\'", "'ä'"],
    "VARCHAR(3) COLLATE NOCASE": ["''", "'a'", "'A'", "'a '"],
    "TEXT COLLATE RTRIM": ["'a'", "'a  '"],
    "DATE": ["'2024-02-29'", "20240229", "'x'"],
    "BOOLEAN": ["0", "1"],
    "BLOB": ["x''", "x'00ff'"],
    "": ["1", "'1'", "1.5", "'a'"],
}

ODD_NAMES = {"int2": 'odd "name"', "INT": "odd `name`", "BIGINT": "odd \"name'"}


def names(types: dict[str, list[str]]) -> dict[str, str]:
    """The column of each type: `c0`, `c1`, …, some with odd names."""
    return {kind: ODD_NAMES.get(kind, f"c{number}") for number, kind in enumerate(types)}


def statements(types: dict[str, list[str]], quote: str) -> list[str]:
    """What makes the table `every_type`: a row a value, and each type's values again in another order."""

    def quoted(name: str) -> str:
        return quote + name.replace(quote, quote * 2) + quote

    columns = names(types)
    declared = ", ".join(f"{quoted(columns[kind])} {kind}" for kind in types)
    longest = max(map(len, types.values())) + 1
    every = [[*values, "NULL"] for values in types.values()]
    # The values of every other column take steps of two, so that different ones meet.
    rows = [
        [str(row), *(values[row * (1 + index % 2) % len(values)] for index, values in enumerate(every))]
        for row in range(2 * longest)
    ]
    values = ", ".join(f"({', '.join(row)})" for row in rows)
    return [f"CREATE TABLE every_type (id INTEGER PRIMARY KEY, {declared})", f"INSERT INTO every_type VALUES {values}"]


def fill_postgres(uri: str) -> str:
    """The table in PostgreSQL."""
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("CREATE TYPE feeling AS ENUM ('sad', 'ok', 'happy')")
        for statement in statements(POSTGRES, '"'):
            connection.execute(statement.encode())
    return uri


def fill_mariadb(uri: str) -> str:
    """The table in MariaDB."""
    parts = urlsplit(uri)
    connection = pymysql.connect(
        host=parts.hostname,
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=parts.path.lstrip("/"),
        charset="utf8mb4",
        init_command="SET time_zone = '+00:00'",
        autocommit=True,
    )
    with connection, connection.cursor() as cursor:
        for statement in statements(MARIADB, "`"):
            cursor.execute(statement)
    return uri


def fill_sqlite(path: Path) -> str:
    """The table in SQLite."""
    with sqlite3.connect(path) as connection:
        for statement in statements(SQLITE, '"'):
            connection.execute(statement)
    connection.close()
    return str(path)
