"""Parquet as many programs write it: every cell is the one that pyarrow reads."""

from __future__ import annotations

import datetime as dt
import decimal
from itertools import product
from pathlib import Path
from typing import Any

import bowshot
import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 3000


def some(value: Any, every: int = 7) -> list[Any]:
    """Values by row, each seventh one NULL."""
    return [None if row % every == 3 else value(row) for row in range(ROWS)]


def columns() -> dict[str, Any]:
    """One column of each type that Parquet has."""
    words = some(lambda row: f"täxt {row % 50}" * (row % 5))
    numbers = some(lambda row: row * 7 - 100)
    lists = some(lambda row: [None if item == 2 else item * row for item in range(row % 5)])
    day = dt.datetime(2024, 2, 29, 12, 30)
    return {
        "i8": pa.array(some(lambda row: row % 100 - 50), pa.int8()),
        "u8": pa.array(some(lambda row: row % 256), pa.uint8()),
        "u16": pa.array(some(lambda row: row), pa.uint16()),
        "u32": pa.array(some(lambda row: 2**32 - 1 - row), pa.uint32()),
        "u64": pa.array(some(lambda row: 2**64 - 1 - row), pa.uint64()),
        "i32": pa.array(numbers, pa.int32()),
        "i64.with.dots": pa.array(numbers, pa.int64()),
        "f16": pa.array(some(lambda row: row / 8), pa.float32()).cast(pa.float16()),
        "f32": pa.array(some(lambda row: row / 3), pa.float32()),
        "f64": pa.array(some(lambda row: row / 7), pa.float64()),
        "bool": pa.array(some(lambda row: row % 3 == 0)),
        "text": pa.array(words),
        "bytes": pa.array(some(lambda row: bytes([row % 256, 255]) * (row % 3)), pa.binary()),
        "fixed": pa.array(some(lambda row: bytes([row % 256]) * 5), pa.binary(5)),
        "words": pa.array(words).dictionary_encode(),
        "d9": pa.array(some(lambda row: decimal.Decimal(row - 1000).scaleb(-2)), pa.decimal128(9, 2)),
        "d18": pa.array(some(lambda row: decimal.Decimal(row * 10**9).scaleb(-4)), pa.decimal128(18, 4)),
        "d38": pa.array(some(lambda row: decimal.Decimal(-row * 10**20).scaleb(-4)), pa.decimal128(38, 4)),
        "d76": pa.array(some(lambda row: decimal.Decimal(row * 10**40)), pa.decimal256(70, 0)),
        "date": pa.array(some(lambda row: (day + dt.timedelta(days=row)).date())),
        "time": pa.array(some(lambda row: dt.time(row % 24, row % 60, 1, row)), pa.time64("us")),
        "ms": pa.array(some(lambda row: row), pa.time32("ms")),
        "naive": pa.array(some(lambda row: day + dt.timedelta(hours=row)), pa.timestamp("us")),
        "utc": pa.array(some(lambda row: day + dt.timedelta(hours=row)), pa.timestamp("ms", "UTC")),
        "nothing": pa.nulls(ROWS),
        "list": pa.array(lists, pa.list_(pa.int64())),
        "lists": pa.array([None if item is None else [item, None, []] for item in lists]),
        "struct": pa.array(some(lambda row: {"a": row, "b": None if row % 2 else {"c": str(row)}})),
        "map": pa.array(
            some(lambda row: [(f"k{item}", item) for item in range(row % 4)]), pa.map_(pa.string(), pa.int32())
        ),
        "all_null": pa.array([None] * ROWS, pa.string()),
    }


def check(path: Path, wanted: Any = None) -> None:
    """Every cell is the one that was written, or that pyarrow reads."""
    wanted = pq.ParquetFile(path).read() if wanted is None else wanted
    found = bowshot.read_sql("", path, return_type="arrow")
    assert found.num_rows == wanted.num_rows
    for place, name in enumerate(wanted.column_names):
        ours, theirs = found.column(place), wanted.column(place)
        if pa.types.is_float16(theirs.type):
            ours, theirs = ours.cast(pa.float32()), theirs.cast(pa.float32())
        assert ours.to_pylist() == theirs.to_pylist(), name
    batches = list(bowshot.query("", path).batches())
    assert sum(batch.num_rows for batch in batches) == wanted.num_rows


@pytest.mark.parametrize(
    ("compression", "version"),
    list(product(["none", "snappy", "gzip", "brotli", "zstd", "lz4"], ["1.0", "2.0"])),
)
def test_compressions_and_pages(tmp_path: Path, compression: str, version: str) -> None:
    """Each compression, in both kinds of pages, with and without a dictionary."""
    path = tmp_path / "x.parquet"
    for dictionary in (True, False):
        pq.write_table(
            pa.table(columns()),
            path,
            compression=compression,
            data_page_version=version,
            use_dictionary=dictionary,
            row_group_size=1700,
            data_page_size=2000,
            write_page_checksum=dictionary,
            write_page_index=dictionary,
        )
        check(path)


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("DELTA_BINARY_PACKED", ["i32", "i64.with.dots", "u32"]),
        ("DELTA_LENGTH_BYTE_ARRAY", ["text", "bytes"]),
        ("DELTA_BYTE_ARRAY", ["text", "bytes", "fixed"]),
        ("BYTE_STREAM_SPLIT", ["f32", "f64", "i32", "i64.with.dots", "fixed", "d38", "f16"]),
        ("RLE", ["bool"]),
        ("PLAIN", ["i32", "text", "bool", "fixed"]),
    ],
)
def test_encodings(tmp_path: Path, encoding: str, names: list[str]) -> None:
    """Each encoding of the format, flat and in a list."""
    path = tmp_path / "x.parquet"
    table = pa.table({name: columns()[name] for name in names})
    for version in ("1.0", "2.0"):
        pq.write_table(
            table,
            path,
            use_dictionary=False,
            column_encoding=dict.fromkeys(names, encoding),
            data_page_version=version,
            data_page_size=1500,
        )
        check(path)


