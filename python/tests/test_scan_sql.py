"""`scan_sql`: what a LazyFrame asks of a database, and that it is what Polars would have made of the whole result."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import Literal, TypeAlias

import bowshot
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal
from tests.scan_databases import reads

ROWS = 30_000


@pytest.fixture(scope="module")
def server(postgres: str) -> str:
    """A PostgreSQL with tables that are large enough to be split."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE scanned AS SELECT g AS id, g % 7 AS kind, 'name ' || g AS name,"
            " (g * 0.25)::numeric(12, 2) AS price, repeat('x', 100) AS filler"
            f" FROM generate_series(1, {ROWS}) g"
        )
        connection.execute(
            "CREATE TABLE kinds_scanned AS SELECT g AS kind, 'kind ' || g AS label FROM generate_series(0, 6) g"
        )
        connection.execute("CREATE TABLE hostile_scanned (id int, day date, total numeric, span interval)")
        connection.execute(
            "INSERT INTO hostile_scanned VALUES (1, '2024-01-01', 1.5, '1 day'), (2, 'infinity', 2, '1 h')"
        )
        connection.execute("ANALYZE scanned, kinds_scanned")
    return postgres


@pytest.fixture
def whole(server: str) -> pl.DataFrame:
    """The table as `read_sql` reads it."""
    return bowshot.read_sql("scanned", server, return_type="polars").sort("id")


Engine: TypeAlias = Literal["in-memory", "streaming"]
ENGINES: tuple[Engine, ...] = ("in-memory", "streaming")


def test_the_schema_is_that_of_a_read(server: str, whole: pl.DataFrame) -> None:
    scan = bowshot.scan_sql("SELECT * FROM scanned", server)
    assert scan.collect_schema() == whole.schema
    assert_frame_equal(scan.collect().sort("id"), whole)


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_and_predicates_go_into_the_sql(server: str, whole: pl.DataFrame, engine: Engine) -> None:
    predicate = (pl.col("kind") == 3) & pl.col("name").str.ends_with("7")
    frame = bowshot.scan_sql("scanned", server).filter(predicate).select("price", "id")
    with reads() as seen:
        found = frame.collect(engine=engine)
    assert_frame_equal(found.sort("id"), whole.filter(predicate).select("price", "id"))
    (read,) = seen
    assert read.sql == 'SELECT "id", "kind", "name", "price" FROM "scanned" WHERE "kind" = 3'
    assert read.conditions == ['"kind" = 3']
    assert [part for part in read.left if "ends_with" in part] == list(read.left)


def test_the_database_sends_no_more(server: str) -> None:
    seen: list[bowshot.Progress] = []
    frame = bowshot.scan_sql("SELECT id, name FROM scanned WHERE id > 10", server, progress=seen.append)
    assert frame.filter(pl.col("id") <= 12).collect().height == 2
    assert max(progress.rows for progress in seen) == 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rows", [0, 1, 5, 29_999, ROWS, ROWS + 1])
def test_head(server: str, rows: int, engine: Engine) -> None:
    with reads() as seen:
        found = bowshot.scan_sql("scanned", server).head(rows).collect(engine=engine)
    assert found.height == min(rows, ROWS)
    assert all(read.sql.endswith(f" LIMIT {rows}") for read in seen)


@pytest.mark.parametrize("engine", ENGINES)
def test_head_comes_before_a_later_filter(server: str, engine: Engine) -> None:
    scan = bowshot.scan_sql("SELECT id FROM scanned ORDER BY id", server)
    assert scan.head(3).filter(pl.col("id") > 2).collect(engine=engine)["id"].to_list() == [3]
    assert scan.filter(pl.col("id") > 2).head(3).collect(engine=engine)["id"].to_list() == [3, 4, 5]
    unordered = bowshot.scan_sql("scanned", server).select("id")
    assert unordered.head(3).filter(pl.col("id") > ROWS).collect(engine=engine).height == 0
    assert unordered.filter(pl.col("id") > 2).head(3).collect(engine=engine).height == 3


def test_a_reader_that_stops_early_ends_the_query(server: str) -> None:
    # Whole, it has 27 trillion rows.
    scan = bowshot.scan_sql("SELECT a.id FROM scanned a, scanned b, scanned c WHERE a.id + b.id + c.id > 2", server)
    frame = scan.filter(pl.col("id").cast(pl.String) != "").head(4)
    assert frame.collect(engine="streaming").height == 4


