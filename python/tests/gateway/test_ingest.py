# ruff: noqa: SIM117 - blocks that say who closes what
"""Rows that are ingested: what the databases' own drivers read of them, cell by cell."""

from __future__ import annotations

import datetime as dt
import re
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as flight_sql
import pyarrow as pa
import pytest
from tests.gateway.databases import Databases
from tests.gateway.serving import served
from tests.gateway.writing import NAMES, Written, configured, empty_databases

UTC = dt.timezone.utc
DAY, MOMENT = dt.date(1969, 7, 20), dt.datetime(1999, 12, 31, 23, 59, 59, 999999)

# Each column: its type, its values, and what a driver reads where that is something else.
SHARED: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i8": (pa.int8(), [-128, None, 127]),
    "i16": (pa.int16(), [-(2**15), None, 2**15 - 1]),
    "i32": (pa.int32(), [-(2**31), None, 2**31 - 1]),
    "i64": (pa.int64(), [-(2**63), None, 2**63 - 1]),
    "u8": (pa.uint8(), [0, None, 255]),
    "u16": (pa.uint16(), [0, None, 65_535]),
    "u32": (pa.uint32(), [0, None, 2**32 - 1]),
    "f32": (pa.float32(), [1.5, None, -0.25]),
    "f64": (pa.float64(), [0.1, None, -1e300]),
    "word": (pa.string(), ["", None, "it's \\ öne 🎯\n\t"]),
    "large": (pa.large_string(), ["x" * 70_000, None, ","]),
    "view": (pa.string_view(), ["short", None, "one that is longer than twelve bytes"]),
    "coded": (pa.dictionary(pa.int8(), pa.string()), ["a", None, "b"]),
    "bits": (pa.binary(), [b"", None, b"\0\xff'\\"]),
    "fixed": (pa.binary(4), [b"\0\0\0\1", None, b"abcd"]),
}
EXACT: dict[str, tuple[pa.DataType, list[Any]]] = {
    **SHARED,
    "u64": (pa.uint64(), [0, None, 2**64 - 1]),
    "truth": (pa.bool_(), [True, None, False]),
    "money": (pa.decimal128(12, 2), [Decimal("-0.01"), None, Decimal("9999999999.99")]),
    "wide": (pa.decimal256(60, 20), [Decimal("-1e-20"), None, Decimal("1" * 40 + ".00000000010000000001")]),
    "day": (pa.date32(), [DAY, None, dt.date(9999, 12, 31)]),
    "moment": (pa.timestamp("us"), [MOMENT, None, dt.datetime(1, 1, 1)]),
    "second": (pa.timestamp("s"), [MOMENT.replace(microsecond=0), None, dt.datetime(2038, 1, 19, 3, 14, 8)]),
    "fine": (pa.timestamp("ns"), [MOMENT, None, dt.datetime(1970, 1, 1)]),
}
COLUMNS: dict[str, dict[str, tuple[pa.DataType, list[Any]]]] = {
    "postgres": {
        **EXACT,
        "instant": (
            pa.timestamp("us", "Europe/Berlin"),
            [MOMENT.replace(tzinfo=UTC), None, dt.datetime(1, 1, 2, tzinfo=UTC)],
        ),
        "clock": (pa.time64("us"), [dt.time(0), None, dt.time(23, 59, 59, 999999)]),
        "span": (pa.duration("us"), [dt.timedelta(days=-400, microseconds=1), None, dt.timedelta(hours=30)]),
    },
    "mariadb": {
        **{name: column for name, column in EXACT.items() if name != "moment"},
        "moment": (pa.timestamp("us"), [MOMENT, None, dt.datetime(1000, 1, 1)]),
        "instant": (pa.timestamp("us", "UTC"), [MOMENT.replace(tzinfo=UTC), None, dt.datetime(1970, 1, 2, tzinfo=UTC)]),
    },
    "sqlite": {
        **SHARED,
        "truth": (pa.bool_(), [True, None, False]),
        "day": (pa.date32(), [DAY, None, dt.date(9999, 12, 31)]),
        "moment": (pa.timestamp("us"), [MOMENT, None, dt.datetime(1, 1, 1)]),
    },
}


