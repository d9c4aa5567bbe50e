"""What `types=` makes of a value is the same in every source: the value itself, or an error."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import bowshot
import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

ERROR = "error"

BIG = 2**53 + 1
AFTERNOON = datetime(2024, 1, 2, 15, 4, 5)
MIDNIGHT = datetime(2024, 1, 2)

# A value, the type that is asked for, and what comes out.
CASES: list[tuple[int | float | Decimal | datetime | str, str, Any]] = [
    (BIG, "float64", ERROR),
    (BIG, "float32", ERROR),
    (BIG, "int32", ERROR),
    (BIG, "decimal128(20, 2)", Decimal("9007199254740993.00")),
    (2**60, "float64", float(2**60)),
    (2, "bool", ERROR),
    (1, "bool", True),
    (-1, "uint64", ERROR),
    (7, "float64", 7.0),
    (2.5, "int64", ERROR),
    (2.0, "int16", 2),
    (1e300, "float32", ERROR),
    (0.1, "float32", ERROR),
    (0.5, "float32", 0.5),
    (0.1, "decimal128(20, 10)", Decimal("0.1000000000")),
    (0.125, "decimal128(20, 2)", ERROR),
    (Decimal("1.50"), "int64", ERROR),
    (Decimal("7.00"), "int64", 7),
    (Decimal("1.50"), "decimal128(10, 1)", Decimal("1.5")),
    (Decimal("1.55"), "decimal128(10, 1)", ERROR),
    (Decimal("123.45"), "decimal128(4, 2)", ERROR),
    (Decimal("123.45"), "decimal256(50, 20)", Decimal("123.45000000000000000000")),
    (Decimal("0.10"), "float64", 0.1),
    (Decimal("0.10"), "utf8", "0.10"),
    (AFTERNOON, "date32", ERROR),
    (AFTERNOON, "time64[us]", ERROR),
    (AFTERNOON, "timestamp[s]", AFTERNOON),
    (AFTERNOON.replace(microsecond=1), "timestamp[ms]", ERROR),
    (MIDNIGHT, "date32", MIDNIGHT.date()),
    (AFTERNOON, "timestamp[us, UTC]", AFTERNOON),
    (AFTERNOON, "timestamp[us, Europe/Berlin]", ERROR),
    ("1.5", "int64", ERROR),
    ("12", "int16", 12),
    ("9007199254740993", "float64", ERROR),
    ("0.1", "float32", pa.scalar(0.1, pa.float32()).as_py()),
    ("x", "int64", ERROR),
    ("2024-01-02", "date32", MIDNIGHT.date()),
]

SERVERS = {
    "postgres": {int: "int8", float: "float8", Decimal: "numeric(10, 2)", datetime: "timestamp", str: "text"},
    "mariadb": {int: "SIGNED", float: "DOUBLE", Decimal: "DECIMAL(10, 2)", datetime: "DATETIME(6)", str: "CHAR"},
    "duckdb": {int: "BIGINT", float: "DOUBLE", Decimal: "DECIMAL(10, 2)", datetime: "TIMESTAMP", str: "VARCHAR"},
}

Read = Callable[[Any, str], Any]


@pytest.fixture(scope="module")
def mariadb(testkit: str) -> Iterator[str]:
    """The URI of a private MariaDB."""
    server = subprocess.Popen([testkit, "mariadb"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    yield json.loads(server.stdout.readline())["uri"]
    server.stdin.close()
    assert server.wait(30) == 0


def outcome(read: Callable[[], pa.Table]) -> Any:
    """The only value, without its zone; or that there is an error, which has a way out and names the column."""
    try:
        value = read()["v"][0].as_py()
    except bowshot.Error as error:
        return ERROR if error.column == "v" and error.hint else error
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def of_server(uri: str, types: dict[type, str]) -> Read:
    """Reads a value that the server makes of its text."""

    def read(value: Any, wanted: str) -> Any:
        sql = f"SELECT CAST('{value}' AS {types[type(value)]}) AS v"
        return outcome(lambda: bowshot.read_sql(sql, uri, return_type="arrow", types={"v": wanted}))

    return read


def of_sqlite(path: Path) -> Read:
    """Reads a value that SQLite keeps as INTEGER, REAL or TEXT."""

    def read(value: Any, wanted: str) -> Any:
        literal = repr(value) if isinstance(value, int | float) else f"'{value}'"
        sql = f"SELECT {literal} AS v"
        return outcome(lambda: bowshot.read_sql(sql, path, return_type="arrow", types={"v": wanted}))

    return read


def of_files(folder: Path, suffix: str) -> Read:
    """Reads a value of a file."""
    types = {int: pa.int64(), float: pa.float64(), Decimal: pa.decimal128(10, 2), datetime: pa.timestamp("us")}

    def read(value: Any, wanted: str) -> Any:
        path = folder / f"values.{suffix}"
        table = pa.table({"v": pa.array([value], types.get(type(value), pa.string()))})
        match suffix:
            case "parquet":
                pa.parquet.write_table(table, path)
            case "arrow":
                pa.feather.write_feather(table, str(path), compression="uncompressed")
            case _:
                pa.csv.write_csv(pa.table({"v": [str(value)]}), path)
        return outcome(lambda: bowshot.read_sql("", str(path), return_type="arrow", types={"v": wanted}))

    return read


def differences(read: Read) -> list[tuple[Any, str, Any, Any]]:
    """The cases that come out otherwise."""
    found = [(value, wanted, read(value, wanted), expected) for value, wanted, expected in CASES]
    return [case for case in found if case[2] != case[3] or type(case[2]) is not type(case[3])]


def test_postgres(postgres: str) -> None:
    assert differences(of_server(postgres, SERVERS["postgres"])) == []


def test_mariadb(mariadb: str) -> None:
    assert differences(of_server(mariadb, SERVERS["mariadb"])) == []


def test_duckdb(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    with closing(duckdb.connect(str(path))):
        pass
    assert differences(of_server(f"duckdb:///{path}", SERVERS["duckdb"])) == []


def test_sqlite(database: Path) -> None:
    assert differences(of_sqlite(database)) == []


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
def test_files(tmp_path: Path, suffix: str) -> None:
    found = differences(of_files(tmp_path, suffix))
    # A file of text has no float64: what is written becomes the nearest float32.
    near = [(0.1, "float32", pa.scalar(0.1, pa.float32()).as_py(), ERROR)] if suffix == "csv" else []
    assert found == near


def test_no_advice_is_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "bytes.parquet"
    pa.parquet.write_table(pa.table({"v": pa.array([b"\xff"], pa.binary())}), path)
    with pytest.raises(bowshot.Error) as caught:
        bowshot.read_sql("", str(path), return_type="arrow", types={"v": "utf8"})
    assert '"binary"' in str(caught.value)
    assert 'utf8"}' not in str(caught.value)
    assert bowshot.read_sql("", str(path), return_type="arrow", types={"v": "binary"})["v"][0].as_py() == b"\xff"