@pytest.mark.parametrize("engine", ENGINES)
def test_group_by_join_and_sink(server: str, whole: pl.DataFrame, tmp_path: Path, engine: Engine) -> None:
    scan, kinds = bowshot.scan_sql("scanned", server), bowshot.scan_sql("kinds_scanned", server)
    labels = kinds.collect()
    total = pl.col("price").sum()
    grouped = scan.group_by("kind").agg(total).sort("kind").collect(engine=engine)
    assert_frame_equal(grouped, whole.group_by("kind").agg(total).sort("kind"))
    joined = scan.join(kinds, on="kind").filter(pl.col("label") == "kind 2").select("id", "label").sort("id")
    expected = whole.join(labels, on="kind").filter(pl.col("label") == "kind 2").select("id", "label").sort("id")
    assert_frame_equal(joined.collect(engine=engine), expected)
    assert scan.select(pl.len()).collect(engine=engine).item() == ROWS
    path = tmp_path / "out.parquet"
    scan.filter(pl.col("id") <= 100).sink_parquet(path, engine=engine)
    assert_frame_equal(pl.read_parquet(path).sort("id"), whole.head(100))


def test_a_table_is_still_read_in_partitions(server: str) -> None:
    # As a subquery it would be one partition.
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE wide_scanned AS SELECT g AS id, repeat('x', 500) AS filler FROM generate_series(1, 100000) g"
        )
        connection.execute("ANALYZE wide_scanned")
    with reads() as seen:
        bowshot.scan_sql("SELECT * FROM wide_scanned", server).select("id").collect()
        bowshot.scan_sql("wide_scanned", server).filter(pl.col("id") > 5).collect()
        bowshot.scan_sql("SELECT s.* FROM wide_scanned s", server).select("id").collect()
    assert [len(read.plan.partitions) > 1 for read in seen] == [True, True, True]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id, name FROM scanned ORDER BY id DESC",
        "SELECT id, name FROM scanned ORDER BY id DESC LIMIT 5",
        "(SELECT id, name FROM scanned ORDER BY id DESC)",
    ],
)
def test_an_order_is_kept(server: str, query: str) -> None:
    expected = bowshot.read_sql(query, server, return_type="polars")
    with reads() as seen:
        found = bowshot.scan_sql(query, server).filter(pl.col("id") > 20).select("name").collect()
    assert_frame_equal(found, expected.filter(pl.col("id") > 20).select("name"))
    assert seen[0].sql == query


@pytest.mark.parametrize(
    "query",
    [
        "SHOW server_version",
        "EXPLAIN SELECT 1",
        "VALUES (1, 'a'), (2, 'b')",
        "TABLE kinds_scanned",
        "SELECT 1 AS a -- one",
    ],
)
def test_other_statements_are_read_too(server: str, query: str) -> None:
    expected = bowshot.read_sql(query, server, return_type="polars")
    first = expected.columns[0]
    scan = bowshot.scan_sql(query, server)
    assert_frame_equal(scan.filter(pl.col(first).is_not_null()).select(first).collect(), expected.select(first))
    assert_frame_equal(scan.head(1).collect(), expected.head(1))


def test_types_that_the_text_proves_stay(server: str) -> None:
    # As a subquery the sum has no scale; a table's count is split in no way.
    query = "SELECT kind, sum(price) AS total, count(*) AS n FROM scanned GROUP BY kind"
    expected = bowshot.read_sql(query, server, return_type="polars").sort("kind")
    with reads() as seen:
        found = bowshot.scan_sql(query, server).filter(pl.col("n") > 0).collect().sort("kind")
    assert_frame_equal(found, expected)
    assert seen[0].conditions == ['bowshot."n" > 0']


def test_parameters_and_options(server: str) -> None:
    scan = bowshot.scan_sql(
        "SELECT id, name, price FROM scanned WHERE id < $1",
        server,
        params=[50],
        types={"price": "float64"},
        pre_execution_query="SET work_mem = '8MB'",
        connections=2,
    )
    assert scan.collect_schema()["price"] == pl.Float64
    with reads() as seen:
        found = scan.filter((pl.col("price") > 10) & (pl.col("id") > 45)).collect()
    assert found["id"].sort().to_list() == [46, 47, 48, 49]
    # A column that is read as another type is compared in that type, by Polars.
    assert seen[0].conditions == ['bowshot."id" > 45']
    python = bowshot.scan_sql("SELECT id FROM scanned WHERE id < %s AND name LIKE 'name%%'", server, params=[50])
    assert python.filter(pl.col("id") > 48).collect()["id"].to_list() == [49]


def test_partitions_of_the_user(server: str) -> None:
    scan = bowshot.scan_sql("SELECT * FROM scanned", server, partition_on="id", partition_num=3)
    with reads() as seen:
        assert scan.filter(pl.col("kind") == 1).select("name").collect().height == len(range(1, ROWS + 1, 7))
        assert scan.head(10).collect().height == 10
    assert all(len(read.plan.partitions) >= 3 for read in seen)
    several = bowshot.scan_sql(["SELECT 1 AS a", "SELECT 2 AS a"], server)
    assert several.filter(pl.col("a") > 1).collect()["a"].to_list() == [2]


