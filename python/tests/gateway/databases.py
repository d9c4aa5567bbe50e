"""The databases behind the gateway, filled, and what their own drivers read from them."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
import pymysql

# How many orders there are: enough that PostgreSQL and MariaDB are read in several partitions.
ORDERS = 60_000


@dataclass
class Databases:
    """Their URIs."""

    postgres: str
    mariadb: str
    sqlite: str

    def named(self) -> dict[str, str]:
        """Under the names that the gateway serves them by."""
        return {"postgres": self.postgres, "mariadb": self.mariadb, "sqlite": self.sqlite}


def fill_postgres(uri: str) -> str:
    """Makes a schema of its own with orders, and with what metadata tell of keys, views and comments.

    Its pages are a tenth full, so that PostgreSQL has enough of them to be read in ranges.
    """
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(
            "CREATE SCHEMA store; SET search_path = store;"
            "CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, UNIQUE (name));"
            "CREATE TABLE orders (id bigint PRIMARY KEY, customer int REFERENCES customers, price numeric(12, 2),"
            " weight float8, day date, placed timestamp(6), note text, photo bytea) WITH (fillfactor = 10);"
            "COMMENT ON COLUMN orders.price IS 'with tax';"
            "CREATE VIEW cheap AS SELECT id, price FROM orders WHERE price < 10;"
            "INSERT INTO customers SELECT n, 'customer ' || n FROM generate_series(1, 100) n;"
            "INSERT INTO orders SELECT n, n % 100 + 1, CASE WHEN n % 7 > 0 THEN n * 0.37 END,"
            " CASE WHEN n % 5 > 0 THEN n / 7::float8 END, CASE WHEN n % 11 > 0 THEN date '2020-01-01' + n % 2000 END,"
            " CASE WHEN n % 13 > 0 THEN timestamp '2020-01-01 00:00:00.000001' + n * interval '1 minute' END,"
            " CASE WHEN n % 3 > 0 THEN repeat('nöte 🎯 ' || n, n % 9) END,"
            f" CASE WHEN n % 4 > 0 THEN decode(lpad(to_hex(n), 8, '0'), 'hex') END FROM generate_series(1, {ORDERS}) n;"
            "ANALYZE"
        )
    return f"{uri}?options=-csearch_path%3Dstore,public"


def rows() -> list[tuple[Any, ...]]:
    """Orders for the databases that do not make them by themselves."""
    return [
        (
            n,
            n % 100 + 1,
            f"{n * 37 // 100}.{n * 37 % 100:02}" if n % 7 else None,
            n / 7 if n % 5 else None,
            f"{2020 + n % 5}-{n % 12 + 1:02}-{n % 28 + 1:02}" if n % 11 else None,
            f"{2020 + n % 5}-{n % 12 + 1:02}-{n % 28 + 1:02} {n % 24:02}:{n % 60:02}:00.000001" if n % 13 else None,
            f"nöte 🎯 {n}" * (n % 9) if n % 3 else None,
            n.to_bytes(4, "big") if n % 4 else None,
        )
        for n in range(1, ORDERS + 1)
    ]


def fill_mariadb(uri: str) -> str:
    """Makes a database of its own with orders."""
    with mariadb_connection(uri) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE store")
        cursor.execute("USE store")
        cursor.execute("CREATE TABLE customers (id int PRIMARY KEY, name varchar(50) NOT NULL)")
        cursor.executemany("INSERT INTO customers VALUES (%s, %s)", [(n, f"customer {n}") for n in range(1, 101)])
        cursor.execute(
            "CREATE TABLE orders (id bigint PRIMARY KEY, customer int, price decimal(12, 2), weight double, day date,"
            " placed datetime(6), note text CHARACTER SET utf8mb4, photo varbinary(8),"
            " FOREIGN KEY (customer) REFERENCES customers (id))"
        )
        cursor.executemany("INSERT INTO orders VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", rows())
        connection.commit()
        cursor.execute("ANALYZE TABLE orders")
    parts = urlsplit(uri)
    return parts._replace(path="/store").geturl()


def mariadb_connection(uri: str) -> Any:
    """PyMySQL's connection to a URI."""
    parts = urlsplit(uri)
    return pymysql.connect(
        host=parts.hostname,
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=parts.path.lstrip("/") or None,
        charset="utf8mb4",
        init_command="SET time_zone = '+00:00'",
    )


def fill_sqlite(uri: str) -> str:
    """Makes a file with orders."""
    with sqlite3.connect(uri.removeprefix("sqlite:///")) as connection:
        connection.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        connection.executemany("INSERT INTO customers VALUES (?, ?)", [(n, f"customer {n}") for n in range(1, 101)])
        connection.execute(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers (id),"
            " price DECIMAL(12, 2),"
            " weight REAL, day DATE, placed TIMESTAMP, note TEXT, photo BLOB)"
        )
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows())
    connection.close()
    return uri


def driver_rows(name: str, uri: str, sql: str) -> list[tuple[Any, ...]]:
    """What the database's own Python driver returns."""
    if name == "postgres":
        with psycopg.connect(uri) as connection:
            return [tuple(row) for row in connection.execute(sql)]
    if name == "mariadb":
        with mariadb_connection(uri) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return [tuple(row) for row in cursor.fetchall()]
    file = sqlite3.connect(uri.removeprefix("sqlite:///"))
    found = file.execute(sql).fetchall()
    file.close()
    return found
