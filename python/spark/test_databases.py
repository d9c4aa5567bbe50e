"""`format("bowshot")` over databases: tasks on one snapshot, and plans that end with their readers."""

from __future__ import annotations

import gc
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import psycopg
import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from spark.cells import assert_same, rows, types
from spark.jdbc import read_jdbc
from tests.gateway.serving import served
from tests.test_tickets import ROWS, asleep, sessions, until


def query(spark: SparkSession, uri: str, sql: str, **options: Any) -> DataFrame:
    return spark.read.format("bowshot").option("query", sql).options(**options).load(uri)


def accounts_of(spark: SparkSession, uri: str, **options: Any) -> DataFrame:
    return spark.read.format("bowshot").option("dbtable", "accounts").options(connections=4, **options).load(uri)


def all_end(spark: SparkSession, postgres: str) -> None:
    """Waits until no plan holds a session; transactions of the fixture's writers are short."""
    time.sleep(1.1)

    def ended() -> bool:
        gc.collect()
        spark._jvm.java.lang.System.gc()
        with psycopg.connect(postgres, autocommit=True) as connection:
            statement = (
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE xact_start < now() - interval '1 second' AND backend_type = 'client backend'"
            )
            return connection.execute(statement).fetchone() == (0,)

    until(ended, "a session stays", seconds=20)


def plan(df: DataFrame) -> str:
    return str(df._jdf.queryExecution().toString())


# A column for each type: its name, a value, and its type in PostgreSQL.
COLUMNS = """
b true bool | i2 1 int2 | i4 2 int4 | i8 3 int8 | f4 0.5 float4 | f8 -0.25 float8 | n92 12.34 numeric(9,2)
n 1.5 numeric | t ä text | vc v varchar(9) | c3 c char(3) | by \\x00ff bytea | d 2024-02-29 date
ts 2024-03-10T02:30:00.000001 timestamp | tz 2024-03-10T07:30:00+00 timestamptz
u 00000000-0000-0000-0000-00000000007f uuid | j {"a":1} jsonb | ai {1,NULL,3} int4[] | at {a,"b"} text[] | o 7 oid
"""


def typed() -> str:
    """A query with a row of values, and one of NULLs."""
    cells = [cell.split() for line in COLUMNS.strip().splitlines() for cell in line.split(" | ")]
    values = ", ".join(f"'{value}'::{kind} AS {name}" for name, value, kind in cells)
    nulls = ", ".join(f"NULL::{kind}" for _, _, kind in cells)
    return f"SELECT {values} UNION ALL SELECT {nulls}"


def test_types_are_those_of_sparks_jdbc_source(spark: SparkSession, postgres: str) -> None:
    ours = query(spark, postgres, typed())
    theirs = read_jdbc(spark, typed(), postgres, preferTimestampNTZ=True)
    assert types(ours) == types(theirs) | {"o": types(ours)["o"]}
    assert_same(ours.drop("o"), theirs.drop("o"), key=None)


def test_a_table_is_read_in_partitions(spark: SparkSession, postgres: str, accounts: str) -> None:
    df = accounts_of(spark, postgres, partition_bytes=4 << 20)
    assert df.rdd.getNumPartitions() > 2
    theirs = read_jdbc(spark, f"SELECT * FROM {accounts}", postgres)
    assert types(df) == types(theirs)
    hashed = f.sum(f.xxhash64("id", "balance", "note").cast("decimal(38,0)"))
    assert df.agg(hashed, f.count("*")).collect() == theirs.agg(hashed, f.count("*")).collect()


