"""Every Arrow type, at every depth, as every return type: right, or an error that names a way out which works."""

from __future__ import annotations

import decimal
import json
import os
import re
import subprocess
import sys
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import bowshot
import pyarrow as pa
import pytest
from tests import arrow_cases
from tests.arrow_walk import DESTINATIONS, MACHINES

PACKAGE = Path(__file__).parents[1]
DOCUMENT = PACKAGE.parent / "docs" / "types.md"

UNIONS = {"sparse_union", "dense_union"}
# Times that no day has: refused where they are read, and taken as text or as numbers.
TIMES = {"time32[s] 24:00", "time64[us] negative"}
OUTSIDE = {"date64 within a day", "date64 at its ends"}
# What has no place in a destination, and why it is refused rather than changed.
POLARS = {
    *UNIONS,
    *OUTSIDE,
    "date32 at its ends",
    "timestamp[s] at its ends",
    "timestamp[ms] at its ends",
    "timestamp[us] at its ends",
    "timestamp[us, UTC] at its ends",
    "timestamp[us] NumPy's NaT",
    "timestamp[us, Mars/Phobos]",
    "duration[s] at its ends",
    "struct, a name twice",
}
PANDAS = {
    *OUTSIDE,
    "date32 at its ends",
    "date32 beyond 9999",
    "time64[ns] of nanoseconds",
    "timestamp[us] NumPy's NaT",
    "timestamp[ns] NumPy's NaT",
    "timestamp[us, Mars/Phobos]",
    "duration[ns] NumPy's NaT",
    "map, a key twice",
    "struct, a name twice",
    "arrow.json, not JSON",
}
# NumPy holds them, and Python, whose objects stand in lists, does not.
OBJECTS = {
    "timestamp[s] at its ends",
    "timestamp[ms] at its ends",
    "timestamp[us] at its ends",
    "timestamp[us, UTC] at its ends",
    "timestamp[us] in the year 10000",
    "timestamp[us] before the year 1",
    "duration[s] at its ends",
}
PYARROW = {*OUTSIDE, "timestamp[us, Mars/Phobos]", "struct, a name twice"}


def refused(case: str, nesting: str, destination: str) -> bool:
    if case == "time64[us] negative" and nesting in ("list", "struct", "list of struct of map"):
        return False  # it lies hidden under a NULL
    if case in TIMES:
        return True
    if destination in MACHINES:
        return False
    if case in UNIONS and nesting == "dictionary":
        return True
    if destination == "Polars":
        return case in POLARS
    if destination == "pandas, pyarrow":
        return case in PYARROW
    return case in PANDAS or (case in OBJECTS and nesting not in ("itself", "dictionary"))


def walked(folder: Path) -> list[tuple[list[str], dict[str, str]]]:
    """What came of each read; whatever ends the process is what came of the one that it was at."""
    reads: list[tuple[list[str], dict[str, str]]] = []
    while True:
        command = [sys.executable, "-m", "tests.arrow_walk", str(folder), str(len(reads)), ""]
        process = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, timeout=600, check=False)
        lines = [json.loads(line) for line in process.stdout.splitlines()]
        reads += zip(lines[::2], lines[1::2], strict=False)
        if process.returncode == 0:
            return reads
        assert len(lines) % 2 == 1, f"it stopped outside of a read: {process.stderr[-2000:]}"
        reads.append((lines[-1], {"died": f"exit code {process.returncode}: {process.stderr[-500:]}"}))


