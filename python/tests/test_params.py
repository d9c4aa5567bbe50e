"""Values of placeholders reach the database as they are."""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from pathlib import Path
from typing import Any

import bowshot
import numpy as np
import pandas as pd
import pytest
from bowshot._params import plain_params


def one(sql: str, con: Any, params: Any) -> Any:
    table = bowshot.read_sql(sql, con, params=params, return_type="arrow")
    assert table.num_rows == 1
    return table.column(0)[0].as_py()


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -(2**63), 2**63 - 1, 1.5, math.inf, "", "a 'quoted' % :name ? $1 🎯", b"\x00\xff", "2024-02-29"],
)
def test_plain_values_in_sqlite(database: Path, value: Any) -> None:
    result = one("SELECT ? AS v", database, [value])
    # SQLite has no type of truth values.
    assert result == value
    assert type(result) is (int if isinstance(value, bool) else type(value))


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (2**70, str(2**70)),
        (bytearray(b"ab"), b"ab"),
        (memoryview(b"ab"), b"ab"),
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (datetime.datetime(2024, 2, 29, 1, 2, 3, 4), "2024-02-29 01:02:03.000004"),
        (datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc), "2024-02-29 00:00:00+00:00"),
        (datetime.time(1, 2, 3), "01:02:03"),
        (datetime.timedelta(days=-1, microseconds=5), "-1 days 0.000005 seconds"),
        (decimal.Decimal("1.500"), "1.500"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (np.int16(-3), -3),
        (np.uint64(2**64 - 1), str(2**64 - 1)),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.datetime64("2024-02-29T01:02:03", "ns"), "2024-02-29 01:02:03"),
        (np.array([1, 2]), "{1,2}"),
        (pd.Timestamp("2024-02-29"), "2024-02-29 00:00:00"),
        (pd.NaT, None),
        (pd.NA, None),
        (np.datetime64("NaT"), None),
        ([1, None, 3], "{1,NULL,3}"),
        ([True, False], "{t,f}"),
        (["a", 'b"\\c', "", "NULL"], '{"a","b\\"\\\\c","","NULL"}'),
        ([[1, 2], [3, 4]], "{{1,2},{3,4}}"),
        ([], "{}"),
    ],
)
def test_other_values_become_their_sql_form(value: Any, plain: Any) -> None:
    values, named = plain_params([value])
    assert not named
    assert values == [plain]
    assert type(values[0]) is type(plain)


def test_the_type_error_names_the_position() -> None:
    with pytest.raises(TypeError, match="parameter 2 is a set"):
        plain_params([1, {2}])
    with pytest.raises(TypeError, match="parameter 'b' is a object"):
        plain_params({"a": 1, "b": object()})
    with pytest.raises(TypeError, match="not str"):
        plain_params("abc")


@pytest.mark.parametrize(
    "value", [np.datetime64(1, "ns"), np.timedelta64(1, "ns"), pd.Timestamp(1), pd.Timedelta(1001, "ns")]
)
def test_nanoseconds_are_not_rounded(value: Any) -> None:
    with pytest.raises(TypeError, match="parameter 1 has nanoseconds"):
        plain_params([value])
    with pytest.raises(TypeError, match="parameter 2 has nanoseconds"):
        plain_params([None, [value]])


@pytest.mark.parametrize(
    ("sql", "params"),
    [
        ("SELECT id FROM items WHERE id = ?", [7]),
        ("SELECT id FROM items WHERE id = ?", (7,)),
        ("SELECT id FROM items WHERE id = $1", [7]),
        ("SELECT id FROM items WHERE id = %s", [7]),
        ("SELECT id FROM items WHERE id = :id", {"id": 7}),
        ("SELECT id FROM items WHERE id = %(id)s", {"id": 7}),
    ],
)
def test_every_style_of_placeholder(shop: Path, sql: str, params: Any) -> None:
    assert one(sql, shop, params) == 7


def test_without_params_a_percent_and_a_colon_mean_themselves(shop: Path) -> None:
    assert one("SELECT id FROM items WHERE note LIKE 'no%' AND ':x' <> 'x' ORDER BY id LIMIT 1", shop, None) == 5
