"""The ways to say which query on which database."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import bowshot
import pytest
import sqlalchemy

COUNT = "SELECT count(*) AS n FROM items"


def count(*arguments: Any, **options: Any) -> int:
    return int(bowshot.read_sql(*arguments, return_type="arrow", **options)["n"][0].as_py())


def test_pandas_order_and_connectorx_order(shop: Path) -> None:
    uri = f"sqlite:///{shop}"
    assert count(COUNT, uri) == 100
    assert count(uri, COUNT) == 100
    assert count(conn=uri, query=COUNT) == 100
    assert count(sql=COUNT, con=uri) == 100
    assert count(COUNT, conn=uri) == 100


def test_all_that_names_an_sqlite_file(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop.parent)
    engine = sqlalchemy.create_engine(f"sqlite:///{shop}")
    with engine.connect() as connection:
        names: list[Any] = [
            str(shop),
            shop,
            "shop.db",
            Path("shop.db"),
            "sqlite:///shop.db",
            f"sqlite+pysqlite:///{shop}",
        ]
        for con in [*names, engine, engine.url, connection]:
            assert count(COUNT, con) == 100, con
            assert count(con, COUNT) == 100, con


def test_sqlalchemy_text(shop: Path) -> None:
    assert count(sqlalchemy.text(COUNT), shop) == 100


def test_a_file_without_an_ending(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop.parent)
    os.rename(shop, "plain")  # noqa: PTH104
    assert count("plain", COUNT) == 100
    assert count(COUNT, Path("plain")) == 100


def test_a_bare_word_is_a_table(shop: Path) -> None:
    frame = bowshot.read_sql("items", shop, columns=["name", "id"])
    assert list(frame.columns) == ["name", "id"]
    assert len(frame) == 100
    assert len(bowshot.read_sql(str(shop), "main.items").columns) == 11


ODD_NAMES = [
    "Order Details",
    "select",
    "2024",
    "tab-x",
    "Table of Contents",
    "a.b",
    'said "so"',
    "it's",
    "back`tick",
    "[brackets]",
    "größe",
    "semi;colon",
    "q(1)",
    " blank before",
    "x -- y",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_string_that_is_the_name_of_a_table_is_that_table(database: Path, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    with sqlite3.connect(database) as connection:
        connection.execute(f'CREATE TABLE {quoted} ("a b" INTEGER, day DATE)')
        connection.execute(f"INSERT INTO {quoted} VALUES (1, '2024-02-29')")
    frame = bowshot.read_sql(name, database)
    assert frame["a b"].tolist() == [1]
    assert list(bowshot.read_sql(str(database), name, columns=["day"]).columns) == ["day"]
    assert len(bowshot.query(name, database).to_arrow()) == 1
    assert len(bowshot.plan(name, database).schema) == 2
    assert sum(len(chunk) for chunk in bowshot.read_sql(name, database, chunksize=5)) == 1
    with pytest.raises(bowshot.ConfigError, match='"nope"') as caught:
        bowshot.read_sql(name, database, columns=["nope"])
    assert caught.value.column == "nope"
    assert "a b, day" in str(caught.value)


@pytest.mark.parametrize("name", ['"Order Details"', "[Order Details]", "`Order Details`", 'main."Order Details"'])
def test_names_in_any_quotes(database: Path, name: str) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute('CREATE TABLE "Order Details" (a INTEGER)')
    assert list(bowshot.read_sql(name, database).columns) == ["a"]


def test_what_is_neither_a_table_nor_sql_says_both(shop: Path) -> None:
    with pytest.raises(bowshot.SqlError, match="not the name of a table either: no such table: item list"):
        bowshot.read_sql("item list", shop)
    with pytest.raises(bowshot.SqlError, match="no such table: itemz"):
        bowshot.read_sql("itemz", shop)


def test_the_index_of_a_table_is_read_with_its_columns(shop: Path) -> None:
    frame = bowshot.read_sql("items", shop, columns=["name"], index_col="id")
    assert (frame.index.name, list(frame.columns)) == ("id", ["name"])


def test_columns_is_for_tables_as_in_pandas(shop: Path) -> None:
    assert list(bowshot.read_sql("SELECT id, name FROM items", shop, columns=["id"]).columns) == ["id", "name"]


def test_a_list_of_queries_is_one_result(shop: Path) -> None:
    parts = ["SELECT id FROM items WHERE id > 50", "SELECT id FROM items WHERE id <= 10"]
    frame = bowshot.read_sql(parts, shop)
    assert frame["id"].tolist() == [*range(51, 101), *range(1, 11)]
    assert len(bowshot.plan(parts, shop).partitions) == 2


def test_partitions_of_a_column(shop: Path) -> None:
    sql = "SELECT id, amount FROM items"
    frame = bowshot.read_sql(shop, sql, partition_on="amount", partition_num=3)
    assert sorted(frame["id"]) == list(range(1, 101))
    # As in ConnectorX, a range is all that is read.
    frame = bowshot.read_sql(shop, sql, partition_on="amount", partition_num=3, partition_range=(100, 500))
    assert sorted(frame["id"]) == [number for number in range(10, 51) if number % 3]


def test_unknown_keywords_are_type_errors(shop: Path) -> None:
    functions: list[Any] = [bowshot.read_sql, bowshot.query, bowshot.plan]
    for function in functions:
        with pytest.raises(TypeError, match="chunk_size"):
            function(COUNT, shop, chunk_size=3)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((COUNT,), {}, TypeError, "con is missing"),
        ((), {"con": "shop.db"}, TypeError, "sql is missing"),
        ((COUNT, "shop.db"), {"conn": "shop.db"}, TypeError, "both con and conn"),
        ((COUNT, {"a": "shop.db"}), {}, bowshot.UnsupportedError, "several databases"),
        ((COUNT, "mongodb://me:secret@host/shop"), {}, bowshot.UnsupportedError, "mysql"),
        ((COUNT, "SELECT 2"), {}, bowshot.ConfigError, "is SQL"),
        ((COUNT, 3), {}, TypeError, "con must be"),
        ((3, "shop.db"), {}, TypeError, "sql must be"),
        (([], "shop.db"), {}, bowshot.ConfigError, "empty"),
        ((COUNT, "shop.db"), {"return_type": "ray"}, bowshot.ConfigError, "bowshot.ray.read_sql"),
        ((COUNT, "shop.db"), {"return_type": "modin", "chunksize": 3}, bowshot.ConfigError, 'return_type="pandas"'),
        ((COUNT, "shop.db"), {"return_type": "modin", "lease": 3}, bowshot.ConfigError, 'return_type="dask"'),
        ((COUNT, "shop.db"), {"return_type": "modin"}, ModuleNotFoundError, r"bowshot\[modin\]"),
        ((COUNT, "shop.db"), {"return_type": "dask", "chunksize": 3}, bowshot.ConfigError, "chunksize"),
        ((COUNT, "shop.db"), {"lease": 3}, bowshot.ConfigError, "lease"),
        ((COUNT, "shop.db"), {"return_type": "spreadsheet"}, bowshot.ConfigError, "arrow_stream"),
        ((COUNT, "shop.db"), {"return_type": "arrow", "index_col": "n"}, bowshot.ConfigError, "index_col"),
        ((COUNT, "shop.db"), {"strategy": "pushdown"}, bowshot.UnsupportedError, "federated"),
        ((COUNT, "shop.db"), {"partition_on": "n"}, bowshot.ConfigError, "partition_num"),
        ((COUNT, "shop.db"), {"partition_range": (1, 2)}, bowshot.ConfigError, "partition_on"),
        ((COUNT, "shop.db"), {"connections": 0}, bowshot.ConfigError, "at least 1"),
        ((COUNT, "shop.db"), {"chunksize": 0}, bowshot.ConfigError, "at least 1"),
        ((COUNT, "shop.db"), {"infinity": "nan"}, bowshot.ConfigError, "infinity"),
        ((COUNT, "shop.db"), {"types": {"n": "integral"}}, bowshot.ConfigError, "integral"),
        ((COUNT, "shop.db"), {"dtype_backend": "polars"}, bowshot.ConfigError, "numpy_nullable"),
        ((COUNT, ":memory:"), {}, bowshot.Error, "memory"),
        ((COUNT, sqlalchemy.create_engine("sqlite://")), {}, bowshot.UnsupportedError, "memory"),
        ((COUNT, sqlite3.connect(":memory:")), {}, TypeError, "path of its file"),
    ],
)
def test_mistakes_are_named(
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    error: type[Exception],
    words: str,
) -> None:
    monkeypatch.chdir(shop.parent)
    read: Any = bowshot.read_sql
    with pytest.raises(error, match=words) as caught:
        read(*arguments, **options)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("library", ["ray", "torch"])
def test_a_library_that_is_missing_is_named(shop: Path, library: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=rf'pip install "bowshot\[{library}\]"'):
        getattr(bowshot, library).read_sql(COUNT, shop)


def test_the_file_must_exist(tmp_path: Path) -> None:
    missing = tmp_path / "missing.db"
    with pytest.raises(bowshot.Error, match=r"missing\.db"):
        bowshot.read_sql("SELECT 1", missing)
    assert not missing.exists()


def test_a_plan_tells_how(shop: Path) -> None:
    with bowshot.plan("SELECT id, name FROM items", shop) as plan:
        assert plan.schema.names == ["id", "name"]
        assert len(plan.partitions) >= 1
        assert plan.partitions[0].label
        assert plan.reason
        assert "id: int64" in str(plan)
        assert "partition" in repr(plan)