def test_every_type_everywhere(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    wrong = []
    for (case, nesting, destination), came in walked(tmp_path):
        outcome = next(iter(came))
        want = "error" if refused(case, nesting, destination) else "right"
        counts[outcome] += 1
        if outcome != want or "bad" in came:
            wrong.append(f"{case}, in {nesting}, as {destination}: {came}")
    types = len(arrow_cases.ordinary() | arrow_cases.extreme())
    print(
        f"{types} cases of types, {len(arrow_cases.NESTINGS)} nestings, {len(DESTINATIONS)} return types: "
        f"{counts['right']} reads right, {counts['error']} refused with a way out, {len(wrong)} wrong"
    )
    assert not wrong, "\n".join(wrong[:40])


LONG = {
    "decimal32(7, 2)": arrow_cases.decimals(pa.decimal32(7, 2), ["1.10", None, "-99999.99"]),
    "decimal64(15, 2)": arrow_cases.decimals(pa.decimal64(15, 2), ["1.10", None, "-9999999999999.99"]),
    "decimal256(76, 38)": arrow_cases.decimals(pa.decimal256(76, 38), ["1.5", None, "-2.25"]),
    "list<decimal32>": pa.array([[decimal.Decimal("1.10")], None, []], pa.list_(pa.decimal32(7, 2))),
    "list<uuid>": arrow_cases.NESTINGS["list"](arrow_cases.ordinary()["arrow.uuid"]),
    "dictionary<decimal64>": pa.DictionaryArray.from_arrays(
        [1, None, 0], arrow_cases.decimals(pa.decimal64(15, 2), ["1.10", "-0.01"])
    ),
}
READ_LONG = """
import bowshot, pyarrow as pa, sys
from tests import arrow_forms
table = pa.ipc.open_file(sys.argv[1]).read_all()
got = bowshot.read_sql("", sys.argv[1], return_type="polars")["c"]
want = arrow_forms.of_arrow(table.column(0)[:30])
for part in (got[:30], got[-30:]):
    assert all(map(arrow_forms.same, want, arrow_forms.of_arrow(part.to_arrow()))), part
"""


@pytest.mark.parametrize("name", LONG)
def test_long_columns_in_polars(name: str, tmp_path: Path) -> None:
    path = tmp_path / "long.arrow"
    column = pa.concat_arrays([LONG[name]] * 2_000)
    batch = pa.record_batch([column], ["c"])
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        for _ in range(50):
            writer.write_batch(batch)
    command = [sys.executable, "-c", READ_LONG, str(path)]
    process = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, timeout=120, check=False)
    assert process.returncode == 0, process.stderr


def test_postgres_inside_lists_and_structs(postgres: str) -> None:
    one = uuid.UUID(int=1)
    sql = (
        f"SELECT ARRAY['{one}'::uuid, NULL] AS ids, ARRAY[1.5, 2.25]::numeric[] AS amounts,"
        " ARRAY['1 day 2 hours'::interval] AS spans, ARRAY['1 month'::interval, NULL] AS months,"
        " numrange(1.5, NULL) AS range, ARRAY[tsrange('2024-01-01', '2024-01-02')] AS ranges,"
        f" ROW('{one}'::uuid, '-1 mon 2 days'::interval) AS loose"
    )
    frame = bowshot.read_sql(sql, postgres, return_type="polars")
    row = frame.to_dicts()[0]
    assert row["ids"] == [str(one), None]
    assert row["amounts"] == [decimal.Decimal("1.5"), decimal.Decimal("2.25")]
    assert str(row["spans"]) == "[datetime.timedelta(days=1, seconds=7200)]"
    assert row["months"] == ["1 mons", None]
    assert row["range"]["lower"] == decimal.Decimal("1.5")
    assert row["ranges"][0]["lower"].isoformat() == "2024-01-01T00:00:00"
    arrow = bowshot.read_sql(sql, postgres, dtype_backend="pyarrow")
    assert arrow["ids"].tolist() == [[str(one), None]]
    numpy = bowshot.read_sql(sql, postgres)
    assert numpy["ids"].tolist() == [[one, None]]
    assert numpy["amounts"].tolist() == [[decimal.Decimal("1.5"), decimal.Decimal("2.25")]]


def test_postgres_intervals_beyond_timedelta(postgres: str) -> None:
    for text, days in (("106751992 days", 106751992), ("-2147483648 days", -2147483648)):
        options: Any
        for options in ({}, {"dtype_backend": "numpy_nullable"}):
            value = bowshot.read_sql(f"SELECT interval '{text}' AS v", postgres, **options)["v"].tolist()[0]
            assert value == pa.MonthDayNano([0, days, 0])


def test_postgres_dates_without_a_value(postgres: str) -> None:
    def read(sql: str, **options: Any) -> Any:
        return bowshot.read_sql(sql, postgres, dtype_backend="numpy_nullable", **options)

    assert read("SELECT date '2024-01-01' AS d WHERE false").shape == (0, 1)
    assert read("SELECT null::date AS d FROM generate_series(1, 3)")["d"].isna().all()
    chunks = read("SELECT CASE WHEN i > 4 THEN date '2024-01-02' END AS d FROM generate_series(1, 6) i", chunksize=2)
    assert [len(chunk) for chunk in chunks] == [2, 2, 2]


