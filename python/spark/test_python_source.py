"""`bowshot.spark`: partitions read by Python in Spark's workers, on one state of the database."""

from __future__ import annotations

import gc
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import bowshot
import bowshot.spark
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.errors import AnalysisException, PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from spark.cells import assert_same, rows, table, types
from spark.jdbc import read_jdbc
from tests.test_tickets import ROWS, asleep, sessions, until

SQL = "SELECT id, balance, note FROM accounts"


def lazy(spark: SparkSession, postgres: str, sql: Any = SQL, **options: Any) -> DataFrame:
    return bowshot.spark.read_sql(spark, sql, postgres, connections=4, **options)


def gone(spark: SparkSession, postgres: str, before: int) -> None:
    def none() -> bool:
        gc.collect()
        spark._jvm.java.lang.System.gc()
        return sessions(postgres) <= before

    until(none, "the session of a snapshot stays", seconds=20)


def totals(df: DataFrame) -> tuple[Any, ...]:
    return tuple(df.agg(f.count("*"), f.sum("balance"), f.sum("id")).collect()[0])


@pytest.mark.usefixtures("writers")
def test_one_state_while_writers_write(spark: SparkSession, postgres: str) -> None:
    df = lazy(spark, postgres)
    assert df.rdd.getNumPartitions() > 2
    first = rows(df.orderBy("id").select("id", "balance"))
    assert totals(df) == (ROWS, 0, ROWS * (ROWS + 1) // 2)
    # Another action, of another DataFrame that is derived from the first one: the same state.
    assert rows(df.select("id", "balance").orderBy("id")) == first
    assert df.join(df.withColumnRenamed("balance", "other"), "id").where("balance <> other").count() == 0
    bowshot.spark.close(df)


@pytest.mark.usefixtures("accounts")
def test_rows_are_those_of_sparks_own_reader(spark: SparkSession, postgres: str) -> None:
    ours = lazy(spark, postgres)
    theirs = read_jdbc(spark, SQL, postgres)
    assert types(ours) == types(theirs)
    assert ours.exceptAll(theirs).count() == theirs.exceptAll(ours).count() == 0
    bowshot.spark.close(ours)


@pytest.mark.usefixtures("accounts")
def test_the_session_ends_with_the_last_dataframe(spark: SparkSession, postgres: str) -> None:
    gone(spark, postgres, 0)
    df = lazy(spark, postgres)
    assert sessions(postgres) == 1
    derived = df.select("id").where("id > 10")
    del df
    for _ in range(3):
        gc.collect()
        spark._jvm.java.lang.System.gc()
        time.sleep(0.3)
    assert derived.count() == ROWS - 10
    assert derived.count() == ROWS - 10
    assert sessions(postgres) == 1
    del derived
    gone(spark, postgres, 0)


@pytest.mark.usefixtures("accounts")
def test_a_cached_dataframe_keeps_its_source(spark: SparkSession, postgres: str) -> None:
    gone(spark, postgres, 0)
    cached = lazy(spark, postgres).select("id").cache()
    assert cached.count() == ROWS
    spark._jvm.java.lang.System.gc()
    time.sleep(1)
    assert sessions(postgres) == 1
    cached.unpersist(blocking=True)
    assert cached.count() == ROWS
    del cached
    gone(spark, postgres, 0)


@pytest.mark.usefixtures("accounts")
def test_many_dataframes_leave_no_session(spark: SparkSession, postgres: str) -> None:
    gone(spark, postgres, 0)
    for _ in range(3):
        assert lazy(spark, postgres).limit(5).count() == 5
        assert len(lazy(spark, postgres).take(3)) == 3
    gone(spark, postgres, 0)


@pytest.mark.usefixtures("accounts")
def test_an_ended_lease_and_a_closed_dataframe_are_clear_errors(spark: SparkSession, postgres: str) -> None:
    gone(spark, postgres, 0)
    ended = lazy(spark, postgres, lease=0.3)
    until(lambda: not sessions(postgres), "the lease never ends")
    with pytest.raises(PythonException, match=r"bowshot\.exceptions\.SnapshotGoneError: .*plan the query again"):
        ended.count()
    closed = lazy(spark, postgres)
    assert closed.count() == ROWS
    bowshot.spark.close(closed)
    until(lambda: not sessions(postgres), "the session of a closed DataFrame stays")
    with pytest.raises(PythonException, match=r"bowshot\.exceptions\.SnapshotGoneError"):
        closed.collect()
    with pytest.raises(TypeError, match="read_sql returned"):
        bowshot.spark.close(spark.range(3))


@pytest.mark.parametrize("interrupt", [False, True])
def test_a_cancelled_job_ends_the_query(spark: SparkSession, postgres: str, interrupt: bool) -> None:
    df = bowshot.spark.read_sql(spark, "SELECT 1 AS one FROM pg_sleep(100)", postgres)
    errors: list[BaseException] = []

    def run() -> None:
        spark.sparkContext.setJobGroup("sleeping", "sleeps", interruptOnCancel=interrupt)
        try:
            df.collect()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    until(lambda: asleep(postgres) == 1, "the query never starts", seconds=30)
    spark.sparkContext.cancelJobGroup("sleeping")
    thread.join(30)
    assert len(errors) == 1
    # Spark gives the worker two seconds, then kills it; the server looks every second.
    until(lambda: asleep(postgres) == 0, "the query goes on", seconds=15)
    bowshot.spark.close(df)


def test_errors_before_anything_is_read(spark: SparkSession, postgres: str, mariadb: str) -> None:
    with pytest.raises(bowshot.SqlError, match="nowhere") as caught:
        bowshot.spark.read_sql(spark, "SELECT * FROM nowhere", postgres)
    assert caught.value.sqlstate == "42P01"
    queries = ["SELECT 1 AS one", "SELECT 2 AS one"]
    with pytest.raises(bowshot.UnsupportedError, match="one_snapshot=False"):
        bowshot.spark.read_sql(spark, queries, mariadb)
    each = bowshot.spark.read_sql(spark, queries, mariadb, one_snapshot=False)
    assert sorted(row.one for row in each.collect()) == [1, 2]
    with pytest.raises(bowshot.ConfigError, match="Spark cannot tell apart"):
        bowshot.spark.read_sql(spark, "SELECT 1 AS a, 2 AS a", postgres)
    with pytest.raises(bowshot.UnsupportedError, match=r'column "n".*types=\{"n": "decimal128') as refused:
        bowshot.spark.read_sql(spark, "SELECT 1::numeric AS n", postgres)
    assert refused.value.column == "n"


def test_errors_of_tasks_say_what_bowshot_says(spark: SparkSession, postgres: str) -> None:
    df = bowshot.spark.read_sql(spark, "SELECT 1 / (n - 5000) AS q FROM generate_series(1, 9000) n", postgres)
    with pytest.raises(PythonException, match=r"bowshot\.exceptions\.SqlError: .*division by zero.*22012"):
        df.count()
    text = "SELECT '12x' AS n"
    df = bowshot.spark.read_sql(spark, text, postgres, types={"n": "int64"})
    with pytest.raises(PythonException, match=r'bowshot\.exceptions\.DataError: column "n".*12x.*types='):
        df.collect()


def test_other_databases_and_files(spark: SparkSession, mariadb: str, shop: Path, tmp_path: Path) -> None:
    with sqlite3.connect(shop) as connection:
        expected = connection.execute("SELECT id, name, image, price FROM items ORDER BY id").fetchall()
    connection.close()
    sql = "SELECT id, name, image, price FROM items"
    found = bowshot.spark.read_sql(spark, sql, shop, partition_on="id", partition_num=3)
    parts = bowshot.plan(sql, shop, partition_on="id", partition_num=3).partitions
    assert found.rdd.getNumPartitions() == len(parts) > 2
    assert [tuple(row) for row in found.orderBy("id").collect()] == expected
    whole = bowshot.spark.read_sql(spark, "SELECT 7 AS n, 'ä' AS t, CAST(NULL AS DOUBLE) AS d", mariadb)
    assert [tuple(row) for row in whole.collect()] == [(7, "ä", None)]
    path = tmp_path / "numbers.parquet"
    numbers = pa.table({"n": pa.array(range(100_000), pa.uint32())})
    pyarrow.parquet.write_table(numbers, path, row_group_size=25_000)
    read = bowshot.spark.read_sql(spark, "", path)
    assert types(read) == {"n": "bigint"}
    assert table(read.orderBy("n"))["n"].to_pylist() == numbers["n"].to_pylist()


def test_results_without_rows(spark: SparkSession, postgres: str, tmp_path: Path) -> None:
    nothing = bowshot.spark.read_sql(spark, "SELECT 1::int8 AS n, 'a' AS t WHERE false", postgres)
    assert types(nothing) == {"n": "bigint", "t": "string"}
    assert nothing.collect() == []
    path = tmp_path / "empty.parquet"
    pyarrow.parquet.write_table(pa.table({"n": pa.array([], pa.int64())}), path)
    assert bowshot.spark.read_sql(spark, "", path).count() == 0


def test_parameters_and_statements_before(spark: SparkSession, postgres: str) -> None:
    df = bowshot.spark.read_sql(
        spark,
        "SELECT g AS n, g * %(factor)s::numeric AS price, current_setting('bowshot.mood') AS mood"
        " FROM generate_series(1, 3) g",
        postgres,
        params={"factor": "1.5"},
        types={"price": "decimal128(12, 1)"},
        pre_execution_query="SET bowshot.mood = 'calm'",
    )
    expected = "SELECT INT(n), CAST(n * 1.5 AS DECIMAL(12, 1)) AS price, 'calm' AS mood FROM range(1, 4) t(n)"
    assert_same(df, spark.sql(expected))


def test_the_format_reads_each_time_anew(spark: SparkSession, shop: Path) -> None:
    bowshot.spark.register(spark)
    reader = spark.read.format("bowshot-python").option("url", str(shop)).option("CONNECTIONS", "2")
    reader = reader.options(params="[3]", types='{"id": "utf8"}')
    named = reader.option("query", "SELECT id FROM items WHERE id < ?").load()
    assert [tuple(row) for row in named.collect()] == [("1",), ("2",)]
    spark.sql(f"CREATE TEMPORARY VIEW items USING `bowshot-python` OPTIONS (url '{shop}', query 'items')")
    assert spark.sql("SELECT count(*), max(id) FROM items").collect() == [(100, 100)]
    with sqlite3.connect(shop) as connection:
        connection.execute("DELETE FROM items WHERE id > 50")
    connection.close()
    assert spark.sql("SELECT count(*), max(id) FROM items").collect() == [(50, 50)]
    with sqlite3.connect(shop) as connection:
        connection.execute("ALTER TABLE items RENAME COLUMN name TO title")
    connection.close()
    with pytest.raises((PythonException, AnalysisException), match="load the DataFrame again"):
        spark.sql("SELECT * FROM items").collect()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"query": "SELECT 1"}, 'the option "url" is missing'),
        ({"url": "a.db"}, 'the option "query" is missing'),
        ({"url": "a.db", "query": "SELECT 1", "fetchsize": "10"}, 'there is no option "fetchsize"; there are url'),
        ({"url": "a.db", "query": "SELECT 1", "connections": "many"}, "must be a whole number"),
        ({"url": "a.db", "query": "SELECT 1", "params": "s3cret"}, "must be a JSON array"),
    ],
)
def test_options_that_are_none(spark: SparkSession, options: dict[str, str], words: str) -> None:
    bowshot.spark.register(spark)
    with pytest.raises(AnalysisException) as caught:
        spark.read.format("bowshot-python").options(**options).load()
    assert "bowshot.exceptions.ConfigError: " in str(caught.value)
    assert words in str(caught.value)
    assert "s3cret" not in str(caught.value)