def read_as(name: str, column: str, value: Any) -> Any:
    """The value as the database's own driver reads it."""
    if value is None:
        return None
    if name == "mariadb" and column == "truth":
        return int(value)
    if name == "mariadb" and column == "instant":
        return value.replace(tzinfo=None)
    if name == "sqlite" and column == "truth":
        return int(value)
    if name == "sqlite" and column == "day":
        return value.isoformat()
    if name == "sqlite" and column == "moment":
        return value.isoformat(sep=" ")
    if name == "postgres" and column == "u64":
        return Decimal(value)
    return value


@pytest.fixture(scope="module")
def written(command: str, postgres: str, mariadb: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """All three databases, writable."""
    uris = empty_databases(postgres, mariadb, tmp_path_factory.mktemp("ingests"), "ingests")
    config = configured(command, tmp_path_factory.mktemp("config") / "bowshot.toml", uris, {})
    with served(command, "--config", str(config)) as gateway:
        yield Written(gateway, uris)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["create", "append"])
def test_every_cell_arrives_as_it_was(written: Written, name: str, mode: str) -> None:
    columns = COLUMNS[name]
    table = pa.table({key: pa.array(values, kind) for key, (kind, values) in columns.items()})
    if mode == "append":
        with written.cursor(name) as cursor:
            # Of a table without rows the driver sends nothing, not even the columns.
            cursor.adbc_ingest("cells_append", table.slice(0, 1), mode="create")
        with written.cursor(name) as cursor:
            cursor.executescript("DELETE FROM cells_append")
    with written.cursor(name) as cursor:
        assert cursor.adbc_ingest(f"cells_{mode}", table, mode=mode) == 3
    found = written.rows(name, f"SELECT * FROM cells_{mode}")
    for at, (key, (_, values)) in enumerate(columns.items()):
        assert [row[at] for row in found] == [read_as(name, key, value) for value in values], key


@pytest.mark.parametrize("name", NAMES)
def test_the_modes_do_what_they_say(written: Written, name: str) -> None:
    one, two = pa.table({"n": [1, 2]}), pa.table({"n": [3]})

    def numbers() -> list[int]:
        return sorted(row[0] for row in written.rows(name, "SELECT n FROM modes"))

    with written.cursor(name) as cursor:
        with pytest.raises(flight_sql.Error, match="modes"):
            cursor.adbc_ingest("modes", one, mode="append")
        assert cursor.adbc_ingest("modes", one, mode="create_append") == 2
        with pytest.raises(flight_sql.Error, match="modes"):
            cursor.adbc_ingest("modes", two, mode="create")
        assert numbers() == [1, 2]
        assert cursor.adbc_ingest("modes", two, mode="create_append") == 1
        assert numbers() == [1, 2, 3]
        assert cursor.adbc_ingest("modes", two, mode="append") == 1
        assert numbers() == [1, 2, 3, 3]
        other = pa.table({"n": [9], "more": ["x"]})
        assert cursor.adbc_ingest("modes", other, mode="replace") == 1
        assert written.rows(name, "SELECT * FROM modes") == [(9, "x")]
        assert cursor.adbc_ingest("new_by_replace", one, mode="replace") == 2


@pytest.mark.parametrize("name", NAMES)
def test_many_batches_arrive_whole(written: Written, name: str) -> None:
    count = 150_000
    batches = [
        pa.record_batch({"id": range(at, at + 10_000), "word": [f"word {n}" for n in range(at, at + 10_000)]})
        for at in range(0, count, 10_000)
    ]
    with written.cursor(name) as cursor:
        reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
        assert cursor.adbc_ingest("long", reader, mode="create") == count
    sql = "SELECT count(*), count(DISTINCT id), min(id), max(id), sum(length(word)) FROM long"
    if name == "mariadb":
        sql = sql.replace("FROM long", "FROM `long`")
    expected = (count, count, 0, count - 1, sum(len(f"word {n}") for n in range(count)))
    assert [tuple(map(int, row)) for row in written.rows(name, sql)] == [expected]
    rows = written.rows(name, sql.split("FROM")[1].join(["SELECT * FROM", " WHERE id % 1009 = 3"]))
    assert sorted(rows) == [(n, f"word {n}") for n in range(3, count, 1009)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["create", "append", "replace", "create_append"])