def test_duckdb() -> None:
    con = "duckdb::memory:?arrow_output_version=1.5"
    frame = bowshot.read_sql(
        "SELECT 1.10::decimal(7, 2) AS a, [1.5::decimal(4, 1)] AS b FROM range(3)", con, return_type="polars"
    )
    assert frame["a"].to_list() == [decimal.Decimal("1.10")] * 3
    assert frame["b"].to_list() == [[decimal.Decimal("1.5")]] * 3
    map_sql = "SELECT map {'a': interval 1 month, 'b': NULL} AS m, [interval 2 days] AS i"
    assert bowshot.read_sql(map_sql, con, return_type="polars").to_dicts()[0]["m"] == [
        {"key": "a", "value": "1 mons"},
        {"key": "b", "value": None},
    ]
    union = "SELECT union_value(num := 2) AS u"
    with pytest.raises(bowshot.UnsupportedError, match=r'column "u" .*union.*return_type="arrow"'):
        bowshot.read_sql(union, con, return_type="polars")
    assert bowshot.read_sql(union, con)["u"].tolist() == [2]


def test_ordered_dictionaries_stay_ordered(tmp_path: Path) -> None:
    path = tmp_path / "ordered.arrow"
    table = pa.table({"c": arrow_cases.ordinary()["dictionary<utf8>, ordered"]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    assert "ordered=1" in str(bowshot.read_sql("", path, dtype_backend="pyarrow")["c"].dtype)
    assert bowshot.read_sql("", path, return_type="arrow").column(0).type.ordered


def test_column_names_that_repeat(database: Path) -> None:
    with pytest.raises(bowshot.UnsupportedError, match=r'two columns are called "a".*AS'):
        bowshot.read_sql("SELECT 1 AS a, 2 AS a", database, return_type="polars")
    assert bowshot.read_sql("SELECT 1 AS a, 2 AS a", database).shape == (1, 2)


# One of each kind.
DOCUMENTED = [
    "bool",
    "int8",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "utf8",
    "utf8_view",
    "binary",
    "fixed_size_binary[2]",
    "date32",
    "date64",
    "time32[s]",
    "time64[ns]",
    "timestamp[s]",
    "timestamp[ns]",
    "timestamp[us; Europe/Berlin]",
    "timestamp[us; -03:00]",
    "timestamp[us; +05:30]",
    "duration[s]",
    "duration[ns]",
    "interval",
    "interval of months",
    "decimal32(9; 2)",
    "decimal128(38; 2)",
    "decimal128(38; -3)",
    "decimal256(76; 38)",
    "struct",
    "map",
    "dictionary<utf8> by int8",
    "dictionary<int64>",
    "run_end_encoded<int64>",
    "dense_union",
    "arrow.uuid",
    "arrow.json",
    "extension of int32",
]
DOCUMENTED = [case.replace(";", ",") for case in DOCUMENTED]


def _shown(values: Any, path: Path) -> tuple[str, ...]:
    """The types that a column without NULLs has in pandas, in pandas on Arrow's memory and in Polars."""
    table = pa.table({"c": values.slice(0, 1)})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)

    def read(**options: Any) -> str:
        try:
            found = bowshot.read_sql("", str(path), **options)
        except bowshot.Error:
            return "an error"
        column = found["c"]
        if options or column.dtype != object:
            return f"`{column.dtype}`".replace("[pyarrow]", "")
        names = {type(value).__name__ for value in column}
        return f"objects: `{', '.join(sorted(names - {'NoneType'})) or None}`"

    return read(), read(dtype_backend="pyarrow"), read(return_type="polars")


def test_documented_types(tmp_path: Path) -> None:
    """The table in docs/types.md; `BOWSHOT_UPDATE=1` writes it."""
    rows: dict[tuple[str, ...], list[str]] = {}
    cases = arrow_cases.ordinary()
    for case in DOCUMENTED:
        rows.setdefault(_shown(cases[case], tmp_path / "case.arrow"), []).append(f"`{case.removesuffix(' by int8')}`")
    lines = ['| Arrow | pandas | pandas, `dtype_backend="pyarrow"` | Polars |', "|---|---|---|---|"]
    lines += [f"| {', '.join(names)} | {' | '.join(shown)} |" for shown, names in rows.items()]
    text = DOCUMENT.read_text()
    marked = re.compile(r"(<!-- destinations:start -->\n).*(<!-- destinations:end -->)", re.DOTALL)
    new = marked.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], text)
    if os.environ.get("BOWSHOT_UPDATE"):
        DOCUMENT.write_text(new)
    assert new == DOCUMENT.read_text(), (
        "the table is old: BOWSHOT_UPDATE=1 dev/python_test.sh -k documented_types writes it"
    )