CONNECT = """
import gc, sys, time
import bowshot, bowshot.spark
from pyspark.sql import SparkSession
postgres = sys.argv[1]
spark = SparkSession.builder.remote("local[2]").getOrCreate()
df = bowshot.spark.read_sql(spark, "SELECT n, n::text AS t FROM generate_series(1, 1000) n", postgres)
derived = df.where("n > 10")
del df
gc.collect()
print(derived.count(), derived.count(), derived.agg({"n": "sum"}).collect()[0][0])
from tests.test_tickets import sessions, until
print(sessions(postgres))
del derived
gc.collect()
until(lambda: not sessions(postgres), "the session stays")
print("done")
"""


def test_spark_connect(spark: SparkSession, postgres: str) -> None:
    gone(spark, postgres, 0)
    ran = subprocess.run([sys.executable, "-c", CONNECT, postgres], capture_output=True, text=True, timeout=200)
    assert ran.stdout.split("\n")[-4:] == [f"990 990 {sum(range(11, 1001))}", "1", "done", ""], ran.stderr[-3000:]


def test_the_jar_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOWSHOT_SPARK_JAR", str(tmp_path / "none.jar"))
    with pytest.raises(bowshot.ConfigError, match=r"none\.jar, which is no file"):
        bowshot.spark.jar()
    (tmp_path / "none.jar").touch()
    assert bowshot.spark.jar() == str(tmp_path / "none.jar")
