"""What must work on every version of Spark; dev/spark_test.sh runs these alone on the older ones."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import bowshot
import bowshot.spark
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark.sql import SparkSession
from spark.cells import assert_same, rows, texts
from spark.jdbc import read_jdbc
from spark.shared_types import SHARED
from spark.version import VERSION


def test_cells_are_compared_exactly(spark: SparkSession) -> None:
    sql = "SELECT {} AS f, TIMESTAMP '2024-07-01 12:00:00' AS t, array(1, NULL) AS a, named_struct('x', 1) AS s"
    assert_same(spark.sql(sql.format("double('NaN')")), spark.sql(sql.format("double('NaN')")))
    for other in ("0.0D", "-0.0D", "double('Infinity')", "CAST(NULL AS DOUBLE)"):
        with pytest.raises(AssertionError, match='column "f"'):
            assert_same(spark.sql(sql.format("double('NaN')")), spark.sql(sql.format(other)))
    with pytest.raises(AssertionError, match='column "f"'):
        assert_same(spark.sql(sql.format("0.0D")), spark.sql(sql.format("-0.0D")))
    # New York is four hours behind UTC in summer.
    assert rows(spark.sql(sql.format("1D")))[0][1] == ("datetime", datetime(2024, 7, 1, 16, tzinfo=timezone.utc))
    assert texts(spark.sql(sql.format("1D")))[0][:2] == ("1.0", "2024-07-01 12:00:00")


def test_sparks_own_way_to_databases_is_there_to_compare_with(spark: SparkSession, postgres: str) -> None:
    found = read_jdbc(spark, "SELECT 7::int8 AS n, 'a' AS t", postgres)
    assert_same(found, spark.sql("SELECT 7L AS n, 'a' AS t"))


def test_queries_are_read_without_a_jar(spark: SparkSession, postgres: str, shop: Path) -> None:
    if VERSION < (4, 0):
        with pytest.raises(
            bowshot.UnsupportedError, match=rf"Spark 4\.0 or later.* {pyspark.__version__}; with the jar"
        ):
            bowshot.spark.read_sql(spark, "SELECT 7 AS n", shop)
        return
    for con, sql in ((postgres, "SELECT 7::int8 AS n, 'a' AS t"), (str(shop), "SELECT 7 AS n, 'a' AS t")):
        df = bowshot.spark.read_sql(spark, sql, con)
        assert_same(df, spark.sql("SELECT 7L AS n, 'a' AS t"))
        bowshot.spark.close(df)


def test_files_are_read_with_the_jar(spark: SparkSession, tmp_path: Path) -> None:
    columns = {name: pa.array(values * 3, kind) for name, (kind, values) in SHARED.items()}
    path = str(tmp_path / "all.parquet")
    pq.write_table(pa.table(columns), path, row_group_size=4)
    ours = spark.read.format("bowshot").load(path)
    assert_same(ours, spark.read.parquet(path), key=None)
    assert ours.where("int32 IS NULL").count() == ours.count() / 3


def test_unchanged_programs_are_read_with_the_jar(spark: SparkSession, log: Path, tmp_path: Path) -> None:
    columns = {name: pa.array(values * 3, kind) for name, (kind, values) in SHARED.items()}
    path = str(tmp_path / "all.parquet")
    pq.write_table(pa.table(columns), path, row_group_size=4)
    theirs = spark.read.parquet(path)
    assert "Bowshot" not in theirs._jdf.queryExecution().toString()
    spark.conf.set("spark.bowshot.dropin", "true")
    try:
        ours = spark.read.parquet(path)
        plan = ours._jdf.queryExecution().toString()
        assert_same(ours, theirs, key=None)
    finally:
        spark.conf.set("spark.bowshot.dropin", "false")
    if VERSION < (4, 0):
        assert "Bowshot" not in plan
        assert log.read_text("utf-8").count("from Spark 4.0 on") == 1
    else:
        assert "Format: Bowshot Parquet" in plan


def test_databases_are_read_with_the_jar(spark: SparkSession, postgres: str) -> None:
    df = (
        spark.read.format("bowshot")
        .option("query", "SELECT n, n / 2 AS half FROM generate_series(1, 9) n")
        .load(postgres)
    )
    assert df.where("half = 2").orderBy("n").collect() == [(4, 2), (5, 2)]
    assert df.selectExpr("sum(n)", "count(*)").collect() == [(45, 9)]
    spark.conf.set("spark.sql.catalog.smoke", "io.bowshot.spark.BowshotCatalog")
    spark.conf.set("spark.sql.catalog.smoke.url", postgres)
    found = spark.sql("SELECT nspname FROM smoke.pg_catalog.pg_namespace WHERE nspname = 'public'")
    assert found.collect() == [("public",)]
