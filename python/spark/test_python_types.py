"""What each type becomes in Spark without a jar, cell by cell: beside psycopg, pyarrow, and the conformance cases."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import bowshot
import bowshot.spark
import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.parquet
import pytest
from frames.every_case import CASES, both, source_of, travels
from pyspark.errors import PythonException
from pyspark.sql import SparkSession
from spark.cells import exact, rows, table, texts, types, values
from tests.conformance_cases import Case

UTC = timezone.utc
# An expression of PostgreSQL and Spark's type. The value is psycopg's, or the server's own text where Spark has a text.
OF_POSTGRES = [
    ("true", "boolean"),
    ("'-32768'::int2", "smallint"),
    ("'-2147483648'::int4", "int"),
    ("'-9223372036854775808'::int8", "bigint"),
    ("4294967295::oid", "bigint"),
    ("0.1::float4", "float"),
    ("'-0'::float8", "double"),
    ("'NaN'::float8", "double"),
    ("'-Infinity'::float8", "double"),
    ("12345.678::numeric(8, 3)", "decimal(8,3)"),
    ("-0.00000000000000000000000000000000000001::numeric(38, 38)", "decimal(38,38)"),
    ("99999999999999999999999999999999999999::numeric(38, 0)", "decimal(38,0)"),
    ("1234.5::money", "decimal(19,2)"),
    ("'ünïcödé 🎯'::text", "string"),
    ("''::varchar(3)", "string"),
    ("'ab'::char(4)", "string"),
    ("'a'::\"char\"", "string"),
    ("'relname'::name", "string"),
    (r"'\x00ff'::bytea", "binary"),
    ("'0001-01-01'::date", "date"),
    ("'9999-12-31'::date", "date"),
    ("'2024-03-10 02:30:00.000001'::timestamp", "timestamp_ntz"),
    ("'1883-11-18 12:03:57'::timestamp", "timestamp_ntz"),
    ("'2024-11-03 05:30:00.123456+00'::timestamptz", "timestamp"),
    ("'1901-12-13 20:45:52+05:30'::timestamptz", "timestamp"),
    ("'23:59:59.999999'::time", "string"),
    ("'03:04:05+05:30'::timetz", "string"),
    ("'550e8400-e29b-41d4-a716-446655440000'::uuid", "string"),
    ("'{\"a\": [1, 2.50]}'::json", "string"),
    ("'{\"a\": [1, 2.50]}'::jsonb", "string"),
    ("'192.168.0.1/24'::inet", "string"),
    ("B'1010'", "string"),
    ("'(1,2)'::point", "string"),
    ("'<a/>'::xml", "string"),
    ("'a & b'::tsquery", "string"),
    ("ARRAY[1, NULL, 3]", "array<int>"),
    ("ARRAY['a', NULL, '']", "array<string>"),
    ("ARRAY[4294967295::oid, NULL]", "array<bigint>"),
    ("ARRAY[]::int8[]", "array<bigint>"),
]


def test_each_type_of_postgres(spark: SparkSession, postgres: str) -> None:
    columns = [f"c{number}" for number in range(len(OF_POSTGRES))]
    filled, nulls = ", ".join(sql for sql, _ in OF_POSTGRES), ", ".join("NULL" for _ in OF_POSTGRES)
    source = f"(VALUES ({filled}), ({nulls})) v({', '.join(columns)})"
    with psycopg.connect(postgres) as connection:
        theirs = connection.execute(f"SELECT {', '.join(columns)} FROM {source}").fetchall()
        shown = connection.execute(f"SELECT {', '.join(f'{name}::text' for name in columns)} FROM {source}").fetchone()
    assert shown is not None
    sql = f"SELECT {', '.join(columns)} FROM {source}"
    # Arrays and money have no type modifier in an expression of PostgreSQL.
    df = bowshot.spark.read_sql(spark, sql, postgres, types=declared(columns))
    # psycopg makes objects of some texts: of JSON, UUIDs, times and networks.
    expected = []
    for value, text, (expression, kind) in zip(theirs[0], shown, OF_POSTGRES, strict=True):
        if kind == "string":
            expected.append(value if isinstance(value, str) else text)
        elif "money" in expression:
            expected.append(Decimal("1234.50"))
        elif "float4" in expression:
            expected.append(pa.scalar(0.1, pa.float32()).as_py())
        else:
            expected.append(value)
    assert types(df) == {name: kind for name, (_, kind) in zip(columns, OF_POSTGRES, strict=True)}
    found = rows(df)
    for name, cell, value in zip(columns, found[0], expected, strict=True):
        assert cell == exact(value), (name, OF_POSTGRES[int(name[1:])])
    assert found[1] == [exact(None)] * len(columns)
    bowshot.spark.close(df)


def declared(columns: list[str]) -> dict[str, str]:
    """`types=` for numerics whose scale an expression of PostgreSQL does not tell."""
    return {
        name: kind.replace("decimal", "decimal128")
        for name, (_, kind) in zip(columns, OF_POSTGRES, strict=True)
        if kind.startswith("decimal") and kind != "decimal(19,2)"
    }


def test_spark_shows_instants_and_clocks_as_they_are(spark: SparkSession, postgres: str) -> None:
    sql = "SELECT '2024-07-01 12:00:00+00'::timestamptz AS instant, '2024-07-01 12:00:00'::timestamp AS clock"
    df = bowshot.spark.read_sql(spark, sql, postgres)
    # The session is in New York.
    assert texts(df) == [("2024-07-01 08:00:00", "2024-07-01 12:00:00")]
    assert (
        df.where(
            "instant = TIMESTAMP '2024-07-01 12:00:00 UTC' AND clock = TIMESTAMP_NTZ '2024-07-01 12:00:00'"
        ).count()
        == 1
    )


def test_intervals_are_texts_that_spark_casts(spark: SparkSession, postgres: str) -> None:
    sql = "SELECT '1 year 2 mons -3 days 04:05:06.5'::interval AS i, ARRAY['-00:00:00.000001'::interval] AS a"
    df = bowshot.spark.read_sql(spark, sql, postgres)
    assert df.collect() == [("14 months -3 days 14706.5 seconds", ["0 months 0 days -0.000001 seconds"])]
    found = df.selectExpr("CAST(CAST(i AS INTERVAL) AS STRING)", "CAST(CAST(a[0] AS INTERVAL) AS STRING)")
    assert texts(found) == [("1 years 2 months -3 days 4 hours 5 minutes 6.5 seconds", "-0.000001 seconds")]
    days = bowshot.spark.read_sql(spark, "SELECT '25:00:00.5'::interval AS i", postgres, types={"i": "duration[us]"})
    assert types(days) == {"i": "interval day to second"}
    assert days.collect() == [(timedelta(days=1, hours=1, microseconds=500_000),)]


DAY = datetime(2024, 7, 1, 12, 0, 0, 123_000)
BERLIN = "Europe/Berlin"
HALF = np.float16(1.5)
# An Arrow array, Spark's type, and the cells.
OF_ARROW: list[tuple[pa.Array, str, list[Any]]] = [
    (pa.array([255, None], pa.uint8()), "smallint", [255, None]),
    (pa.array([2**16 - 1, None], pa.uint16()), "int", [2**16 - 1, None]),
    (pa.array([2**32 - 1, None], pa.uint32()), "bigint", [2**32 - 1, None]),
    (pa.array([2**64 - 1, None], pa.uint64()), "decimal(20,0)", [Decimal(2**64 - 1), None]),
    (pa.array([-128, None], pa.int8()), "tinyint", [-128, None]),
    (pa.array([HALF, None], pa.float16()), "float", [1.5, None]),
    (pa.array([Decimal("1.50"), None], pa.decimal256(38, 2)), "decimal(38,2)", [Decimal("1.50"), None]),
    (pa.array(["ä", None], pa.large_string()), "string", ["ä", None]),
    (pa.array(["ä", None], pa.string_view()), "string", ["ä", None]),
    (pa.array([b"\xff", None], pa.large_binary()), "binary", [b"\xff", None]),
    (pa.array([b"\x00" * 4, None], pa.binary(4)), "binary", [b"\x00" * 4, None]),
    (pa.array(["a", None, "a"]).dictionary_encode()[:2], "string", ["a", None]),
    (pa.array([date(2024, 2, 29), None], pa.date64()), "date", [date(2024, 2, 29), None]),
    (pa.array([DAY, None], pa.timestamp("ms")), "timestamp_ntz", [DAY, None]),
    (pa.array([DAY, None], pa.timestamp("ns")), "timestamp_ntz", [DAY, None]),
    (pa.array([DAY, None], pa.timestamp("ns", BERLIN)), "timestamp", [DAY.replace(tzinfo=UTC), None]),
    (pa.array([time(3, 4, 5, 120_000), None], pa.time32("ms")), "string", ["03:04:05.12", None]),
    (pa.array([time(3, 4), None], pa.time64("ns")), "string", ["03:04:00", None]),
    (
        pa.array([timedelta(milliseconds=-1), None], pa.duration("ms")),
        "interval day to second",
        [timedelta(milliseconds=-1), None],
    ),
    (pa.nulls(2), "void", [None, None]),
    (pa.array([[1, None], None], pa.list_(pa.uint16())), "array<int>", [[1, None], None]),
    (pa.array([["a"], []], pa.large_list(pa.large_string())), "array<string>", [["a"], []]),
    (pa.array([[HALF, HALF], None], pa.list_(pa.float16(), 2)), "array<float>", [[1.5, 1.5], None]),
    (pa.array([[time(3, 4, 0, 10)], None], pa.list_(pa.time64("us"))), "array<string>", [["03:04:00.00001"], None]),
    (
        pa.array([{"u": 2**64 - 1, "t": DAY}, None], pa.struct({"u": pa.uint64(), "t": pa.timestamp("ns", BERLIN)})),
        "struct<u:decimal(20,0),t:timestamp>",
        [{"u": Decimal(2**64 - 1), "t": DAY.replace(tzinfo=UTC)}, None],
    ),
    (
        pa.array([[("k", [1, 2])], None], pa.map_(pa.string(), pa.list_(pa.uint8()))),
        "map<string,array<smallint>>",
        [[("k", [1, 2])], None],
    ),
]


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_each_type_of_arrow(spark: SparkSession, tmp_path: Path, suffix: str) -> None:
    # Not every version of pyarrow writes views into Parquet.
    chosen = [one for one in OF_ARROW if suffix == "arrow" or one[0].type != pa.string_view()]
    whole = pa.table({f"c{number}": array for number, (array, _, _) in enumerate(chosen)})
    path = tmp_path / f"types.{suffix}"
    if suffix == "parquet":
        pyarrow.parquet.write_table(whole, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
            writer.write_table(whole)
    df = bowshot.spark.read_sql(spark, "", path)
    assert types(df) == {f"c{number}": kind for number, (_, kind, _) in enumerate(chosen)}
    found = table(df)
    for number, (array, kind, expected) in enumerate(chosen):
        assert exact(found.column(number).to_pylist()) == exact(expected), (number, array.type, kind)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (pa.array([1], pa.timestamp("ns")), r"1970-01-01T00:00:00\.000000001.*timestamp\[us\]"),
        (pa.array([1], pa.duration("ns")), r"duration\[us\]"),
        (pa.array([2**62], pa.timestamp("s")), r"timestamp\[us\]"),
        (pa.array([[1_001]], pa.list_(pa.timestamp("ns"))), r"00:00:00\.000001001, which timestamp\[us\] in Spark"),
    ],
)
def test_what_spark_cannot_hold_is_an_error(spark: SparkSession, tmp_path: Path, array: pa.Array, words: str) -> None:
    path = tmp_path / "values.arrow"
    whole = pa.table({"v": array})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
        writer.write_table(whole)
    with pytest.raises(PythonException, match=f'bowshot.exceptions.DataError: column "v".*{words}.*types='):
        bowshot.spark.read_sql(spark, "", path).collect()


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("1.5::numeric", r'types=\{"v": "decimal128\(38, 18\)"\}, or read it as text'),
        ("1.5::numeric(50, 2)", r'types=\{"v": "decimal128\(38, 2\)"\}'),
        ("ARRAY[1.5]", r"by a cast in the query, or read it as text"),
    ],
)
def test_decimals_of_too_many_digits(spark: SparkSession, postgres: str, sql: str, words: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"DROP TABLE IF EXISTS wide; CREATE TABLE wide AS SELECT {sql} AS v")
    with pytest.raises(bowshot.UnsupportedError, match=f'column "v" .*38 of Spark.*{words}') as caught:
        bowshot.spark.read_sql(spark, "SELECT v FROM wide", postgres)
    assert caught.value.column == "v"
    df = bowshot.spark.read_sql(spark, "SELECT v FROM wide", postgres, types={"v": "utf8"})
    assert df.collect()[0].v.strip("{}").rstrip("0") == "1.5"
    bowshot.spark.close(df)


@pytest.fixture(scope="module")
def databases(testkit: str) -> Iterator[dict[str, Any]]:
    """Both databases with all that the cases read."""
    with both(testkit) as found:
        yield found


@pytest.mark.parametrize(("database", "suite", "case"), CASES)
def test_every_case(spark: SparkSession, databases: dict[str, Any], database: str, suite: str, case: Case) -> None:
    con = databases[database]["suites"][suite]
    sql, options = source_of(case)
    if not travels(sql, con, options):
        with pytest.raises(bowshot.UnsupportedError, match="one_snapshot=False"):
            bowshot.spark.read_sql(spark, sql, con, **options)
        return
    whole = bowshot.read_sql(sql, con, return_type="arrow", **options)
    if len(set(whole.column_names)) < whole.num_columns:
        with pytest.raises(bowshot.ConfigError, match="Spark cannot tell apart"):
            bowshot.spark.read_sql(spark, sql, con, **options)
        return
    if any(pa.types.is_decimal(kind) and kind.precision > 38 for kind in whole.schema.types):
        with pytest.raises(bowshot.UnsupportedError, match="digits"):
            bowshot.spark.read_sql(spark, sql, con, **options)
        return
    df = bowshot.spark.read_sql(spark, sql, con, **options)
    assert df.columns == whole.column_names
    expected = [[plain(value) for value in values(column)] for column in whole.columns]
    assert sorted(map(repr, rows(df))) == sorted(repr(exact(list(row))) for row in zip(*expected, strict=True))
    bowshot.spark.close(df)


def plain(value: Any) -> Any:
    """What a value of Arrow is in Spark."""
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, time):
        return value.isoformat().rstrip("0") if value.microsecond else value.isoformat()
    if isinstance(value, pa.MonthDayNano):
        seconds = Decimal(value.nanoseconds).scaleb(-9)
        shown = f"{seconds:f}".rstrip("0").rstrip(".") if seconds else "0"
        return f"{value.months} months {value.days} days {shown} seconds"
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
