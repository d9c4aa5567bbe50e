"""Every conformance case through `bowshot.query`: types and values are the file's, and those of the driver."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import bowshot
import psycopg
import pyarrow as pa
import pytest
import tomllib
from tests.conformance_display import display
from tests.conformance_driver import postgres_values, sqlite_values

FOLDER = Path(__file__).resolve().parents[2] / "conformance"
Case = dict[str, Any]


def cases(database: str) -> list[Any]:
    """The suite and each case of a database."""
    suites = [
        (path.stem, tomllib.loads(path.read_text("utf-8"))) for path in sorted((FOLDER / database).glob("*.toml"))
    ]
    found = [pytest.param(name, case, id=f"{name}: {case['name']}") for name, suite in suites for case in suite["case"]]
    assert found, f"there are no cases of {database}"
    return found


def setup_of(database: str, suite: str) -> str:
    return str(tomllib.loads((FOLDER / database / f"{suite}.toml").read_text("utf-8")).get("setup", ""))


@pytest.fixture(scope="module")
def postgres_suite(postgres: str) -> Callable[[str], str]:
    """Makes the URI of a suite's own database, which is set up when it is first asked for."""
    uris: dict[str, str] = {}

    def uri(suite: str) -> str:
        if suite not in uris:
            with psycopg.connect(postgres, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE conformance_{suite}".encode())
            uris[suite] = urlsplit(postgres)._replace(path=f"/conformance_{suite}").geturl()
            execute(uris[suite], setup_of("postgres", suite))
        return uris[suite]

    return uri


@pytest.fixture(scope="module")
def sqlite_suite(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes the file of a suite's own database, which is set up when it is first asked for."""
    folder = tmp_path_factory.mktemp("conformance")

    def path(suite: str) -> Path:
        file = folder / f"{suite}.db"
        if not file.exists():
            connection = sqlite3.connect(file)
            connection.executescript(setup_of("sqlite", suite))
            connection.close()
        return file

    return path


def execute(uri: str, sql: str) -> None:
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(sql.encode())


@pytest.mark.parametrize(("suite", "case"), cases("postgres"))
def test_postgres(postgres_suite: Callable[[str], str], suite: str, case: Case) -> None:
    uri = postgres_suite(suite)
    with psycopg.connect(uri) as connection:
        version = connection.info.server_version // 10_000
    if version < case.get("since", 0):
        pytest.skip(f"PostgreSQL {version} has not what the case needs")
    if "setup" in case:
        execute(uri, case["setup"])
    table = check(case, uri)
    if table is not None and "driver" not in case:
        assert postgres_values(uri, case, table.schema) == values(table)


@pytest.mark.parametrize(("suite", "case"), cases("sqlite"))
def test_sqlite(sqlite_suite: Callable[[str], Path], suite: str, case: Case) -> None:
    path = sqlite_suite(suite)
    assert "setup" not in case
    table = check(case, str(path))
    if table is not None and "driver" not in case:
        assert sqlite_values(path, case, table.schema) == values(table)


def check(case: Case, con: str) -> pa.Table | None:
    """Compares with what the case says; the table that was read, if it is not an error."""
    options = {name: case[name] for name in ("types", "infinity") if name in case}
    query = bowshot.query(case["sql"], con, pre_execution_query=case.get("before"), **options)
    if "error" in case:
        with pytest.raises(bowshot.Error) as caught:
            query.to_arrow()
        check_error(caught.value, case["error"])
        return None
    columns = expected(case)
    assert query.schema.types == [column["type"] for column in columns]
    for place, column in enumerate(columns):
        # A case that is its own only column has a name of another kind.
        assert column is case or column.get("name", query.schema.names[place]) == query.schema.names[place]
        assert column.get("source", query.schema.source_types[place]) == query.schema.source_types[place]
    table = query.to_arrow()
    read = values(table)
    for place, column in enumerate(columns):
        assert read[place] == [text(value, place) for value in column.get("values", [])] * case.get("times", 1)
        assert column.get("nullable", table.schema.field(place).nullable) == table.schema.field(place).nullable
    return table


def check_error(error: bowshot.Error, wanted: dict[str, str]) -> None:
    assert error.kind == wanted["kind"].lower(), error
    assert wanted["message"] in str(error)
    assert "column" not in wanted or error.column == wanted["column"]
    assert wanted.get("hint", "") in (error.hint or "")


def expected(case: Case) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = case.get("columns", [case])
    copies: int = case.get("copies", 1)
    return columns * copies


def text(value: Any, place: int) -> str:
    if isinstance(value, dict):
        return str(value["repeat"]) * int(value["times"])
    return str(value).replace("{n}", str(place + 1))


def values(table: pa.Table) -> list[list[str]]:
    """The cells of each column as the cases write them."""
    return [[display(cell) for cell in column] for column in table.columns]
