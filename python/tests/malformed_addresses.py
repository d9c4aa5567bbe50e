"""Addresses with a marked password, most of them malformed, for every door that an address can come in by."""

from __future__ import annotations

MARK = "hunter2"
"""Part of every password; nothing that comes out may hold it, or what stands around it."""

_URIS = [
    *("postgresql", "mysql", "mariadb+pymysql", "mssql+pyodbc", "oracle", "clickhouse", "trino", "grpc", "redshift"),
    *("snowflake", "POSTGRESQL", "sqlite", "duckdb", "https", "s3"),
]
_RAW = ["#", "/", "?", "@", ":", "%", "%zz", "%ff", "[", "]", " ", "é", "&", "=", ";", "'", '"', "{", "\\", "|"]
_WHOLE = [
    "{uri}://ann:{secret}@127.0.0.1:1/shop",
    "{uri}://ann:{secret}@127.0.0.1:1",
    "{uri}://ann:12{secret}@127.0.0.1:1/shop",
]
_OTHERS = [
    "jdbc:postgresql://127.0.0.1:1/db?user=u&password={secret}",
    "jdbc:sqlserver://127.0.0.1:1;user=u;password={secret}",
    "Server=127.0.0.1;UID=u;PWD={secret}",
    "server = 127.0.0.1; user id = u; password = {secret}",
    "Driver={{Nope}};Server=127.0.0.1;PWD={secret}",
    "Data Source=127.0.0.1;Initial Catalog=x;Password={secret}",
    "DSN=shop;PWD={secret}",
    "AccountName=x;AccountKey={secret}",
    '"postgresql://u:{secret}@127.0.0.1:1/t"',
    "'mysql://u:{secret}@127.0.0.1:1/t'",
    "<mysql://u:{secret}@127.0.0.1:1/t>",
    "shop=postgresql://u:{secret}@127.0.0.1:1/t;x",
    "=postgresql://u:{secret}@127.0.0.1:1/t",
    "  postgresql://u:{secret}%ff@127.0.0.1:1/t  ",
    "postgresql:/u:{secret}@127.0.0.1/db",
    "postgresql:u:{secret}@127.0.0.1/db",
    "mysql:u:{secret}@127.0.0.1/t",
    "MySQL:u:{secret}@127.0.0.1/t",
    "u:{secret}@127.0.0.1/db",
    "u:{secret}@127.0.0.1",
    "//u:{secret}@127.0.0.1/db",
    "u/{secret}@127.0.0.1:1521/service",
    "mysql -h 127.0.0.1 -u u -p{secret}",
    "psql 'host=127.0.0.1 password={secret}'",
    '{{"host": "127.0.0.1", "user": "u", "password": "{secret}"}}',
    "postgresql%3A%2F%2Fu%3A{secret}%40127.0.0.1%2Fdb",
    "host=127.0.0.1 port=1 password={secret} nonsense",
    "host=127.0.0.1 port=1 password=a {secret} dbname=x",
    "host=127.0.0.1 port=1 password='{secret}",
    "host=127.0.0.1 port=1 password='a' {secret}=x",
    "host=127.0.0.1;port=1;password={secret}",
    "password={secret} host=127.0.0.1 port=1 nonsense=1",
    "postgresql://127.0.0.1:1/db?password={secret}&nonsense=1",
    "postgresql://127.0.0.1:1/db?password=a&{secret}=1",
    "postgresql://127.0.0.1:1/db?password=a&{secret}",
    "postgresql://127.0.0.1:1/db?sslpassword={secret}&sslmode=nonsense",
    "mysql://127.0.0.1:1/db?password={secret}&ssl-mode=nonsense",
    "mssql://u:{secret}@127.0.0.1:1/db?encrypt=nonsense",
    "trino://u@127.0.0.1:1/db?token={secret}&nonsense=1",
    "trino+https://{secret}@127.0.0.1:0/db",
    "grpc://127.0.0.1:1?token={secret}&nonsense=1",
    "grpc://127.0.0.1:1?header.authorization={secret}&nonsense=1",
    "clickhouse://127.0.0.1:1/db?password={secret}&nonsense=1",
    "odbc:Driver={{Nope}};UID=u;PWD={secret}",
    "odbc:Driver={{Nope}};UID=u;PWDD={secret}",
    "odbc:Driver={{Nope}};UID=u;Pass word={secret}",
    "odbc:Driver={{Nope}};UID=u;PWD={{{secret}",
    "odbc:Driver={{Nope}};UID=u;pwd={{a;{secret}}}",
    "odbc:Driver={{Nope}};PWD=a;{secret}",
    "odbc:UID=u;PWD={secret}",
    "odbc://u:{secret}@127.0.0.1/db",
    "odbc:u:{secret}@127.0.0.1",
    "ODBC:Driver={{Nope}};AccessToken={secret}",
    "adbc:snowflake://u:{secret}@account/db",
    "adbc:u:{secret}@127.0.0.1",
    "adbc:nope?uri=postgresql://u:{secret}@127.0.0.1",
    "adbc:nope?password={secret}&validate=nonsense",
    "adbc:sqlite?uri=postgresql://u:{secret}@127.0.0.1/x",
    "duckdb:postgresql://u:{secret}@127.0.0.1/x",
    "duckdb:md:x?motherduck_token={secret}&access_mode=nonsense",
    "sqlite:///u:{secret}@127.0.0.1/x.db",
    "sqlite:///nowhere/x.db?key={secret}",
    "file://u:{secret}@127.0.0.1/x.csv",
    "file:postgresql://u:{secret}@127.0.0.1/x",
    "file:/nowhere/x.csv?password={secret}",
    "https://127.0.0.1:1/x.csv?sig={secret}",
    "https://127.0.0.1:1/x.csv#secret={secret}",
    "s3://bucket/x.csv#secret_access_key={secret}",
    "s3://bucket/x.csv?secret_access_key={secret}&nonsense=1&endpoint=http://127.0.0.1:1&allow_http=true",
    "az://box/x.csv?sv=2024&sig={secret}&account_name=a&endpoint=http://127.0.0.1:1&allow_http=true",
    "mongodb+srv://u:{secret}@127.0.0.1/db",
    "redis://:{secret}@127.0.0.1:1",
    "databricks://token:{secret}@127.0.0.1:1?http_path=x",
    "/u:{secret}@127.0.0.1/db",
    "./u:{secret}@127.0.0.1/*.csv",
    "nowhere/password={secret}/x.csv",
]


def addresses() -> list[str]:
    """Each one once, with the mark at the beginning, in the middle or at the end of its password."""
    found = [_WHOLE[0].format(uri=uri, secret=f"a{raw}{MARK}{raw}b") for uri in _URIS for raw in _RAW]
    found += [
        whole.format(uri=uri, secret=f"{raw}{MARK}") for whole in _WHOLE[1:] for uri in _URIS[:8] for raw in _RAW[:5]
    ]
    found += [other.format(secret=secret) for other in _OTHERS for secret in (MARK, f"x#{MARK}", f"{MARK}@y/z")]
    return list(dict.fromkeys(found))


def quick_addresses() -> list[str]:
    """Those that a process of its own can be started for: every form once."""
    found = [_WHOLE[0].format(uri="mysql", secret=f"a{raw}{MARK}{raw}b") for raw in _RAW]
    found += [_WHOLE[2].format(uri=uri, secret=f"#{MARK}") for uri in _URIS]
    return found + [other.format(secret=MARK) for other in _OTHERS]