def test_infinite_dates_as_null(server: str) -> None:
    scan = bowshot.scan_sql("SELECT id, day FROM hostile_scanned", server, infinity="null")
    # Where NULL is the user's word for infinity, the database knows of no NULL.
    assert scan.filter(pl.col("day").is_null()).collect()["id"].to_list() == [2]
    assert scan.filter(pl.col("day").is_not_null()).collect()["id"].to_list() == [1]
    assert scan.filter(pl.col("day") > pl.date(2000, 1, 1)).collect()["id"].to_list() == [1]


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_name_the_column(server: str, engine: Engine) -> None:
    scan = bowshot.scan_sql("SELECT id, day FROM hostile_scanned", server)
    with pytest.raises(bowshot.DataError, match='"day"') as raised:
        scan.collect(engine=engine)
    assert raised.value.column == "day"
    with pytest.raises(bowshot.SqlError, match="no_such_table"):
        bowshot.scan_sql("SELECT * FROM no_such_table", server)


@pytest.mark.parametrize("column", ["total", "span"])
def test_types_that_only_values_settle(server: str, column: str) -> None:
    query = f"SELECT id, {column} FROM hostile_scanned"
    with pytest.raises(bowshot.UnsupportedError, match=f'"{column}".*types='):
        bowshot.scan_sql(query, server)
    expected = bowshot.read_sql(query, server, return_type="polars", types={column: "utf8"})
    assert_frame_equal(bowshot.scan_sql(query, server, types={column: "utf8"}).collect(), expected)


def test_names_that_sqlite_takes_for_one(database: Path) -> None:
    query = "SELECT 1 AS a, 2 AS A"
    with reads() as seen:
        assert bowshot.scan_sql(query, database).filter(pl.col("A") == 2).select("A").collect().rows() == [(2,)]
    assert seen[0].sql == query


@pytest.mark.parametrize(
    "query", ["SELECT lower(n), n || 'x' FROM t", 'SELECT t.n, "t".rowid FROM t', "SELECT count(*) FROM t"]
)
def test_columns_without_a_name_of_their_own(database: Path, query: str) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE t (n TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", [("A",), ("B",), (None,)])
    connection.close()
    whole = bowshot.read_sql(query, database, return_type="polars")
    for column in whole.columns:
        kept = pl.col(column).is_not_null()
        found = bowshot.scan_sql(query, database).filter(kept).select(column).collect()
        assert_frame_equal(found, whole.filter(kept).select(column))


def test_functions_that_change(database: Path) -> None:
    # SQLite evaluates it for the condition, and again for the result.
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
    query = f"{numbers} SELECT abs(random() % 2) AS r FROM n"
    with reads() as seen:
        kept = bowshot.scan_sql(query, database).filter(pl.col("r") == 1).collect().height
    assert seen[0].sql == query
    assert 800 < kept < 1200


def test_sqlite_types_by_its_values(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE t (x, y INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(None, 1), (1.5, 2), (2, 3), (3, 4)])
    connection.close()
    whole = bowshot.read_sql("t", database, return_type="polars")
    for predicate in (pl.col("y") == 1, pl.col("y") > 2, pl.col("x") > 1.75, pl.col("y") > 100):
        assert_frame_equal(bowshot.scan_sql("t", database).filter(predicate).collect(), whole.filter(predicate))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"a": range(1000), 'odd "b"': [f"{n}" for n in range(1000)]}), path)
    whole = pl.read_parquet(path)
    for query in ("", "SELECT * FROM data"):
        scan = bowshot.scan_sql(query, path)
        with reads() as seen:
            assert_frame_equal(scan.select('odd "b"').collect(), whole.select('odd "b"'))
            assert_frame_equal(scan.head(7).collect(), whole.head(7))
            assert_frame_equal(scan.filter(pl.col("a") > 990).collect(), whole.filter(pl.col("a") > 990))
        assert seen[0].sql == 'SELECT "odd ""b""" FROM data'
        assert seen[1].sql == "SELECT * FROM data LIMIT 7"


def test_the_plan_and_the_log(server: str, caplog: pytest.LogCaptureFixture) -> None:
    scan = bowshot.scan_sql("SELECT * FROM scanned", server)
    frame = scan.filter((pl.col("id") < 3) & pl.col("name").str.contains("1")).select("id")
    assert "PYTHON[bowshot] SCAN" in frame.explain()
    assert "SELECT * FROM scanned" in frame.explain()
    with caplog.at_level(logging.INFO, logger="bowshot.scan"):
        assert frame.collect().height == 1
    assert 'filtered in the database: "id" < 3' in caplog.text
    assert "filtered in Polars alone: " in caplog.text
