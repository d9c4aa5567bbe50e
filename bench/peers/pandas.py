"""pandas.read_sql with the drivers that pandas' own documentation names."""

import sqlite3
from contextlib import closing
from typing import Any

import pandas
import psycopg2 as _psycopg2  # noqa: F401  (SQLAlchemy imports it when the engine is made)
import sqlalchemy


def psycopg2(source: str, sql: str) -> Any:
    """Loads a query through SQLAlchemy and psycopg2."""
    engine = sqlalchemy.create_engine(source.replace("postgresql://", "postgresql+psycopg2://"))
    with engine.connect() as connection:
        return pandas.read_sql(sqlalchemy.text(sql), connection)


def mysqlclient(source: str, sql: str) -> Any:
    """Loads a query through SQLAlchemy and mysqlclient."""
    engine = sqlalchemy.create_engine(source.replace("mysql://", "mysql+mysqldb://"))
    with engine.connect() as connection:
        return pandas.read_sql(sqlalchemy.text(sql), connection)


def stdlib_sqlite3(source: str, sql: str) -> Any:
    """Loads a query through Python's sqlite3."""
    with closing(sqlite3.connect(source)) as connection:
        return pandas.read_sql(sql, connection)