@pytest.mark.usefixtures("writers")
def test_tasks_see_one_state_while_others_write(spark: SparkSession, postgres: str) -> None:
    df = accounts_of(spark, postgres, partition_bytes=2 << 20)
    for _ in range(3):
        found = df.agg(f.count("*"), f.sum("balance"), f.sum("id")).collect()[0]
        assert tuple(found) == (ROWS, 0, ROWS * (ROWS + 1) // 2)
    # Read twice in one action, for the same columns: one state, and one read.
    both = df.select("id", "balance").join(df.selectExpr("id", "balance AS other"), "id")
    assert both.where("balance <> other").count() == 0
    all_end(spark, postgres)


@pytest.mark.usefixtures("accounts")
def test_a_plan_ends_with_its_action(spark: SparkSession, postgres: str) -> None:
    all_end(spark, postgres)
    df = accounts_of(spark, postgres)
    assert sessions(postgres) == 0, "a look at the columns holds nothing"
    for _ in range(5):
        assert df.count() == ROWS
        until(lambda: sessions(postgres) == 0, "the plan outlives its action", seconds=5)
    df.write.format("noop").mode("overwrite").save()
    until(lambda: sessions(postgres) == 0, "the plan outlives its action", seconds=5)
    assert df.rdd.map(lambda row: row.id).sum() == ROWS * (ROWS + 1) // 2
    until(lambda: sessions(postgres) == 0, "the plan outlives its job", seconds=5)


@pytest.mark.usefixtures("writers")
def test_jobs_of_one_partition_each_read_one_state(spark: SparkSession, postgres: str) -> None:
    df = accounts_of(spark, postgres, partition_bytes=2 << 20)
    # A job a partition, and no execution around them.
    found = 0
    for place, row in enumerate(df.toLocalIterator()):
        found += row.balance
        if place % 4_000 == 0:
            time.sleep(0.2)
    assert found == 0
    all_end(spark, postgres)
    # What was read in part is planned anew when it is read again.
    rdd = df.select("balance").rdd.map(lambda row: row.balance)
    for _ in range(2):
        assert len(rdd.take(1)) == 1
        assert rdd.sum() == 0
    all_end(spark, postgres)


@pytest.mark.usefixtures("accounts")
def test_a_long_action_holds_no_plan_of_short_ones(spark: SparkSession, postgres: str) -> None:
    slow = query(spark, postgres, "SELECT pg_sleep(0.05) IS NULL AS slow FROM accounts", connections=1)
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(ends_by_cancel, spark, slow)
        until(lambda: asleep(postgres) > 0, "the query never runs")
        held = sessions(postgres)
        for _ in range(5):
            assert accounts_of(spark, postgres).count() == ROWS
        until(lambda: sessions(postgres) <= held, "the plans outlive their actions")
        assert asleep(postgres) > 0
        spark.sparkContext.cancelJobGroup("slow")
        ended.result(20)
    all_end(spark, postgres)


def ends_by_cancel(spark: SparkSession, df: DataFrame) -> None:
    spark.sparkContext.setJobGroup("slow", "a slow read", interruptOnCancel=False)
    with pytest.raises(Exception, match="cancel"):
        df.write.format("noop").mode("overwrite").save()


@pytest.mark.usefixtures("writers")
def test_a_cache_is_of_one_state_whichever_action_fills_it(spark: SparkSession, postgres: str) -> None:
    cached = accounts_of(spark, postgres, partition_bytes=2 << 20).select("id", "balance").cache()
    assert len(cached.limit(1).collect()) == 1
    time.sleep(0.5)
    assert cached.agg(f.sum("balance")).collect()[0][0] == 0
    assert cached.agg(f.sum("balance")).collect()[0][0] == 0
    cached.unpersist(blocking=True)
    del cached
    all_end(spark, postgres)


@pytest.mark.usefixtures("accounts")
def test_a_lost_cache_is_an_error_and_what_is_read_after_it_is_not(spark: SparkSession, postgres: str) -> None:
    df = accounts_of(spark, postgres, lease=1).select("id")
    df.cache()
    assert len(df.limit(1).collect()) == 1
    until(lambda: sessions(postgres) == 0, "the lease never ends")
    with pytest.raises(Exception, match=r"(?s)snapshot is gone.*make the DataFrame again"):
        df.count()
    df.unpersist(blocking=True)
    assert df.where("id > 0").count() == ROWS
    assert df.select("id").count() == ROWS


@pytest.mark.usefixtures("accounts")
def test_actions_at_the_same_time_each_read_one_state(spark: SparkSession, postgres: str) -> None:
    df = accounts_of(spark, postgres, partition_bytes=2 << 20)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(df.count())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [ROWS] * 4
    all_end(spark, postgres)


def test_what_the_database_filters_is_in_its_sql(spark: SparkSession, postgres: str, accounts: str) -> None:
    df = accounts_of(spark, postgres).where("id > 19990 AND note LIKE 'x%' AND balance = 0").select("id")
    assert [row.id for row in df.orderBy("id").collect()] == list(range(19991, ROWS + 1))
    assert 'bowshot."id" > 19990' in plan(df)
    assert 'bowshot."balance" = 0' in plan(df)
    assert accounts_of(spark, postgres).count() == ROWS
    limited = accounts_of(spark, postgres).limit(3)
    assert len(limited.collect()) == 3
    assert "LIMIT 3" in plan(limited)
    assert accounts == "accounts"


@pytest.mark.usefixtures("accounts")
def test_a_cancelled_job_ends_its_query(spark: SparkSession, postgres: str) -> None:
    df = query(spark, postgres, "SELECT id, pg_sleep(0.01) IS NULL AS slow FROM accounts")
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(ends_by_cancel, spark, df)
        until(lambda: asleep(postgres) > 0, "the query never runs")
        spark.sparkContext.cancelJobGroup("slow")
        start = time.monotonic()
        until(lambda: asleep(postgres) == 0, "the query runs on")
        assert time.monotonic() - start < 1
        ended.result(20)
    all_end(spark, postgres)


@pytest.mark.usefixtures("accounts")
def test_no_connection_left_means_fewer_tasks(spark: SparkSession, postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS few")
        admin.execute("CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 2")
        admin.execute("GRANT SELECT ON accounts TO few")
    address = postgres.split("@", 1)[1]
    df = accounts_of(spark, f"postgresql://few:few@{address}", partition_bytes=2 << 20)
    assert df.rdd.getNumPartitions() > 2
    assert df.agg(f.sum("id")).collect()[0][0] == ROWS * (ROWS + 1) // 2
    all_end(spark, postgres)


def test_options_of_sparks_jdbc_source_are_understood(spark: SparkSession, postgres: str, accounts: str) -> None:
    address = postgres.split("@", 1)[1].split("?", 1)[0]
    user, _, password = postgres.split("://", 1)[1].split("@", 1)[0].partition(":")
    options: dict[str, Any] = {
        "url": f"jdbc:postgresql://{address}",
        "user": user,
        "driver": "org.postgresql.Driver",
        "fetchsize": 1000,
    }
    if password:
        options["password"] = password
    ranges = {"partitionColumn": "id", "lowerBound": 100, "upperBound": 200, "numPartitions": 3}
    df = spark.read.format("bowshot").options(dbtable=f"(SELECT * FROM {accounts}) t", **options, **ranges).load()
    # The bounds leave out no row, and NULLs have a partition of their own.
    assert df.agg(f.sum("id")).collect()[0][0] == ROWS * (ROWS + 1) // 2
    assert 3 <= df.rdd.getNumPartitions() <= 4
    assert df.select("balance").count() == ROWS


def test_no_password_is_shown(spark: SparkSession, postgres: str, event_log: Path, accounts: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS hush")
        admin.execute("CREATE ROLE hush LOGIN PASSWORD 'hunter2'")
        admin.execute(f"GRANT SELECT ON {accounts} TO hush")
    address = postgres.split("@", 1)[1]
    df = accounts_of(spark, f"postgresql://hush:hunter2@{address}").where("id > 3")
    assert df.count() == ROWS - 3
    beside = spark.read.format("bowshot").options(dbtable=accounts, user="hush", password="hunter2")
    other = beside.load(f"postgresql://{address}")
    assert other.count() == ROWS
    for text in (plan(df), plan(other), str(df.schema)):
        assert "hunter2" not in text
    with pytest.raises(IllegalArgumentException) as caught:
        query(spark, f"postgresql://hush:hunter2@{address}", "SELECT nothing")
    assert "hunter2" not in str(caught.value)
    with pytest.raises(Exception, match="division by zero") as failed:
        query(spark, f"postgresql://hush:hunter2@{address}", "SELECT 1 / (id - 1) AS x FROM accounts").collect()
    assert "hunter2" not in str(failed.value)
    time.sleep(0.5)
    assert not any("hunter2" in log.read_text("utf-8", "replace") for log in event_log.iterdir() if log.is_file())


def test_sqlite_and_mariadb_are_read(spark: SparkSession, tmp_path: Path, mariadb: str) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, price REAL)")
        connection.executemany(
            "INSERT INTO items VALUES (?, ?, ?)", [(i, f"n{i}" if i % 3 else None, i / 8) for i in range(5000)]
        )
    df = spark.read.format("bowshot").option("dbtable", "items").load(str(path))
    assert types(df) == {"id": "bigint", "name": "string", "price": "double"}
    assert df.where("name = 'n4' OR id = 4999").count() == 2
    assert df.agg(f.sum("id"), f.sum("price"), f.count("name")).collect()[0] == (12497500, 1562187.5, 3333)
    found = query(spark, mariadb, "SELECT 18446744073709551615 AS u, CAST('2024-01-02' AS DATE) AS d, 1.50 AS n")
    assert rows(found) == rows(spark.sql("SELECT 18446744073709551615BD AS u, DATE '2024-01-02' AS d, 1.50BD AS n"))


def test_udfs_joins_broadcasts_and_adaptive_plans_read_it(spark: SparkSession, postgres: str, accounts: str) -> None:
    df = accounts_of(spark, postgres)

    twice = f.udf(lambda value: 2 * value, "long")
    assert df.select(twice("id").alias("x")).agg(f.sum("x")).collect()[0][0] == ROWS * (ROWS + 1)
    small = query(spark, postgres, f"SELECT id AS key FROM {accounts} WHERE id <= 10")
    assert df.join(f.broadcast(small), df.id == small.key).count() == 10
    assert df.groupBy((df.id % 10).alias("k")).count().orderBy("k").collect()[0] == (0, ROWS // 10)

    def plus(values: Any) -> Any:
        return values + 1

    # Spark looks at the types themselves.
    plus.__annotations__ = {"values": pd.Series, "return": pd.Series}
    added = df.select(f.pandas_udf(plus, "long")("id").alias("x"))
    assert added.agg(f.sum("x")).collect()[0][0] == ROWS * (ROWS + 1) // 2 + ROWS


def test_a_gateway_is_read_a_task_an_endpoint(spark: SparkSession, command: str, postgres: str, accounts: str) -> None:
    with served(command, f"shop={postgres}") as gateway:
        df = spark.read.format("bowshot").options(dbtable=accounts, connections=4).load(gateway.address)
        theirs = read_jdbc(spark, f"SELECT * FROM {accounts}", postgres)
        assert types(df) == types(theirs)
        found = df.agg(f.count("*"), f.sum("id"), f.sum("balance")).collect()
        assert found == theirs.agg(f.count("*"), f.sum("id"), f.sum("balance")).collect()
        assert df.select("id").where("id > 19990").count() == ROWS - 19990