def test_an_error_in_mid_ingest_leaves_what_was_there(written: Written, name: str, mode: str) -> None:
    table = f"torn_{mode}"
    if mode in ("append", "replace"):
        with written.cursor(name) as cursor:
            cursor.adbc_ingest(table, pa.table({"n": [1]}), mode="create")
    schema = pa.schema([("n", pa.int64())])

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"n": list(range(5_000))}, schema=schema)
        yield pa.record_batch({"n": list(range(5_000))}, schema=schema)
        raise ValueError("the source of the rows broke")

    with written.cursor(name) as cursor, pytest.raises(Exception, match=r"broke|ended|[Cc]ancel"):
        cursor.adbc_ingest(table, pa.RecordBatchReader.from_batches(schema, batches()), mode=mode)
    if mode in ("append", "replace"):
        assert written.rows(name, f"SELECT n FROM {table}") == [(1,)]
    else:
        gone_soon(written, name, table)


def gone_soon(written: Written, name: str, table: str) -> None:
    """There is no such table; a client that broke off is not told when that is so."""
    listed = {
        "postgres": "SELECT relname FROM pg_class",
        "mariadb": "SELECT table_name FROM information_schema.tables",
        "sqlite": "SELECT name FROM sqlite_schema",
    }
    for _ in range(200):
        if (table,) not in written.rows(name, listed[name]):
            return
        time.sleep(0.05)
    raise AssertionError(f"{table} is still there")


@pytest.mark.parametrize("name", NAMES)
def test_a_row_that_the_table_refuses_refuses_all(written: Written, name: str) -> None:
    with written.cursor(name) as cursor:
        cursor.execute("CREATE TABLE keyed (id int PRIMARY KEY, word varchar(5))")
        cursor.execute("INSERT INTO keyed VALUES (5000, 'first')")
        rows = pa.table({"id": pa.array(range(10_000), pa.int32()), "word": ["x"] * 10_000})
        with pytest.raises(flight_sql.Error):
            cursor.adbc_ingest("keyed", rows, mode="append")
        if name != "sqlite":
            with pytest.raises(flight_sql.Error):
                cursor.adbc_ingest("keyed", pa.table({"id": [1], "word": ["too long"]}), mode="append")
        assert cursor.adbc_ingest("keyed", rows.slice(0, 7), mode="append") == 7
    assert written.rows(name, "SELECT count(*), max(id) FROM keyed") == [(8, 5000)]


LOSSY = [
    ("postgres", "int", pa.array([2**40]), "n"),
    ("postgres", "real", pa.array([0.1]), "double precision"),
    ("postgres", "numeric(9, 1)", pa.array([Decimal("1.25")]), r"numeric\(3, 2\)"),
    ("postgres", "timestamp(0)", pa.array([MOMENT]), "timestamp"),
    ("postgres", "timestamptz", pa.array([MOMENT]), "timestamp"),
    ("postgres", "text", pa.array([1]), "bigint"),
    ("postgres", "timestamp", pa.array([1], pa.timestamp("ns")), "microseconds"),
    ("mariadb", "int", pa.array([2**40]), "(?i)out of range"),
    ("mariadb", "float", pa.array([0.1]), "DOUBLE"),
    ("mariadb", "decimal(9, 1)", pa.array([Decimal("1.25")]), "DECIMAL"),
    ("mariadb", "datetime", pa.array([MOMENT]), "DATETIME"),
    ("mariadb", "double", pa.array([float("nan")]), "NULL"),
    ("mariadb", "varchar(3)", pa.array(["four"]), "(?i)too long"),
    ("mariadb", "datetime(6)", pa.array([1], pa.timestamp("ns")), "microseconds"),
    ("sqlite", "INTEGER", pa.array(["007"]), "TEXT"),
    ("sqlite", "TEXT", pa.array([1]), "INTEGER"),
    ("sqlite", "REAL", pa.array([2**53 + 1]), "INTEGER"),
    ("sqlite", "REAL", pa.array([float("nan")]), "NULL"),
]


