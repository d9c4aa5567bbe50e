"""Programs that stay as they are: Spark's JDBC source with and without Bowshot, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
import pytest
from pyspark.sql import DataFrame, SparkSession
from spark.cells import assert_same
from spark.dropin import SWITCH, Words, plan, settings, switched_on, words

__all__ = ["settings", "switched_on", "words"]

Reader = Callable[..., DataFrame]


@pytest.fixture
def jdbc(spark: SparkSession, postgres: str) -> Reader:
    """Reads with Spark's JDBC source."""
    address = urlsplit(postgres)
    login = {"user": unquote(address.username or ""), "driver": "org.postgresql.Driver"}
    if address.password:
        login["password"] = unquote(address.password)

    def read(parameters: str = "", **options: Any) -> DataFrame:
        url = f"jdbc:postgresql://{address.hostname}:{address.port}{address.path}{parameters}"
        return spark.read.format("jdbc").options(url=url, **login).options(**options).load()

    return read


def is_read(df: DataFrame) -> bool:
    """Whether the plan goes through Bowshot."""
    return "bowshot postgresql" in plan(df)


def compare(spark: SparkSession, read: Callable[[], DataFrame], key: Any = repr) -> None:
    """Both have the same, and Bowshot reads it."""
    ours = read()
    assert is_read(ours), plan(ours)
    spark.conf.set(SWITCH, "false")
    try:
        theirs = read()
        assert not is_read(theirs)
        assert ours.schema == theirs.schema
        assert_same(ours, theirs, key=key)
    finally:
        spark.conf.set(SWITCH, "true")


COLUMNS = """
b true bool | i2 1 int2 | i4 2 int4 | i8 3 int8 | f4 0.1 float4 | f8 -0.25 float8 | n92 12.34 numeric(9,2)
n38 -1234567890123456789012345678.0123456789 numeric(38,10)
t ä text | vc v varchar(9) | c3 c char(3) | by \\x00ff bytea | d 2024-02-29 date | na x name
ts 2024-03-10T02:30:00.000001 timestamp | tz 2024-03-10T07:30:00+00 timestamptz
u 00000000-0000-0000-0000-00000000007f uuid | j {"a":1} jsonb | js {"a":2} json
"""
TIMES = [
    "-infinity", "4714-11-24 00:00:00 BC", "0100-03-01 00:00:00 BC", "0001-01-01 00:00:00", "0001-01-03 01:02:03.4", "0999-02-28 12:00:00", "1000-02-28 12:00:00",
    "1500-02-28 23:59:59.999999", "1582-10-04 23:00:00", "1582-10-05 00:00:00", "1582-10-14 12:00:00", "1582-10-15 00:00:00", "1582-10-16 00:00:00",
    "1883-11-18 12:00:00", "1883-11-18 11:58:00", "1899-12-31 23:59:59.999999", "1900-01-01 00:00:00", "1909-12-31 23:59:59.999999", "1910-01-01 00:00:00",
    "1918-03-31 02:30:00", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00.000001", "2011-12-30 12:00:00", "2011-12-29 12:00:00",
    "2024-03-10 01:59:59.999999", "2024-03-10 02:00:00", "2024-03-10 02:30:00", "2024-03-10 02:59:59.999999", "2024-03-10 03:00:00",
    "2024-03-31 02:30:00", "2024-10-27 02:30:00", "2024-04-07 01:45:00", "2024-10-06 02:15:00",
    "2024-11-03 00:59:59", "2024-11-03 01:00:00", "2024-11-03 01:30:00", "2024-11-03 01:59:59.999999", "2024-11-03 02:00:00", "2024-12-31 23:59:60",
    "2100-07-01 12:00:00", "9999-12-31 23:59:59.999999", "10000-01-01 00:00:00", "200000-06-30 12:00:00", "infinity",
]


def typed() -> str:
    """A query with a row of values, and one of NULLs."""
    cells = [cell.split() for line in COLUMNS.strip().splitlines() for cell in line.split(" | ")]
    values = ", ".join(f"'{value}'::{kind} AS {name}" for name, value, kind in cells)
    nulls = ", ".join(f"NULL::{kind}" for _, _, kind in cells)
    return f"SELECT {values} UNION ALL SELECT {nulls}"


@pytest.mark.parametrize("local", [True, False])
def test_every_type_is_the_same(spark: SparkSession, jdbc: Reader, local: bool) -> None:
    compare(spark, lambda: jdbc(query=typed(), preferTimestampNTZ=local), key=None)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"])
def test_times_are_the_same_in_each_zone(spark: SparkSession, jdbc: Reader, postgres: str, zone: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS times")
        connection.execute("SET timezone = 'UTC'")
        connection.execute("CREATE TABLE times (n int, d date, ts timestamp, tz timestamptz)")
        values = [(n, v.replace("2024-12-31 23:59:60", "2025-01-01"), v, v) for n, v in enumerate(TIMES)]
        values += [(len(TIMES), None, None, None)]
        connection.cursor().executemany("INSERT INTO times VALUES (%s, %s::date, %s::timestamp, %s::timestamptz)", values)
    zones = spark._jvm.java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone(zone))
    try:
        compare(spark, lambda: jdbc(dbtable="times"))
        finite = "SELECT * FROM times WHERE isfinite(ts) IS NOT FALSE"
        compare(spark, lambda: jdbc(query=finite, preferTimestampNTZ=True))
        for switch in ("true", "false"):
            spark.conf.set(SWITCH, switch)
            with pytest.raises(Exception, match="overflow"):
                jdbc(dbtable="times", preferTimestampNTZ=True).collect()
    finally:
        zones.setDefault(before)
