"""Programs that stay as they are: Spark's JDBC source with and without Bowshot, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def addressed(postgres: str) -> tuple[str, dict[str, str]]:
    """The database's address for JDBC, and who reads it."""
    address = urlsplit(postgres)
    login = {"user": unquote(address.username or ""), "driver": "org.postgresql.Driver"}
    if address.password:
        login["password"] = unquote(address.password)
    return f"jdbc:postgresql://{address.hostname}:{address.port}{address.path}", login


@pytest.fixture
def jdbc(spark: SparkSession, postgres: str) -> Reader:
    """Reads with Spark's JDBC source."""
    url, login = addressed(postgres)

    def read(parameters: str = "", **options: Any) -> DataFrame:
        return spark.read.format("jdbc").options(url=url + parameters, **login).options(**options).load()

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
    "-infinity",
    "4714-11-24 00:00:00 BC",
    "0100-03-01 00:00:00 BC",
    "0001-01-01 00:00:00",
    "0001-01-03 01:02:03.4",
    "0999-02-28 12:00:00",
    "1000-02-28 12:00:00",
    "1500-02-28 23:59:59.999999",
    "1582-10-04 23:00:00",
    "1582-10-05 00:00:00",
    "1582-10-14 12:00:00",
    "1582-10-15 00:00:00",
    "1582-10-16 00:00:00",
    "1883-11-18 12:00:00",
    "1883-11-18 11:58:00",
    "1899-12-31 23:59:59.999999",
    "1900-01-01 00:00:00",
    "1909-12-31 23:59:59.999999",
    "1910-01-01 00:00:00",
    "1918-03-31 02:30:00",
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00.000001",
    "2011-12-30 12:00:00",
    "2011-12-29 12:00:00",
    "2024-03-10 01:59:59.999999",
    "2024-03-10 02:00:00",
    "2024-03-10 02:30:00",
    "2024-03-10 02:59:59.999999",
    "2024-03-10 03:00:00",
    "2024-03-31 02:30:00",
    "2024-10-27 02:30:00",
    "2024-04-07 01:45:00",
    "2024-10-06 02:15:00",
    "2024-11-03 00:59:59",
    "2024-11-03 01:00:00",
    "2024-11-03 01:30:00",
    "2024-11-03 01:59:59.999999",
    "2024-11-03 02:00:00",
    "2024-12-31 23:59:60",
    "2100-07-01 12:00:00",
    "9999-12-31 23:59:59.999999",
    "10000-01-01 00:00:00",
    "200000-06-30 12:00:00",
    "infinity",
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
        values: list[tuple[int, str | None, str | None, str | None]]
        values = [(n, v.replace("2024-12-31 23:59:60", "2025-01-01"), v, v) for n, v in enumerate(TIMES)]
        values += [(len(TIMES), None, None, None)]
        connection.cursor().executemany(
            "INSERT INTO times VALUES (%s, %s::date, %s::timestamp, %s::timestamptz)", values
        )
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


