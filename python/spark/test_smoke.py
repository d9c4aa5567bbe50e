"""What must work on every version of Spark; dev/spark_test.sh runs these alone on the older ones."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import bowshot
import bowshot.spark
import pyspark
import pytest
from pyspark.sql import SparkSession
from spark.cells import assert_same, rows, texts
from spark.jdbc import read_jdbc
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
