"""The default frame is what `pandas.read_sql` gives for the same query through SQLAlchemy and psycopg2."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import bowshot
import pandas as pd
import pyarrow as pa
import pytest
import sqlalchemy
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

# Types whose frame columns are equal to pandas', value by value and dtype by dtype.
SAME = {
    "int2": ["1", "-32768", "32767"],
    "int4": ["1", "-2147483648", "2147483647"],
    "int8": ["1", "9007199254740992", "-9007199254740992"],
    "oid": ["1", "4294967295"],
    "float4": ["1.1", "1e-30", "3.4028235e38", "16777216", "-0.0", "NaN", "Infinity"],
    "float8": ["1.1", "1e-300", "-0.0", "NaN", "-Infinity"],
    "numeric(15,2)": ["1.10", "-0.01", "9999999999999.99"],
    "numeric(38,10)": ["0.1234567891", "1234567890123456789012345678.1234567891"],
    "numeric(60,0)": ["12345678901234567890123456789012345678"],
    "numeric": ["1.5", "12345.678901234567890123", "1e-13", "100", "0.1"],
    "bool": ["true", "false"],
    "text": ["a", "", "naïve 🎯", "NULL"],
    "varchar(10)": ["a"],
    "char(5)": ["ab"],
    "name": ["a"],
    "date": ["2024-02-29", "0001-01-01", "9999-12-31", "1969-12-31"],
    "time": ["12:34:56.789", "00:00", "23:59:59.999999"],
    "timestamp": ["2024-02-29 12:34:56.789", "1600-01-01", "9999-12-31 23:59:59.999999"],
    "timestamptz": ["2024-02-29 12:34:56.789+02", "1969-12-31 23:00+00"],
    "interval": ["1 day 02:00:00", "-3 days 00:00:00.000001"],
    "uuid": ["6b4e9a0e-0000-4000-8000-000000000001"],
    "json": ['{"a": [1, null, "x"]}', "3"],
    "jsonb": ['{"a": {"b": 1.5}}'],
    "inet": ["10.0.0.1", "::1"],
    "cidr": ["10.0.0.0/8"],
    "macaddr": ["08:00:2b:01:02:03"],
    "varbit": ["10101"],
    "xml": ["<a/>"],
    "tsvector": ["'a' 'b'"],
    "point": ["(1,2)"],
    "int4[]": ["{1,NULL,3}", "{}"],
    "text[]": ['{a,NULL,"b c"}'],
    "date[]": ["{2024-02-29}"],
    "uuid[]": ["{6b4e9a0e-0000-4000-8000-000000000001}"],
    "json[]": ['{"3",NULL}'],
    "numeric[]": ["{1.50,NULL,2}"],
    "mood": ["sad", "happy"],
    "positive": ["3"],
}


@pytest.fixture(scope="module")
def engine(postgres: str) -> sqlalchemy.Engine:
    made = sqlalchemy.create_engine(postgres.replace("postgresql://", "postgresql+psycopg2://"))
    with made.begin() as connection:
        connection.execute(sqlalchemy.text("CREATE TYPE mood AS ENUM ('sad', 'happy')"))
        connection.execute(sqlalchemy.text("CREATE DOMAIN positive AS int4 CHECK (VALUE > 0)"))
        connection.execute(
            sqlalchemy.text(
                "CREATE TABLE orders AS SELECT i::int4 AS id, (i * 1.25)::numeric(15, 2) AS price,"
                " 'order ' || i AS name, date '2024-01-01' + (i % 100)::int4 AS day,"
                " CASE WHEN i % 7 > 0 THEN i END AS seven FROM generate_series(1, 10000) i"
            )
        )
    return made


def both(engine: sqlalchemy.Engine, postgres: str, sql: str, **options: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    return bowshot.read_sql(sql, postgres, **options), pd.read_sql(sqlalchemy.text(sql), engine, **options)


def assert_same(ours: pd.DataFrame, theirs: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(ours, theirs, check_exact=True, check_column_type=True, check_index_type=True)
    for position in range(len(theirs.columns)):
        kinds = [{type(value) for value in frame.iloc[:, position]} for frame in (ours, theirs)]
        assert kinds[0] == kinds[1], theirs.columns[position]


def values(type_name: str, texts: list[str], null: bool) -> str:
    quoted = [f"('{text.replace(chr(39), chr(39) * 2)}'::{type_name})" for text in texts]
    return f"SELECT v FROM (VALUES {', '.join([*quoted, *(['(NULL)'] if null else [])])}) AS t (v)".replace(":", "\\:")


@pytest.mark.parametrize("null", [False, True])
@pytest.mark.parametrize("type_name", SAME)
def test_every_type_is_as_pandas_has_it(engine: sqlalchemy.Engine, postgres: str, type_name: str, null: bool) -> None:
    escaped = values(type_name, SAME[type_name], null)
    theirs = pd.read_sql(sqlalchemy.text(escaped), engine)
    assert_same(bowshot.read_sql(escaped.replace("\\:", ":"), postgres), theirs)


@pytest.mark.parametrize("type_name", SAME)
def test_only_nulls(engine: sqlalchemy.Engine, postgres: str, type_name: str) -> None:
    sql = f"SELECT CAST(NULL AS {type_name}) AS v FROM generate_series(1, 3)"
    assert_same(*both(engine, postgres, sql))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"index_col": "id"},
        {"index_col": ["name", "id"]},
        {"coerce_float": False},
        {"parse_dates": ["day"]},
        {"dtype": {"seven": "float32"}},
    ],
)
def test_a_table(engine: sqlalchemy.Engine, postgres: str, options: dict[str, Any]) -> None:
    assert_same(*both(engine, postgres, "SELECT * FROM orders ORDER BY id", **options))


def test_numpy_nullable(engine: sqlalchemy.Engine, postgres: str) -> None:
    # pandas makes text of dates here; that is left out.
    sql = "SELECT id, price, name, seven, seven > 5000 AS late FROM orders ORDER BY id"
    assert_same(*both(engine, postgres, sql, dtype_backend="numpy_nullable"))


def test_decimals_of_60_digits(engine: sqlalchemy.Engine, postgres: str) -> None:
    assert_same(*both(engine, postgres, f"SELECT {'1234567890' * 6}::numeric(60, 0) AS v"))


def test_a_table_by_name_and_in_chunks(engine: sqlalchemy.Engine, postgres: str) -> None:
    theirs = pd.read_sql("orders", engine, columns=["id", "day"], chunksize=3333)
    ours = bowshot.read_sql("orders", postgres, columns=["id", "day"], chunksize=3333)
    for mine, other in zip(ours, theirs, strict=True):
        assert_same(mine, other)


def test_many_batches_and_partitions_keep_the_order(postgres: str) -> None:
    sql = "SELECT id, name, seven, day FROM orders"
    whole = bowshot.read_sql(sql, postgres)
    small = bowshot.read_sql(sql, postgres, batch_bytes=4096, buffer_bytes=8192, connections=3)
    pd.testing.assert_frame_equal(
        whole.sort_values("id", ignore_index=True), small.sort_values("id", ignore_index=True)
    )
    parts = bowshot.read_sql(postgres, sql, partition_on="seven", partition_num=4)
    pd.testing.assert_frame_equal(
        whole.sort_values("id", ignore_index=True), parts.sort_values("id", ignore_index=True)
    )


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        # Where pandas gives a wrong or a lossy value, or one of psycopg2's own classes.
        ("SELECT bytea '\\x00ff'", b"\x00\xff"),
        ("SELECT interval '1 month 2 days'", pa.MonthDayNano([1, 2, 0])),
        (
            "SELECT int4range(1, 5)",
            {"lower": 1, "upper": 5, "lower_inclusive": True, "upper_inclusive": False, "empty": False},
        ),
        ("SELECT time with time zone '12:34:56+02'", "12:34:56+02"),
        ("SELECT money '1.50'", 1.5),
    ],
)
def test_where_bowshot_differs(postgres: str, sql: str, value: object) -> None:
    assert bowshot.read_sql(f"{sql} AS v", postgres)["v"].tolist() == [value]


def test_integers_stay_exact_beside_nulls(postgres: str) -> None:
    frame = bowshot.read_sql("SELECT * FROM (VALUES (9223372036854775807), (NULL)) AS t (v)", postgres)
    assert frame["v"].dtype == "Int64"
    assert frame["v"].tolist() == [2**63 - 1, pd.NA]


def test_decimals_without_coerce_float(postgres: str) -> None:
    sql = "SELECT 1.50::numeric(10, 2) a, 100::numeric b, 1.5::numeric c, 123456789.123456789123456789::numeric d"
    row = bowshot.read_sql(sql, postgres, coerce_float=False).iloc[0].tolist()
    assert list(map(str, row)) == ["1.50", "100", "1.5", "123456789.123456789123456789"]


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=9, min_value=-(10**28), max_value=10**28)))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_decimals_become_the_nearest_float(postgres: str, decimals: list[decimal.Decimal]) -> None:
    sql = "SELECT v::numeric(38, 9) AS a, v AS b FROM unnest($1::numeric[]) v"
    frame = bowshot.read_sql(sql, postgres, params=[[1, *decimals]])
    expected = [1.0, *map(float, decimals)]
    assert frame["a"].tolist() == expected
    assert frame["b"].tolist() == expected


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=50))
@example([35951528.0, 131072.125, 131072.375, 9.4999996758105e-10, 3.4028234663852886e38, 1.401298464324817e-45])
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_float4_has_the_digits_that_the_server_shows(postgres: str, floats: list[float]) -> None:
    sql = "SELECT v AS a, v::text::float8 AS b FROM unnest($1::float4[]) v"
    frame = bowshot.read_sql(sql, postgres, params=[[1.5, *floats]])
    assert frame["a"].tolist() == frame["b"].tolist()


def test_pyarrow_backend(postgres: str) -> None:
    sql = (
        "SELECT 1::int2 AS a, 1.50::numeric(10, 2) AS b, now() AS c, gen_random_uuid() AS d, '{}'::json AS e, 'x' AS f"
    )
    frame = bowshot.read_sql(sql, postgres, dtype_backend="pyarrow")
    types = [dtype.pyarrow_dtype for dtype in frame.dtypes]
    assert types == [pa.int16(), pa.decimal128(10, 2), pa.timestamp("us", "UTC"), pa.string(), pa.string(), pa.string()]
    assert frame["b"].tolist() == [decimal.Decimal("1.50")]
    assert isinstance(repr(frame), str)


def test_polars(postgres: str) -> None:
    sql = (
        "SELECT * FROM (VALUES (1.5::numeric, interval '1 day', interval '1 month', '{}'::jsonb,"
        " uuid '6b4e9a0e-0000-4000-8000-000000000001', 1e-38::numeric + 1e30, int4 '3', numeric(15, 2) '1.10'),"
        " (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) AS t (a, b, c, d, e, f, g, h)"
    )
    frame = bowshot.read_sql(sql, postgres, return_type="polars")
    row = frame.row(0)
    assert row[0] == decimal.Decimal("1.5")
    assert row[1] == datetime.timedelta(days=1)
    assert isinstance(row[2], str)
    assert row[3:5] == ("{}", "6b4e9a0e-0000-4000-8000-000000000001")
    assert row[5] == "1000000000000000000000000000000.00000000000000000000000000000000000001"
    assert row[6:] == (3, decimal.Decimal("1.10"))
    assert frame.row(1) == (None,) * 8
    assert str(frame.schema["a"]) == "Decimal(precision=38, scale=1)"


@pytest.mark.parametrize(
    ("sql", "params", "value"),
    [
        ("SELECT $1::int8 + 1", [41], 42),
        ("SELECT %s::text", ["a 'quoted' value"], "a 'quoted' value"),
        ("SELECT %(day)s::date", {"day": datetime.date(2024, 2, 29)}, datetime.date(2024, 2, 29)),
        ("SELECT :amount::numeric(10, 2)", {"amount": decimal.Decimal("1.50")}, decimal.Decimal("1.50")),
        ("SELECT count(*) FROM orders WHERE id = ANY($1)", [[1, 2, 3]], 3),
        ("SELECT $1::interval", [datetime.timedelta(days=2, seconds=3)], pa.MonthDayNano([0, 2, 3_000_000_000])),
        ("SELECT $1::bytea", [b"\x00\xff"], b"\x00\xff"),
        ("SELECT $1::bool", [True], True),
        ("SELECT $1::float8", [1.5], 1.5),
        ("SELECT $1::text", [None], None),
        ("SELECT $1::timestamptz", [datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc)], None),
    ],
)
def test_params(postgres: str, sql: str, params: Any, value: object) -> None:
    result = bowshot.read_sql(sql, postgres, params=params, return_type="arrow").column(0)[0].as_py()
    assert result == (params[0] if value is None and params != [None] else value)


def test_errors_have_what_the_server_says(postgres: str) -> None:
    with pytest.raises(bowshot.SqlError) as caught:
        bowshot.read_sql("SELECT no_such_column FROM orders", postgres)
    assert caught.value.sqlstate == "42703"
    assert caught.value.position == 8
    with pytest.raises(bowshot.SqlError) as caught:
        bowshot.read_sql("SELECT 1 / (id - 9000) FROM orders", postgres)
    assert caught.value.sqlstate == "22012"
    with pytest.raises(bowshot.AuthenticationError):
        bowshot.read_sql("SELECT 1", postgres.replace(":bowshot@", ":wrong@"))
    with pytest.raises(bowshot.DataError) as data:
        bowshot.read_sql("SELECT date '4713-01-01 BC' AS early", postgres)
    assert data.value.column == "early"


def test_an_engine_keeps_its_password(engine: sqlalchemy.Engine) -> None:
    assert bowshot.read_sql("SELECT 1 AS one", engine)["one"].tolist() == [1]


def test_pre_execution_query(postgres: str) -> None:
    before = ["SET application_name = 'before'", "SET TimeZone = 'Asia/Tokyo'"]
    sql = "SELECT current_setting('application_name') AS a, current_setting('TimeZone') AS b"
    frame = bowshot.read_sql(sql, postgres, pre_execution_query=before)
    assert frame.iloc[0].tolist() == ["before", "Asia/Tokyo"]


def test_leaving_early_ends_the_backend_s_query(postgres: str) -> None:
    sql = "SELECT a.id FROM orders a, orders b -- left early"
    for _ in bowshot.query(sql, postgres).batches(batch_size=10):
        break
    active = (
        "SELECT count(*) AS n FROM pg_stat_activity"
        " WHERE query LIKE '%left early%' AND state = 'active' AND pid <> pg_backend_pid()"
    )
    assert bowshot.read_sql(active, postgres)["n"].tolist() == [0]