def test_files_of_duckdb_and_polars(tmp_path: Path) -> None:
    """What other writers make of it."""
    odd = pa.table({name: array for name, array in columns().items() if name not in {"f16", "d76", "nothing", "ms"}})
    duckdb = pytest.importorskip("duckdb")
    for options in ("compression zstd", "compression lz4_raw", "compression brotli", "compression gzip"):
        path = tmp_path / "duckdb.parquet"
        duckdb.sql(f"copy odd to '{path}' (format parquet, row_group_size 2048, {options})")
        check(path, odd)
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(odd.drop_columns(["map"]))
    for compression in ("zstd", "snappy", "gzip", "brotli", "lz4", "uncompressed"):
        path = tmp_path / "polars.parquet"
        frame.write_parquet(path, compression=compression, row_group_size=1000, data_page_size=3000)
        check(path)


def test_nothing_at_all(tmp_path: Path) -> None:
    """Files without rows, without columns, with one name twice, and with much to note."""
    path = tmp_path / "x.parquet"
    table = pa.table(columns())
    for odd in (
        table.slice(0, 0),
        pa.table({}),
        pa.Table.from_arrays([pa.array([1]), pa.array(["a"])], ["x", "x"]),
        pa.table({"x": [1]}).replace_schema_metadata({"note": "x" * 10_000_000}),
    ):
        pq.write_table(odd, path)
        check(path)


def test_times_outside_of_a_day(tmp_path: Path) -> None:
    """Each return type says so, and text and numbers hold them."""
    times = pa.array([0, 86_400_000_000, -1], pa.int64()).cast(pa.time64("us"))
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"t": times, "n": [1, 2, 3]}), path)
    for return_type in ("pandas", "polars", "arrow"):
        with pytest.raises(bowshot.DataError, match=r'column "t".*24:00:00.*"utf8"') as caught:
            bowshot.read_sql("", path, return_type=return_type)
        assert caught.value.column == "t"
    text = bowshot.read_sql("", path, return_type="arrow", types={"t": "utf8"})
    assert text["t"].to_pylist() == ["00:00:00", "24:00:00", "-00:00:00.000001"]
    numbers = bowshot.read_sql("", path, return_type="pandas", types={"t": "int64"})
    assert numbers["t"].tolist() == [0, 86_400_000_000, -1]
    assert bowshot.read_sql("SELECT n FROM t", path, return_type="arrow")["n"].to_pylist() == [1, 2, 3]


def test_text_that_is_none(tmp_path: Path) -> None:
    """The error names the column, and as bytes it can be read: flat, packed and nested."""
    latin = pa.array([b"a", b"caf\xe9", None] * 100, pa.binary())
    text = latin.view(pa.string())
    lists = pa.ListArray.from_arrays(pa.array(range(0, 301, 3), pa.int32()), text)
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, None] * 100, pa.int8()), text.slice(0, 2))
    path = tmp_path / "latin.parquet"
    for encoding in ("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", None):
        for column in (text, words, lists):
            name = "c.list.element" if column is lists else "c"
            encodings = (
                {} if encoding is None else {"use_dictionary": False, "column_encoding": {name: encoding, "n": "PLAIN"}}
            )
            pq.write_table(pa.table({"n": range(len(column)), "c": column}), path, **encodings)
            with pytest.raises(bowshot.DataError, match="UTF-8") as caught:
                bowshot.read_sql("", path, return_type="arrow")
            assert caught.value.column == "c"
            assert 'types={"c": "binary"}' in str(caught.value)
            found = bowshot.read_sql("", path, return_type="arrow", types={"c": "binary"})["c"].to_pylist()
            wanted = latin.to_pylist()
            assert ([value for values in found for value in values] if column is lists else found) == wanted
    file = tmp_path / "latin.arrow"
    for column in (text, words, lists):
        table = pa.table({"c": column})
        with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        found = bowshot.read_sql("", file, return_type="arrow", types={"c": "binary"})["c"].to_pylist()
        assert ([value for values in found for value in values] if column is lists else found) == latin.to_pylist()
    csv = tmp_path / "latin.csv"
    csv.write_bytes(b"n,c\n1,caf\xe9\n2,a\n")
    with pytest.raises(bowshot.DataError, match=r'types=\{"c": "binary"\}'):
        bowshot.read_sql("", csv, return_type="arrow")
    assert bowshot.read_sql("", csv, return_type="arrow", types={"c": "binary"})["c"].to_pylist() == [b"caf\xe9", b"a"]


def test_one_page_of_a_row_group(tmp_path: Path) -> None:
    """DuckDB makes one page of a column of a large row group: it is unpacked once, by one worker."""
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "x.parquet"
    many = "select i, hash(i) h from range(1500000) r(i)"
    duckdb.sql(f"copy ({many}) to '{path}' (format parquet, row_group_size 10000000)")
    query = bowshot.query("", path, buffer_bytes=4 << 20)
    assert len(query.plan.partitions) == 1
    rows = 0
    for batch in query.batches():
        rows += batch.num_rows
        assert batch.nbytes < 4 << 20
    assert rows == 1_500_000