@pytest.fixture
def items(postgres: str) -> Iterator[str]:
    """A table of 20,000 rows in several hundred pages."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS items")
        connection.execute(
            "CREATE TABLE items AS SELECT n AS id, (n / 4.0)::numeric(9,2) AS price, 'n' || n % 10 AS name,"
            " CASE WHEN n % 7 > 0 THEN timestamp '2024-03-10' + n * interval '1 minute' END AS at,"
            ' date \'2020-02-28\' + n % 1000 AS "the ""day", n % 3 = 0 AS flag, n / 8.0::float8 AS ratio,'
            " (n % 5)::text::char(3) AS code, repeat('x', 200) AS note FROM generate_series(1, 20000) n"
        )
        connection.execute("ANALYZE items")
        yield "items"
        connection.execute("DROP TABLE items")


CONDITIONS = [
    "id > 19990",
    "ID < 5 OR id IN (7, 8)",
    "name = 'n3' AND id < 100",
    "name < 'n2' AND id < 100",
    "name LIKE '%3' AND id < 100",
    "code = '3' AND id < 100",
    "at IS NULL AND id < 100",
    "at > TIMESTAMP '2024-03-23 20:00:00'",
    "at < TIMESTAMP '2024-03-10 03:30:00'",
    "`the \"day` = DATE '2020-02-29'",
    "price BETWEEN 10.25 AND 11",
    "flag AND ratio < 5",
    "ratio = 2.5",
    "id % 1000 = 7",
    "length(name) + id < 10",
    "name IS NOT NULL AND NOT (id > 20)",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_filters_keep_the_same_rows(spark: SparkSession, jdbc: Reader, items: str, condition: str) -> None:
    compare(spark, lambda: jdbc(dbtable=items).where(condition))
    compare(spark, lambda: jdbc(dbtable=items, pushDownPredicate=False).where(condition).select("id", "at"))


def test_the_database_is_told_what_is_needed(jdbc: Reader, items: str) -> None:
    df = jdbc(dbtable=items).where("id > 10 AND length(name) = 2").select("price")
    assert 'SELECT "price", "name" FROM items WHERE' in plan(df)
    assert '("id" > 10)' in plan(df)
    assert df.count() == 19_990
    assert jdbc(dbtable=items).count() == 20_000
    assert jdbc(dbtable=items).limit(3).count() == 3


RANGES = {"partitionColumn": "id", "lowerBound": 100, "upperBound": 900, "numPartitions": 4}
DAYS = {"partitionColumn": "at", "lowerBound": "2024-03-10", "upperBound": "2024-03-12", "numPartitions": 2}


def test_a_table_is_read_in_partitions(spark: SparkSession, jdbc: Reader, words: Words, postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS big")
        connection.execute(
            "CREATE TABLE big AS SELECT n AS id, timestamp '2024-03-10' + n * interval '1 minute' AS at,"
            " repeat('x', 1700) AS note FROM generate_series(1, 60000) n"
        )
    try:
        df = jdbc(dbtable="big")
        assert df.rdd.getNumPartitions() > 1
        compare(spark, lambda: jdbc(dbtable="big").selectExpr("count(*)", "sum(hash(id, at))", "min(at)", "max(at)"))
        for ranges in (RANGES, DAYS):
            compare(spark, partial(jdbc, dbtable="public.big", **ranges))
        filtered = jdbc(dbtable="big").where("id > 10").select("at")
        assert filtered.rdd.getNumPartitions() > 1
        assert filtered.count() == 59_990
        left(
            lambda: jdbc(dbtable="(SELECT * FROM big) AS b", **RANGES),
            words,
            "Spark reads it with 4 tasks, and Bowshot could only with one",
        )
    finally:
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute("DROP TABLE big")


@pytest.mark.parametrize(
    "options",
    [
        {"dbtable": "items", "fetchsize": 100, "numPartitions": 4},
        {"dbtable": "(SELECT id, price FROM items WHERE name = 'n1') AS t"},
        {"query": "SELECT name, count(*) AS n, max(id) AS last FROM items GROUP BY name"},
        {"dbtable": "items", "ApplicationName": "x", "currentSchema": "public", "sslmode": "disable"},
    ],
    ids=str,
)
@pytest.mark.usefixtures("items")
def test_options_mean_the_same(spark: SparkSession, jdbc: Reader, options: dict[str, Any]) -> None:
    compare(spark, lambda: jdbc(**options))


def test_the_sessions_are_set_up_as_the_driver_does_it(spark: SparkSession, jdbc: Reader, postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute('CREATE SCHEMA IF NOT EXISTS "other one"')
        connection.execute('DROP TABLE IF EXISTS "other one".things')
        connection.execute('CREATE TABLE "other one".things AS SELECT 42 AS id')
    compare(spark, lambda: jdbc("?currentSchema=%22other%20one%22", dbtable="things"))
    zones = spark._jvm.java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone("Asia/Kolkata"))
    try:
        instant = "timestamptz '2024-01-01 20:00:00+00'"
        query = (
            f"SELECT ({instant})::date AS d, ({instant})::text AS t, (0.1::float8)::text AS f, now() > {instant} AS n"
        )
        compare(spark, lambda: jdbc(query=query))
    finally:
        zones.setDefault(before)


def test_the_zone_of_sessions_is_that_of_the_jvm_that_reads(spark: SparkSession, jdbc: Reader) -> None:
    zones = spark._jvm.java.util.TimeZone
    before = zones.getDefault()
    query = "SELECT (timestamptz '2024-01-01 20:00:00+00')::text AS t, timestamptz '2024-01-01 20:00:00+00' AS i"
    try:
        zones.setDefault(zones.getTimeZone("America/New_York"))
        df = jdbc(query=query)
        assert "bowshot postgresql" in plan(df)
        for zone, hour in (("Asia/Kolkata", "01:30:00+05:30"), ("GMT-03:00", "17:00:00-03")):
            zones.setDefault(zones.getTimeZone(zone))
            assert df.first()[0].endswith(hour)
            compare(spark, lambda: jdbc(query=query))
    finally:
        zones.setDefault(before)


@pytest.mark.parametrize("cell", ["date '5874896-02-18'", "timestamptz '294246-02-17 17:17:17.171717+00'"])
def test_the_days_that_stand_for_infinity_are_errors(jdbc: Reader, cell: str) -> None:
    with pytest.raises(Exception, match="Bowshot has infinity instead of"):
        jdbc(query=f"SELECT {cell} AS x").collect()


def test_a_column_is_altered_after_it_was_read(jdbc: Reader, postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS altered")
        connection.execute("CREATE TABLE altered AS SELECT 1 AS id, 'a' AS name")
        relation = jdbc(dbtable="altered")
        made = relation.where("id > 0")
        assert made.collect() == [(1, "a")]
        connection.execute("ALTER TABLE altered ALTER COLUMN id TYPE int8")
        connection.execute("INSERT INTO altered VALUES (2, 'b')")
        assert made.count() == 2
        # Spark's own source would read on; a value that does not fit is an error there.
        with pytest.raises(Exception, match='the column "id" was int when the read was planned, and is bigint'):
            made.collect()
        assert relation.where("id > 1").collect() == [(2, "b")]
        assert relation.collect() == [(1, "a"), (2, "b")]
        connection.execute("DROP TABLE altered")


def test_a_table_that_replaces_itself_becomes_what_spark_makes_of_it(
    spark: SparkSession, jdbc: Reader, postgres: str
) -> None:
    url, login = addressed(postgres)
    found = []
    with psycopg.connect(postgres, autocommit=True) as connection:
        for switch in ("true", "false"):
            spark.conf.set(SWITCH, switch)
            spark.range(5).write.jdbc(url, "itself", "overwrite", login)
            df = jdbc(dbtable="itself")
            assert df.count() == 5
            df.write.jdbc(url, "itself", "overwrite", login)
            found.append(connection.execute("SELECT count(*) FROM itself").fetchone())
        connection.execute("DROP TABLE itself")
    assert found[0] == found[1]


def test_views_joins_aggregates_and_caches_are_the_same(spark: SparkSession, jdbc: Reader, items: str) -> None:
    jdbc(dbtable=items).createOrReplaceTempView("items_view")
    for sql in (
        "SELECT count(*) FROM items_view",
        "SELECT name, sum(price), max(at) FROM items_view GROUP BY name",
        "SELECT a.id, b.name FROM items_view a JOIN items_view b ON a.id = b.id + 7 WHERE a.id < 50",
        "SELECT count(*) FROM items_view a JOIN (SELECT max(id) m FROM items_view) b ON a.id < b.m",
        "SELECT id FROM items_view WHERE id IN (SELECT id * 2 FROM items_view WHERE id < 10)",
        "SELECT id, (SELECT max(price) FROM items_view) FROM items_view WHERE id < 3",
        "SELECT id + 1 AS x, id AS y, id AS z, 5 AS w FROM items_view WHERE id < 3",
        "SELECT id FROM items_view ORDER BY at DESC NULLS LAST, id LIMIT 5",
    ):
        compare(spark, partial(spark.sql, sql))


def test_a_cache_is_sparks(jdbc: Reader, words: Words, items: str) -> None:
    cached = jdbc(dbtable=items).where("id < 100").cache()
    try:
        words.wait("it fills a cache")
        assert cached.count() == 99
    finally:
        cached.unpersist(blocking=True)


def test_a_table_is_overwritten_after_it_was_read(spark: SparkSession, jdbc: Reader, postgres: str) -> None:
    url, login = addressed(postgres)
    try:
        for number in range(3):
            spark.range(number + 3).write.jdbc(url, "replaced", "overwrite", login)
            df = jdbc(dbtable="replaced")
            df.explain()
            assert df.count() == number + 3
            assert spark.read.jdbc(url, "replaced", properties=login).where("id > 0").count() == number + 2
        jdbc(dbtable="replaced").write.jdbc(url, "replaced2", "overwrite", login)
        assert jdbc(dbtable="replaced2").count() == 5
    finally:
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS replaced, replaced2")


def left(read: Callable[[], DataFrame], words: Words, reason: str) -> None:
    """Spark reads it, for a reason."""
    df = read()
    assert not is_read(df), plan(df)
    words.wait(f"Bowshot leaves a read of JDBC to Spark: {reason}")
    assert df.count() >= 0


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT 1.5::numeric AS x", 'the column "x" is numeric, read as decimal\\(38,18\\)'),
        ("SELECT sum(price) AS x FROM items", 'the column "x" is numeric, read as decimal'),
        ("SELECT '12:00'::time AS x", '(the column "x" is|it cannot be planned: .* type) time'),
        ("SELECT '1 day'::interval AS x", 'the column "x" is interval, read as string'),
        ("SELECT '{1}'::int4[] AS x", 'the column "x" is .*int4.*, read as array'),
        ("SELECT 5::money AS x", 'the column "x" is money, read as'),
        ("SELECT '1.2.3.4'::inet AS x", 'the column "x" is inet, read as string'),
        ("SELECT B'101' AS x", 'the column "x" is bit, read as'),
    ],
)
@pytest.mark.usefixtures("items")
def test_other_types_are_sparks(jdbc: Reader, words: Words, query: str, reason: str) -> None:
    left(lambda: jdbc(query=query), words, reason)
    # What is not needed does not count.
    assert is_read(jdbc(query=query.replace(" AS x", " AS x, 5 AS y")).select("y"))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"customSchema": "id LONG"}, "it has the option customSchema"),
        ({"sessionInitStatement": "SET work_mem = '8MB'"}, "it has the option sessionInitStatement"),
        ({"queryTimeout": 100}, "it has the option queryTimeout"),
        ({"prepareThreshold": 1}, "it has the option prepareThreshold"),
        ({"dbtable": "(SELECT id, nextval('numbers') AS n FROM items) t"}, 'its SQL has "nextval'),
        ({"dbtable": "(SELECT id FROM items -- all\n) t"}, "its SQL has comments"),
        ({"dbtable": "(SELECT id, public.max(id) AS n FROM items GROUP BY id) t"}, 'its SQL has "max'),
        ({"dbtable": "(SELECT id, más(id) AS n FROM items) t"}, 'its SQL has "más'),
        ({"dbtable": "(SELECT id FROM items FOR UPDATE) t"}, "its SQL locks rows"),
        ({"dbtable": "(SELECT id FROM items FOR NO KEY UPDATE) t"}, "its SQL locks rows"),
    ],
    ids=str,
)
def test_other_options_are_sparks(
    jdbc: Reader, words: Words, postgres: str, items: str, options: dict[str, Any], reason: str
) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE IF NOT EXISTS numbers")
        for name in ("max", "más"):
            connection.execute(f"CREATE OR REPLACE FUNCTION public.{name}(int) RETURNS int LANGUAGE sql AS 'SELECT 7'")
    left(lambda: jdbc(**{"dbtable": items, **options}), words, reason)


def test_conditions_of_a_users_own_are_sparks(spark: SparkSession, words: Words, postgres: str, items: str) -> None:
    url, login = addressed(postgres)
    df = spark.read.jdbc(url, items, predicates=["id < 10", "id < 5"], properties=login)
    assert not is_read(df)
    words.wait("its partitions are conditions of its own")
    assert df.count() == 13


def test_a_session_leaves_databases_to_spark(spark: SparkSession, jdbc: Reader, items: str) -> None:
    spark.conf.set(SWITCH + ".jdbc", "false")
    try:
        assert not is_read(jdbc(dbtable=items))
    finally:
        spark.conf.unset(SWITCH + ".jdbc")
    assert is_read(jdbc(dbtable=items))


def test_no_password_is_shown(jdbc: Reader, postgres: str, items: str, words: Words) -> None:
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute(
            "DROP OWNED BY hush2"
            if admin.execute("SELECT 1 FROM pg_roles WHERE rolname = 'hush2'").fetchone()
            else "SELECT 1"
        )
        admin.execute("DROP ROLE IF EXISTS hush2")
        admin.execute("CREATE ROLE hush2 LOGIN PASSWORD 'hunter2'")
        admin.execute(f"GRANT SELECT ON {items} TO hush2")
    df = jdbc(dbtable=items, user="hush2", password="hunter2")
    assert is_read(df)
    assert df.count() == 20_000
    assert "hunter2" not in plan(df)
    assert "hunter2" not in words.all()
