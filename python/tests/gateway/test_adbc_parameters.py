# ruff: noqa: PT012 - whichever step says no, and blocks that say who closes what
"""Parameters that ADBC binds: they reach the database with their values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import pyarrow as pa
import pytest
from tests.gateway.clients import HEADER
from tests.gateway.serving import Gateway

ECHOES = [
    ("int8", 2**63 - 1),
    ("int4", -1),
    ("float8", 0.1),
    ("bool", True),
    ("text", "it's $1 ? :name %s \\ 🎯"),
    ("text", ""),
    ("numeric(38, 10)", Decimal("-1234567890123456789012345678.0123456789")),
    ("date", dt.date(2024, 2, 29)),
    ("timestamp", dt.datetime(1999, 12, 31, 23, 59, 59, 999999)),
    ("timestamptz", dt.datetime(1999, 12, 31, 23, 59, 59, 999999, dt.timezone.utc)),
    ("time", dt.time(1, 2, 3, 4)),
    ("bytea", b"\0\x01\xff'"),
    *[(kind, None) for kind in ("int8", "float8", "bool", "text", "numeric", "date", "timestamp", "bytea")],
]


@pytest.mark.parametrize(("kind", "value"), ECHOES)
def test_a_value_comes_back_as_it_went(cursor: Any, kind: str, value: Any) -> None:
    cursor.execute(f"SELECT $1::{kind}", [value])
    [[found]] = cursor.fetchall()
    if isinstance(found, pa.Scalar):
        found = found.as_py()
    assert found == value


def test_several_parameters_keep_their_places(cursor: Any) -> None:
    sql = "SELECT count(*) FROM orders WHERE id BETWEEN $2 AND $1 AND customer = $3 AND note LIKE $4"
    cursor.execute(sql, [5000, 1001, 8, "nöte%"])
    [[through]] = cursor.fetchall()
    cursor.execute("SELECT count(*) FROM orders WHERE id BETWEEN 1001 AND 5000 AND customer = 8 AND note LIKE 'nöte%'")
    assert cursor.fetchall() == [(through,)]
    assert through > 0


def test_a_statement_runs_again_with_other_values(cursor: Any) -> None:
    sql = "SELECT id FROM orders WHERE id = $1"
    schema = cursor.adbc_prepare(sql)
    assert len(schema) == 1
    for number in (1, 77, 60_000):
        cursor.execute(sql, [number])
        assert cursor.fetchall() == [(number,)]


def test_the_other_databases_take_question_marks(several: Gateway) -> None:
    for catalog in ("mariadb", "sqlite"):
        options = {HEADER + "catalog": catalog}
        with (
            flight_sql.connect(several.address, db_kwargs=options, autocommit=True) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(
                "SELECT id, photo FROM orders WHERE id > ? AND id <= ? AND note = ?", [99, 101, "nöte 🎯 100"]
            )
            assert cursor.fetchall() == [(100, None)]
            cursor.execute("SELECT id FROM orders WHERE photo = ?", [(7).to_bytes(4, "big")])
            assert cursor.fetchall() == [(7,)]


def test_the_columns_do_not_depend_on_the_values(cursor: Any) -> None:
    sql = "SELECT id, price FROM orders WHERE id = $1"
    cursor.execute(sql, [3])
    assert cursor.fetch_arrow_table().schema == cursor.adbc_execute_schema("SELECT id, price FROM orders WHERE id = 3")


def test_operators_that_look_like_parameters_are_none(cursor: Any) -> None:
    cursor.execute("""SELECT '{"a": 1}'::jsonb ? 'a', '{"a": 1}'::jsonb ?| array['b']""")
    assert cursor.fetchall() == [(True, False)]


def test_too_few_parameters_are_an_error(cursor: Any) -> None:
    with pytest.raises(flight_sql.Error):
        cursor.execute("SELECT $1::int + $2::int", [1])
        cursor.fetchall()


def test_many_rows_of_parameters_are_refused(cursor: Any) -> None:
    with pytest.raises(flight_sql.NotSupportedError):
        cursor.executemany("SELECT id FROM orders WHERE id = $1", [[1], [2]])
    rows = pa.record_batch({"id": [1, 2]})
    with pytest.raises(flight_sql.NotSupportedError, match="one row of parameters"):
        cursor.execute("SELECT id FROM orders WHERE id = $1", rows)
        cursor.fetchall()