@pytest.mark.parametrize(("name", "kind", "values", "words"), LOSSY)
def test_what_the_table_would_change_is_refused(
    written: Written, name: str, kind: str, values: pa.Array, words: str
) -> None:
    with written.cursor(name) as cursor:
        cursor.executescript("DROP TABLE IF EXISTS lossy")
        cursor.executescript(f"CREATE TABLE lossy (n {kind})")
        with pytest.raises(flight_sql.Error, match=words) as caught:
            cursor.adbc_ingest("lossy", pa.table({"n": values}), mode="append")
        assert "n" in str(caught.value)
    assert written.rows(name, "SELECT * FROM lossy") == []


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("postgres", pa.array([[1]]), "cast the column"),
        ("mariadb", pa.array([[1]]), "cast the column"),
        ("mariadb", pa.array([1], pa.duration("s")), "cast the column"),
        ("sqlite", pa.array([1], pa.uint64()), "int64 or text"),
        ("sqlite", pa.array([Decimal("1.5")]), "text or float64"),
    ],
)
def test_a_type_that_a_database_lacks_is_named_with_the_way_out(
    written: Written, name: str, values: pa.Array, words: str
) -> None:
    with written.cursor(name) as cursor:
        with pytest.raises(flight_sql.NotSupportedError, match=f'column "odd".*{words}'):
            cursor.adbc_ingest("lacking", pa.table({"odd": values}), mode="create")
    with pytest.raises(Exception, match="lacking"):
        written.rows(name, "SELECT * FROM lacking")


def test_a_schema_and_a_catalog_are_obeyed(written: Written) -> None:
    rows = pa.table({"n": [1]})
    with written.cursor("sqlite") as cursor:
        cursor.adbc_ingest("placed", rows, mode="create", catalog_name="postgres", db_schema_name="public")
        with pytest.raises(flight_sql.Error, match="nowhere"):
            cursor.adbc_ingest("placed", rows, mode="create", catalog_name="postgres", db_schema_name="nowhere")
        with pytest.raises(flight_sql.Error, match="no source is named"):
            cursor.adbc_ingest("placed", rows, mode="create", catalog_name="elsewhere")
        with pytest.raises(flight_sql.NotSupportedError, match="temporary"):
            cursor.adbc_ingest("placed", rows, mode="create", temporary=True)
    assert written.rows("postgres", "SELECT n FROM public.placed") == [(1,)]


def test_only_who_may_write_ingests(command: str, written: Written, databases: Databases, tmp_path: Path) -> None:
    users = {"reader": ["allow *"], "writer": ["write postgres.public.own*", "allow *"]}
    uris = {**written.uris, "readable": databases.sqlite}
    config = configured(command, tmp_path / "bowshot.toml", uris, users)
    config.write_text(re.sub(r'(name = "readable"\nuri = .*\n)writable = true\n', r"\1", config.read_text()))
    with served(command, "--config", str(config)) as gateway:

        def ingest(user: str, table: str, catalog: str, schema: str | None) -> None:
            login = {"username": user, "password": "s3cret"}
            with flight_sql.connect(gateway.address, db_kwargs=login, autocommit=True) as connection:
                with connection.cursor() as cursor:
                    rows = pa.table({"n": [1]})
                    cursor.adbc_ingest(table, rows, mode="create", catalog_name=catalog, db_schema_name=schema)

        ingest("writer", "own_table", "postgres", "public")
        for user, table, schema in [
            ("reader", "own_other", "public"),
            ("writer", "others", "public"),
            ("writer", "own_other", "pg_catalog"),
            ("writer", "own_other", None),
        ]:
            with pytest.raises(flight_sql.Error, match="may not be changed"):
                ingest(user, table, "postgres", schema)
        with pytest.raises(flight_sql.Error, match="may not be changed"):
            ingest("writer", "own_table", "readable", "main")
    assert written.rows("postgres", "SELECT n FROM own_table") == [(1,)]


def test_the_example_of_the_documents_runs(command: str, postgres: str, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "gateway.md").read_text()
    [section] = re.findall(r"^## Write\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    [config] = re.findall(r"^```toml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    [example] = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    path = tmp_path / "bowshot.toml"
    path.write_text(re.sub(r'uri = ".*"', f'uri = "{postgres}"', config))
    with served(command, "--config", str(path)) as gateway:
        names: dict[str, Any] = {}
        exec(compile(example.replace("grpc://127.0.0.1:31337", gateway.address), "gateway.md", "exec"), names)
    assert names["found"] == [(1, "bolt"), (2, "nut"), (3, "washer")]
