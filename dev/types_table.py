"""What each database type becomes in Arrow, pandas and Polars, asked of Bowshot itself: the tables in README.md.

examples/test_documents.py fails where README.md says something else than these tables, and writes them anew with
`BOWSHOT_UPDATE=1 dev/docs_test.sh -k types`.
"""

import re
import sqlite3
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import bowshot
import polars

SECTION = re.compile(r"(<!-- types:start -->\n).*(<!-- types:end -->)", re.DOTALL)

# A value of each type, as SQL; what the table shows is the type that it was cast to.
POSTGRES = {
    "boolean": "true",
    "smallint": "1",
    "integer": "1",
    "bigint": "1",
    "oid": "1",
    "real": "1.5",
    "double precision": "1.5",
    "numeric(15,2)": "1.5",
    "numeric(50,10)": "1.5",
    "numeric": "1.5",
    "money": "'1.5'",
    "text": "'a'",
    "varchar(10)": "'a'",
    "char(10)": "'a'",
    "name": "'a'",
    "bytea": "'\\x00'",
    "date": "'2026-02-03'",
    "time": "'12:30'",
    "timetz": "'12:30+02'",
    "timestamp": "'2026-02-03 12:30'",
    "timestamptz": "'2026-02-03 12:30+02'",
    "interval": "'1 month 2 days'",
    "uuid": "'00000000-0000-0000-0000-000000000001'",
    "json": "'{}'",
    "jsonb": "'{}'",
    "xml": "'<a/>'",
    "inet": "'127.0.0.1'",
    "cidr": "'10.0.0.0/8'",
    "macaddr": "'08:00:2b:01:02:03'",
    "bit(8)": "B'10101010'",
    "varbit": "B'101'",
    "integer[]": "'{1,2}'",
    "text[]": "'{a,b}'",
    "int4range": "'[1,5)'",
    "point": "'(1,2)'",
    "tsvector": "'a'",
}
# A value for each declared type of a column.
SQLITE: dict[str, object] = {
    "INTEGER": 1,
    "BOOLEAN": 1,
    "REAL": 1.5,
    "DECIMAL(15,2)": 1.5,
    "NUMERIC": 1.5,
    "TEXT": "a",
    "VARCHAR(10)": "a",
    "BLOB": b"a",
    "DATE": "2026-02-03",
    "TIME": "12:30:00",
    "TIMESTAMP": "2026-02-03 12:30:00",
}


def tables(postgres_uri: str) -> str:
    """Both databases' tables, as Markdown."""
    selects = {name: f"SELECT CAST({value} AS {name}) AS x" for name, value in POSTGRES.items()}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "types.sqlite"
        connection = sqlite3.connect(file)
        for number, (name, value) in enumerate(SQLITE.items()):
            connection.execute(f"CREATE TABLE t{number} (x {name})")
            connection.execute(f"INSERT INTO t{number} VALUES (?)", (value,))
        connection.commit()
        connection.close()
        declared = {name: f"SELECT x FROM t{number}" for number, name in enumerate(SQLITE)}
        sqlite_rows = list(rows(declared, str(file)))
    return "\n\n".join([table("PostgreSQL", rows(selects, postgres_uri)), table("SQLite, declared as", sqlite_rows)])


def rows(selects: Mapping[str, str], con: str) -> Iterable[tuple[str, str, str, str]]:
    """The database's types, and what they are in Arrow, pandas and Polars; types that become the same share a row."""
    outcomes: dict[tuple[str, str, str], list[str]] = {}
    for name, sql in selects.items():
        arrow = bowshot.query(sql, con).schema.types[0]
        pandas_type = bowshot.read_sql(sql, con).dtypes["x"]
        polars_type: Any = bowshot.read_sql(sql, con, return_type="polars").schema["x"]
        if isinstance(polars_type, polars.Decimal | polars.Struct):  # their insides are Arrow's, or follow the values
            polars_type = polars_type.base_type().__name__
        outcomes.setdefault((arrow, str(pandas_type), str(polars_type)), []).append(f"`{name}`")
    for (arrow, pandas_type_name, polars_type_name), names in outcomes.items():
        yield ", ".join(names), arrow, pandas_type_name, polars_type_name


def table(title: str, lines: Iterable[tuple[str, str, str, str]]) -> str:
    """One database's table, as Markdown."""
    head = f"| {title} | Arrow | pandas | Polars |\n|---|---|---|---|\n"
    return head + "\n".join(f"| {names} | `{a}` | `{p}` | `{q}` |" for names, a, p, q in lines)


def replace(text: str, section: str) -> str:
    """The document with `section` between its markers.

    >>> replace("a\\n<!-- types:start -->\\nold\\n<!-- types:end -->\\n", "new").splitlines()
    ['a', '<!-- types:start -->', 'new', '<!-- types:end -->']
    """
    return SECTION.sub(lambda found: f"{found[1]}{section}\n{found[2]}", text)
