"""Files: every cell compared with what pyarrow reads, of files that pyarrow wrote."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import bowshot
import pandas
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

ROWS = 5_000


def read(uri: Path | str, query: str = "SELECT * FROM data", **options: Any) -> pa.Table:
    uri = uri.as_uri() if isinstance(uri, Path) else uri
    table = bowshot.read_sql(query, uri, return_type="arrow", **options)
    assert isinstance(table, pa.Table)
    table.validate(full=True)
    return table


def column(values: list[Any], of: pa.DataType) -> pa.Array:
    """The values over and over, each seventh one NULL."""
    return pa.array([None if i % 7 == 6 else values[i % len(values)] for i in range(ROWS)], of)


def many_types() -> pa.Table:
    day, moment = datetime.date(2024, 2, 29), datetime.datetime(1969, 12, 31, 23, 59, 59, 123456)
    text = ["", "a", "täxt \U0001f3f9", "x" * 100]
    integers = {f"{sign}int{bits}": 2 ** (bits - (sign == "")) - 1 for sign in ("", "u") for bits in (8, 16, 32, 64)}
    columns = {name: column([0, 1, most], getattr(pa, name)()) for name, most in integers.items()}
    columns |= {
        "float32": column([0.5, float("inf"), -0.0], pa.float32()),
        "float64": column([0.1, float("-inf"), 1e300], pa.float64()),
        "bool": column([True, False], pa.bool_()),
        "text": column(text, pa.string()),
        "large": column(text, pa.large_string()),
        "binary": column([b"", b"\x00\xff"], pa.binary()),
        "fixed": column([b"abcd", b"\x00" * 4], pa.binary(4)),
        "dictionary": column(text, pa.string()).dictionary_encode(),
        "date": column([day, datetime.date(1, 1, 1)], pa.date32()),
        "time_ms": column([datetime.time(1, 2, 3)], pa.time32("ms")),
        "time_us": column([datetime.time(23, 59, 59, 999999)], pa.time64("us")),
        "null": pa.nulls(ROWS),
        "list": column([[], [1, None, 3]], pa.list_(pa.int32())),
        "lists": column([[["a"], None], [[]]], pa.list_(pa.list_(pa.string()))),
        "struct": column(
            [{"a": 1, "b": "x"}, {"a": None, "b": None}], pa.struct([("a", pa.int64()), ("b", pa.string())])
        ),
        "structs": column([[{"a": [1]}], []], pa.list_(pa.struct([("a", pa.list_(pa.int8()))]))),
        "map": column([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
    }
    for precision, scale in ((4, 1), (9, 2), (18, 0), (38, 10), (76, 30)):
        values = [
            decimal.Decimal(10 ** (min(precision, 38) - 1) - 1).scaleb(-scale, decimal.Context(90)),
            decimal.Decimal(0),
        ]
        of = pa.decimal256(precision, scale) if precision > 38 else pa.decimal128(precision, scale)
        columns[f"decimal_{precision}"] = column(values, of)
    for unit in ("ms", "us", "ns"):
        kept = moment.replace(microsecond=123000) if unit == "ms" else moment
        columns[f"timestamp_{unit}"] = column([kept], pa.timestamp(unit))
        columns[f"instant_{unit}"] = column([kept], pa.timestamp(unit, "America/New_York"))
    return pa.table(columns)


def same(found: pa.Table, wanted: pa.Table) -> None:
    assert found.column_names == wanted.column_names
    for name in wanted.column_names:
        one, other = found[name], wanted[name]
        assert one.type == other.type, name
        if pa.types.is_dictionary(one.type):
            one, other = one.cast(one.type.value_type), other.cast(other.type.value_type)
        assert one.combine_chunks().equals(other.combine_chunks()), name


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_parquet_of_every_type(tmp_path: Path, compression: str, version: str) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(
        many_types(),
        path,
        compression=compression,
        data_page_version=version,
        row_group_size=1_500,
        data_page_size=4_000,
    )
    same(read(path), pq.read_table(path))


@pytest.mark.parametrize(
    "options",
    [
        {"use_dictionary": False},
        {"store_schema": False},
        {"store_decimal_as_integer": True},
        {"use_dictionary": False, "use_byte_stream_split": ["float32", "float64"]},
        {"use_dictionary": False, "column_encoding": {"int64": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"}},
        {"write_page_index": True, "write_page_checksum": True},
    ],
)
def test_parquet_as_writers_may_choose(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(many_types(), path, **options)
    same(read(path), pq.read_table(path))


@pytest.mark.parametrize("backend", ["numpy", "numpy_nullable"])
@pytest.mark.parametrize("null", [[], [None]])
def test_integers_of_every_size_are_pandas_integers(tmp_path: Path, null: list[None], backend: str) -> None:
    ranges = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}
    ranges |= {f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)}
    values = {name: [least, least + 1, 42, most, *null] * 1000 for name, (least, most) in ranges.items()}
    pq.write_table(
        pa.table({name: pa.array(values[name], getattr(pa, name)()) for name in ranges}), tmp_path / "x.parquet"
    )
    frame = bowshot.read_sql("", (tmp_path / "x.parquet").as_uri(), dtype_backend=backend)
    found = {name: [None if pandas.isna(value) else int(value) for value in frame[name]] for name in ranges}
    assert found == values
    if not null and backend == "numpy":
        assert {str(kind) for kind in frame.dtypes[:-1]} == {"int64"}


def test_old_timestamps(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    table = many_types().select(["timestamp_ns", "int64"])
    pq.write_table(table, path, use_deprecated_int96_timestamps=True)
    same(read(path), table)
    coerced = read(path, types={"timestamp_ns": "timestamp[us]"})
    assert coerced["timestamp_ns"].equals(table["timestamp_ns"].cast(pa.timestamp("us")))


def test_columns_and_first_rows(tmp_path: Path) -> None:
    path = tmp_path / "orders.parquet"
    table = many_types()
    pq.write_table(table, path, row_group_size=700)
    found = read(path, 'SELECT text, INT64 AS n, "struct" FROM orders LIMIT 1234')
    wanted = table.select(["text", "int64", "struct"]).rename_columns(["text", "n", "struct"]).slice(0, 1234)
    same(found, wanted)
    for query in (
        "SELECT * FROM orders WHERE int8 = 1",
        "SELECT count(*) FROM orders",
        "SELECT * FROM orders ORDER BY text",
    ):
        with pytest.raises(bowshot.Error, match="dataframe"):
            read(path, query)
    with pytest.raises(bowshot.SqlError, match="no column"):
        read(path, "SELECT nothing FROM orders")


def test_folders_of_keys(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": range(100),
            "year": [2020 + i % 3 for i in range(100)],
            "day": [datetime.date(2024, 1, 1 + i % 2) for i in range(100)],
            "who": [("a b/c", "d", None)[i % 3] for i in range(100)],
        }
    )
    keys = pa.schema([("year", pa.int64()), ("day", pa.date32()), ("who", pa.string())])
    pyarrow.dataset.write_dataset(
        table, tmp_path / "lake", format="parquet", partitioning=pyarrow.dataset.partitioning(keys, flavor="hive")
    )
    found = read(tmp_path / "lake")
    assert found.schema.field("day").type == pa.date32()
    same(found.select(table.column_names).sort_by("id"), table)


def test_encrypted_and_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(many_types().drop_columns(["null"]), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-4] + b"PARE")
    with pytest.raises(bowshot.Error, match="encrypted"):
        read(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(bowshot.Error, match=r"x\.parquet is damaged or cut off"):
        read(path)


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_feather(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "x.feather"
    table = many_types()
    pyarrow.feather.write_feather(table, path, compression=compression, chunksize=900)
    for options in ("", "?mmap=false"):
        same(read(path.as_uri() + options), table)
    same(read(path, "SELECT text, int8 FROM x LIMIT 1000"), table.select(["text", "int8"]).slice(0, 1000))


def test_streams(tmp_path: Path) -> None:
    path = tmp_path / "x.arrows"
    table = many_types()
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=700)
    same(read(path), table)


def test_replaced_and_growing_dictionaries(tmp_path: Path) -> None:
    words = [pa.array(["a", "b", "a"]).dictionary_encode(), pa.array(["c", "a", "b"]).dictionary_encode()]
    batches = [pa.record_batch({"w": array}) for array in words]
    path = tmp_path / "x.arrows"
    for deltas in (False, True):
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)
        with pa.ipc.new_stream(path, batches[0].schema, options=options) as writer:
            for batch in batches:
                writer.write_batch(batch)
        assert read(path)["w"].to_pylist() == ["a", "b", "a", "c", "a", "b"]


def test_csv(tmp_path: Path) -> None:
    plain = ["int8", "int64", "uint64", "float64", "bool", "text", "date", "timestamp_us"]
    table = many_types().select(plain)
    finite = [None if value in (float("inf"), float("-inf")) else value for value in table["float64"].to_pylist()]
    table = table.set_column(3, "float64", pa.array(finite, pa.float64()))
    path = tmp_path / "x.csv"
    pyarrow.csv.write_csv(table, path)
    found = read(path)
    widened = table.set_column(0, "int8", table["int8"].cast(pa.int64()))
    same(found, widened)
    theirs = pyarrow.csv.read_csv(
        path, convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
    )
    assert found["int64"].equals(theirs["int64"])
    assert found["text"].equals(theirs["text"])
    assert pc.equal(found["float64"], theirs["float64"]).combine_chunks().to_pylist() == [
        None if value is None else True for value in found["float64"].to_pylist()
    ]


def test_csv_over_many_partitions(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    values = [f'{i}: "quoted", with\nlines' if i % 3 else str(i) for i in range(200_000)]
    table = pa.table({"id": range(len(values)), "value": values})
    pyarrow.csv.write_csv(table, path)
    query = bowshot.query("SELECT * FROM data", path.as_uri(), buffer_bytes=1 << 20, connections=4)
    assert len(query.plan.partitions) > 3
    assert query.to_arrow().equals(table)


def test_csv_values_that_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,n\n" + "".join(f"{i},{i}\n" for i in range(200_000)) + "1,n/a\n")
    with pytest.raises(bowshot.Error, match=r'line 200002 of .*x\.csv holds "n/a".*types='):
        read(path)
    assert read(path, types={"n": "utf8"})["n"][200_000].as_py() == "n/a"
    assert read(path.as_uri() + "?null=n/a")["n"][200_000].as_py() is None
