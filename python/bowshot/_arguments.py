"""What a user names a database and a query with, in pandas' order or in ConnectorX'."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ._bowshot import is_connection_string, is_uri, shown_address
from .exceptions import ConfigError, UnsupportedError

if TYPE_CHECKING:
    import sqlalchemy

    Connection: TypeAlias = str | os.PathLike[str] | sqlalchemy.Engine | sqlalchemy.Connection | sqlalchemy.URL
    """What names a database: a URI, the path of an SQLite file, or a SQLAlchemy engine, connection or URL."""
    Sql: TypeAlias = str | Sequence[str]
    """A query; the name of a table; or queries that are the partitions of one result."""


class Target(NamedTuple):
    """What to read, and where."""

    uri: str
    """The database's URI or path."""
    queries: list[str]
    """One query, or several that are the partitions of one result."""
    columns: list[str] | None
    """Which columns to read, all where there are none, if the only text is the name of a table; `None`: it is SQL."""

    def __repr__(self) -> str:
        """Without what is secret in the address; debuggers and tracebacks show it."""
        return f"Target(uri={shown_address(self.uri)!r}, queries={self.queries!r}, columns={self.columns!r})"


def target(sql: Any, con: Any, columns: Sequence[str] | None = None) -> Target:
    """The database and the queries, whichever came first. Whether a text is SQL or a table is the database's to say.

    >>> target("SELECT 1", "shop.db") == target("shop.db", "SELECT 1")
    True
    >>> target("orders", "shop.db", columns=["id"])
    Target(uri='shop.db', queries=['orders'], columns=['id'])
    """
    if _names_database(sql) and not _names_database(con):
        sql, con = con, sql
    if isinstance(sql, str) and is_connection_string(sql):
        # As a query it would be sent to the other one, and kept in its logs.
        raise ConfigError("both arguments are addresses of databases; give a query and one address")
    queries = _queries(sql)
    return Target(_uri(con), queries, list(columns or ()) if isinstance(sql, str) else None)


def _names_database(value: Any) -> bool:
    if isinstance(value, str):
        return is_uri(value)
    return isinstance(value, os.PathLike) or _sqlalchemy_url(value) is not None


def _uri(con: Any) -> str:
    if isinstance(con, str):
        return con
    if isinstance(con, os.PathLike):
        path = os.fspath(con)
        return os.fsdecode(path) if os.path.isabs(path) else os.path.join(".", os.fsdecode(path))  # noqa: PTH117, PTH118
    url = _sqlalchemy_url(con)
    if url is not None:
        return url
    if isinstance(con, Mapping):
        raise UnsupportedError("several databases in one query are not supported; read each one by itself")
    if con is None:
        raise TypeError("con is missing: a URI, the path of an SQLite file, or a SQLAlchemy engine or URL")
    hint = ""
    module = type(con).__module__.partition(".")[0]
    if module == "sqlite3":
        hint = '; give the path of its file, as in read_sql("SELECT …", "shop.db")'
    elif module.startswith("psycopg"):
        hint = "; give its URI, as in postgresql://user@host/database"
    raise TypeError(
        f"con must be a URI, a path, or a SQLAlchemy engine or URL, not {module}.{type(con).__name__}: Bowshot opens"
        f" connections of its own{hint}"
    )


def _sqlalchemy_url(con: Any) -> str | None:
    """The URL of a SQLAlchemy object with its password; `None` for anything else. Never imports SQLAlchemy."""
    sqlalchemy = sys.modules.get("sqlalchemy")
    if sqlalchemy is None:
        return None
    if isinstance(con, sqlalchemy.Connection):
        con = con.engine
    if isinstance(con, sqlalchemy.Engine):
        con = con.url
    if not isinstance(con, sqlalchemy.URL):
        return None
    if con.get_backend_name() == "sqlite" and con.database in (None, "", ":memory:"):
        raise UnsupportedError(
            "an SQLite database in memory belongs to the connection that made it, and Bowshot opens its own; save it to"
            " a file (VACUUM INTO 'copy.db') and read that"
        )
    return str(con.render_as_string(hide_password=False))


def _queries(sql: Any) -> list[str]:
    if sql is None:
        raise TypeError("sql is missing: a query, the name of a table, or a list of queries")
    if isinstance(sql, str):
        return [sql]
    # SQLAlchemy's text() and select() know their own text.
    if type(sql).__module__.partition(".")[0] == "sqlalchemy":
        return [str(sql)]
    if isinstance(sql, Sequence) and sql and all(isinstance(query, str) for query in sql):
        return list(sql)
    if isinstance(sql, Sequence) and not sql:
        raise ConfigError("the list of queries is empty; give at least one")
    raise TypeError(f"sql must be a str or a list of str, not {type(sql).__name__}")
