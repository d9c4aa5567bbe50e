"""TPC-H: its 22 queries have the same answers by `format("bowshot")` as by Spark's own reader of Parquet.

`tpch/` has the queries of the specification's section 2.4, with its validation parameters; 11 and 17 fit the scale.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from spark.cells import assert_same, table

QUERIES = sorted((Path(__file__).parent / "tpch").glob("*.sql"))
TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of scale factor 0.01 as Parquet, in row groups of a few thousand rows."""
    folder = tmp_path_factory.mktemp("tpch")
    generator = str(Path(sys.executable).parent / "tpchgen-cli")
    sizes = ("--scale-factor", "0.01", "--row-group-bytes", "512KB")
    subprocess.run([generator, "parquet", *sizes, "--output-dir", str(folder), "--quiet"], check=True)
    for name in TABLES:
        path = str(folder / f"{name}.parquet")
        for schema, reader in (("ours", spark.read.format("bowshot")), ("theirs", spark.read.format("parquet"))):
            reader.load(path).createOrReplaceTempView(f"{schema}_{name}")
    return folder


def named(sql: str, reader: str) -> str:
    """A query on the views of one of the readers."""
    views = ", ".join(f"{name} AS (SELECT * FROM {reader}_{name})" for name in TABLES)
    with_more = sql.removeprefix("WITH ")
    return f"WITH {views}" + (f", {with_more}" if with_more != sql else f"\n{sql}")


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("path", QUERIES, ids=[path.stem for path in QUERIES])
def test_answers_are_equal(spark: SparkSession, path: Path) -> None:
    sql = path.read_text("utf-8")
    ours, theirs = spark.sql(named(sql, "ours")), spark.sql(named(sql, "theirs"))
    # Answers have an order, which may leave open that of equal rows.
    assert_same(ours, theirs)
    assert table(theirs).num_rows > 0


def test_a_database_s_table_is_joined_with_files(spark: SparkSession, postgres: str, tables: Path) -> None:
    customers = pq.read_table(tables / "customer.parquet").select(["c_custkey", "c_acctbal", "c_mktsegment"])
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS customer")
        connection.execute("CREATE TABLE customer (c_custkey int8, c_acctbal numeric(15, 2), c_mktsegment text)")
        with connection.cursor() as cursor, cursor.copy("COPY customer FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in customers.columns), strict=True):
                copy.write_row(row)
        spark.read.format("bowshot").option("dbtable", "customer").load(postgres).createOrReplaceTempView(
            "postgres_customer"
        )
        sql = """SELECT c_mktsegment, count(*), sum(o_totalprice), min(c_acctbal)
            FROM {customer} JOIN {orders} ON c_custkey = o_custkey WHERE c_acctbal > 100 GROUP BY c_mktsegment"""
        ours = spark.sql(sql.format(customer="postgres_customer", orders="ours_orders"))
        theirs = spark.sql(sql.format(customer="theirs_customer", orders="theirs_orders"))
        assert_same(ours, theirs)
        assert ours.count() == 5
        connection.execute("DROP TABLE customer")
