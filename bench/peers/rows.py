"""Drivers of row protocols under `pandas.read_sql`, which walks all rows that they fetch."""

from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pandas
import psycopg2 as psycopg2_driver
import pymysql as pymysql_driver
import pyodbc as pyodbc_driver  # type: ignore[import-not-found]  # in the benchmark's environment only
import sqlalchemy as _sqlalchemy  # noqa: F401  (pandas looks for it inside its call)


def pymysql(source: str, sql: str) -> Any:
    """Loads a query of a `mysql://` address with PyMySQL."""
    uri = urlsplit(source)
    login: dict[str, Any] = {"host": uri.hostname, "port": uri.port, "user": uri.username, "password": uri.password}
    with closing(pymysql_driver.connect(database=uri.path[1:], **login)) as connection:
        return pandas.read_sql(sql, connection)


def psycopg2(source: str, sql: str) -> Any:
    """Loads a query of a `postgresql://` address with psycopg2."""
    with closing(psycopg2_driver.connect(source)) as connection:
        return pandas.read_sql(sql, connection)


def pyodbc(source: str, sql: str) -> Any:
    """Loads a query of a `postgresql://` address with pyodbc and PostgreSQL's ODBC driver, as it comes."""
    uri = urlsplit(source)
    login = f"Server={uri.hostname};Port={uri.port};Database={uri.path[1:]};UID={uri.username};PWD={uri.password}"
    with closing(pyodbc_driver.connect(f"Driver={{PostgreSQL Unicode}};{login}")) as connection:
        return pandas.read_sql(sql, connection)
