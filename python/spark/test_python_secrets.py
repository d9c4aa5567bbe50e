"""No password of an address comes out of plans, errors, or what Spark's web pages would show."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bowshot
import bowshot.spark
import psycopg
import pytest
from pyspark.sql import SparkSession
from tests.malformed_addresses import MARK, addresses
from tests.test_secrets import outcome, told


@pytest.fixture
def secret(postgres: str) -> Iterator[str]:
    """The address of the same database with a password that nobody may see."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE keeper LOGIN SUPERUSER PASSWORD '{MARK}'")
        yield f"postgresql://keeper:{MARK}@{postgres.split('@')[1]}"
        connection.execute("DROP ROLE keeper")


def written(folder: Path) -> str:
    """All that Spark has written down of what it does."""
    text = "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    assert "SparkListenerSQLExecutionStart" in text
    return text


def test_plans_and_the_event_log(
    spark: SparkSession, secret: str, event_log: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    df = bowshot.spark.read_sql(spark, "SELECT 1 AS one", secret)
    bowshot.spark.register(spark)
    read = spark.read.format("bowshot-python").option("url", secret).option("query", "SELECT 2 AS two").load()
    for frame, value in ((df, 1), (read, 2)):
        assert frame.collect() == [(value,)]
        for mode in ("simple", "extended", "codegen", "cost", "formatted"):
            frame.explain(mode=mode)
        assert MARK not in repr(frame) + str(frame._jdf.queryExecution().toString())
    options = f"OPTIONS (url '{secret}', query 'SELECT 3 AS x')"
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW seen USING `bowshot-python` {options}")
    assert spark.sql("SELECT * FROM seen").collect() == [(3,)]
    spark.sql("DROP VIEW seen")
    bowshot.spark.close(df)
    out, err = capfd.readouterr()
    assert "BatchScan" in out
    assert MARK not in out + err
    assert MARK not in written(event_log)


def test_errors_of_tasks_and_planners(
    spark: SparkSession, secret: str, event_log: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bowshot.spark.register(spark)
    failing = "SELECT 1 / (n - 5000) AS q FROM generate_series(1, 9000) n"
    df = bowshot.spark.read_sql(spark, failing, secret)
    wrong = secret.replace(MARK, MARK[::-1] + MARK)
    reader = spark.read.format("bowshot-python")
    calls: list[Callable[[], Any]] = [
        lambda: df.collect(),
        lambda: reader.options(url=secret, query=failing).load().collect(),
        lambda: reader.options(url=secret, query="SELECT * FROM nowhere").load(),
        lambda: reader.options(url=wrong, query="SELECT 1 AS one").load(),
        lambda: bowshot.spark.read_sql(spark, "SELECT 1 AS one", wrong),
    ]
    for call in calls:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - of Spark and of Bowshot
            call()
        assert "bowshot.exceptions." in repr(caught.type) + str(caught.value)
        assert not [text for text in told(caught.value) if MARK in text]
    bowshot.spark.close(df)
    out, err = capfd.readouterr()
    assert MARK not in out + err
    assert MARK not in written(event_log)


def test_malformed_addresses(spark: SparkSession) -> None:
    for address in addresses()[::7]:
        said = outcome(functools.partial(bowshot.spark.read_sql, spark, "SELECT 1 AS a", address))
        assert MARK not in said, (address, said)
    bowshot.spark.register(spark)
    for address in addresses()[::60]:
        reader = spark.read.format("bowshot-python").options(url=address, query="SELECT 1 AS a")
        said = outcome(reader.load)
        assert MARK not in said, (address, said)
