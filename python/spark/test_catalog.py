"""`io.bowshot.spark.BowshotCatalog`: a database's tables, and files by their paths, in Spark's SQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

CATALOG = "io.bowshot.spark.BowshotCatalog"


@pytest.fixture
def shop(spark: SparkSession, postgres: str) -> Iterator[str]:
    """A catalog of the private server, with two schemas."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute('DROP SCHEMA IF EXISTS "My Shop" CASCADE')
        connection.execute('CREATE SCHEMA "My Shop"')
        connection.execute(
            'CREATE TABLE "My Shop"."Items" AS SELECT n AS id, n / 2 AS half FROM generate_series(1, 100) n'
        )
        connection.execute('CREATE VIEW "My Shop".few AS SELECT * FROM "My Shop"."Items" WHERE id < 4')
        connection.execute("CREATE TABLE IF NOT EXISTS public.plain AS SELECT 1 AS one")
        name = f"shop_{id(connection)}"
        spark.conf.set(f"spark.sql.catalog.{name}", CATALOG)
        spark.conf.set(f"spark.sql.catalog.{name}.url", postgres)
        yield name
        connection.execute('DROP SCHEMA "My Shop" CASCADE')
        connection.execute("DROP TABLE public.plain")


def test_tables_are_read_and_joined(spark: SparkSession, shop: str) -> None:
    assert spark.sql(f"SELECT * FROM {shop}.public.plain").collect() == [(1,)]
    assert spark.table(f"{shop}.`My Shop`.few").orderBy("id").collect() == [(1, 0), (2, 1), (3, 1)]
    joined = (
        f"SELECT count(*), sum(a.id) FROM {shop}.`My Shop`.`Items` a JOIN {shop}.`My Shop`.few b ON a.half = b.half"
    )
    # half is 0 for 1, and 1 for 2 and 3; two of the few have 1.
    assert spark.sql(joined).collect() == [(5, 11)]


def test_what_there_is_is_listed(spark: SparkSession, shop: str) -> None:
    names = [row[0] for row in spark.sql(f"SHOW NAMESPACES IN {shop}").collect()]
    assert {"`My Shop`", "public"} <= set(names) or {"My Shop", "public"} <= set(names)
    tables = {row.tableName for row in spark.sql(f"SHOW TABLES IN {shop}.`My Shop`").collect()}
    assert tables == {"Items", "few"}
    described = {row.col_name: row.data_type for row in spark.sql(f"DESCRIBE {shop}.`My Shop`.`Items`").collect()}
    assert described["id"] == described["half"] == "int"


def test_what_there_is_not_is_spark_s_own_error(spark: SparkSession, shop: str) -> None:
    for name in (f"{shop}.public.nothing", f"{shop}.nowhere.plain"):
        with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
            spark.table(name).collect()
    with pytest.raises(AnalysisException, match=r"SCHEMA_NOT_FOUND|NAMESPACE"):
        spark.sql(f"SHOW TABLES IN {shop}.nowhere").collect()


def test_it_only_reads(spark: SparkSession, shop: str) -> None:
    for statement in (
        f"DROP TABLE {shop}.public.plain",
        f"CREATE TABLE {shop}.public.other (a INT)",
        f"CREATE NAMESPACE {shop}.other",
    ):
        with pytest.raises(Exception, match="only reads"):
            spark.sql(statement)
    with pytest.raises(AnalysisException):
        spark.sql(f"INSERT INTO {shop}.public.plain VALUES (2)")


def test_files_are_tables_by_their_paths(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("a,b\n1,x\n", "utf-8")
    spark.conf.set("spark.sql.catalog.bowshot", CATALOG)
    assert spark.sql(f"SELECT sum(a) FROM bowshot.`{tmp_path}/x.parquet`").collect() == [(6,)]
    assert spark.sql(f"SELECT * FROM bowshot.`{tmp_path}/x.csv`").collect() == [(1, "x")]
    with pytest.raises(Exception, match="missing"):
        spark.sql(f"SELECT * FROM bowshot.`{tmp_path}/missing.parquet`").collect()
