"""JSON lines as people have them: what is read is what Python's own module reads, or an error that names the line."""

from __future__ import annotations

import datetime
import decimal
import gzip
import json
import math
from pathlib import Path
from typing import Any

import bowshot
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.json_cases import READ, REFUSED

SPLITS: dict[str, dict[str, Any]] = {
    "whole": {},
    "split": {"partition_bytes": 64, "batch_bytes": 4096, "connections": 2},
}


def read(path: Path | str, query: str = "", **options: Any) -> pa.Table:
    table = bowshot.read_sql(query, str(path), return_type="arrow", **options)
    assert isinstance(table, pa.Table)
    return table


def fitted(value: Any, of: pa.DataType) -> Any:
    """A value as a column of this type has it; that nothing of it is left out is asserted."""
    if value is None:
        return None
    if pa.types.is_struct(of):
        assert set(value) <= {field.name for field in of}
        return {field.name: fitted(value.get(field.name), field.type) for field in of}
    if pa.types.is_list(of):
        return [fitted(item, of.value_type) for item in value]
    if pa.types.is_floating(of):
        assert not isinstance(value, bool)
        return float(value)
    kind = {pa.int64(): int, pa.bool_(): bool, pa.string(): str}[of]
    assert type(value) is kind
    return value


def by_python(text: str, schema: pa.Schema) -> list[Any]:
    return [fitted(json.loads(line), pa.struct(list(schema))) for line in text.split("\n") if line.strip()]


def assert_same(table: pa.Table, text: str) -> None:
    """Every cell, the zeros' signs among them."""
    assert repr(table.to_pylist()) == repr(by_python(text, table.schema))


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("infer", ["sample", "all"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("name", READ)
def test_what_is_read(tmp_path: Path, name: str, mark: str, infer: str, split: str) -> None:
    path = written(tmp_path / "x.jsonl", mark + READ[name])
    if name == "a long line" and split == "split":
        split = "whole"  # Each byte of it would be looked at as the beginning of a partition.
    table = read(f"file:{path}?infer={infer}", **SPLITS[split])
    assert_same(table, READ[name])


@pytest.mark.parametrize("ending", ["json", "ndjson", "jsonl.gz", "json.zst", "JSONL"])
@pytest.mark.parametrize("name", READ)
def test_what_is_read_of_other_files(tmp_path: Path, name: str, ending: str) -> None:
    data = READ[name].encode()
    if ending.endswith(".gz"):
        data = gzip.compress(data)
    if ending.endswith(".zst"):
        data = pa.compress(data, "zstd", asbytes=True)
    assert_same(read(written(tmp_path / f"x.{ending}", data)), READ[name])


@pytest.mark.parametrize("infer", ["sample", "all"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(tmp_path: Path, name: str, infer: str) -> None:
    refused = REFUSED[name]
    path = written(tmp_path / "x.jsonl", refused.text)
    with pytest.raises(bowshot.Error, match=f"(?s){refused.words}.*{refused.way}"):
        read(f"file:{path}?infer={infer}")


@pytest.mark.parametrize("name", [name for name, refused in REFUSED.items() if refused.way == "utf8"])
def test_the_way_out(tmp_path: Path, name: str) -> None:
    """Text holds what no type does, as it is written."""
    refused = REFUSED[name]
    assert isinstance(refused.text, str)
    path = written(tmp_path / "x.jsonl", refused.text)
    wanted = [line.removeprefix('{"a": ').removesuffix("}").strip('"') for line in refused.text.splitlines()]
    assert read(path, types={"a": "utf8"}).column("a").to_pylist() == wanted


def test_types_of_the_user(tmp_path: Path) -> None:
    text = (
        '{"d": "2024-02-29", "t": "2024-02-29T12:30:00.123456+02:00", '
        '"l": "2024-02-29 12:30:00", "n": 12.50, "u": 18446744073709551615}\n'
        '{"d": null, "n": "0.01", "u": 0}\n{"n": -3}\n'
    )
    path = written(tmp_path / "x.jsonl", text)
    types = {"d": "date32", "t": "timestamp[us, UTC]", "l": "timestamp[us]", "n": "decimal128(10, 2)", "u": "uint64"}
    table = read(path, types={**types, "x": "int8"})
    utc = datetime.UTC
    assert table.to_pylist() == [
        {
            "d": datetime.date(2024, 2, 29),
            "t": datetime.datetime(2024, 2, 29, 10, 30, 0, 123456, utc),
            "l": datetime.datetime(2024, 2, 29, 12, 30),
            "n": decimal.Decimal("12.50"),
            "u": 2**64 - 1,
            "x": None,
        },
        {"d": None, "t": None, "l": None, "n": decimal.Decimal("0.01"), "u": 0, "x": None},
        {"d": None, "t": None, "l": None, "n": decimal.Decimal("-3.00"), "u": None, "x": None},
    ]
    # Without them, dates are the texts that they are.
    assert read(path, "SELECT d, l FROM x").schema.types == [pa.string()] * 2


@pytest.mark.parametrize(
    ("of", "value"),
    [
        ("date32", '"2024-02-30"'),
        ("date32", "20240229"),
        ("timestamp[us]", '"2024-02-29 12:30:00.1234567"'),
        ("timestamp[us]", "1709209800"),
        ("decimal128(4, 2)", "1.005"),
        ("decimal128(4, 2)", "100"),
        ("int8", "128"),
        ("int64", "1.5"),
        ("bool", '"yes"'),
    ],
)
def test_values_of_another_type_than_the_user_says(tmp_path: Path, of: str, value: str) -> None:
    path = written(tmp_path / "x.jsonl", f'{{"id": 1}}\n\n{{"id": 2, "c": {value}}}\n')
    with pytest.raises(bowshot.Error) as caught:
        read(path, types={"c": of})
    shown = value.strip('"')
    assert f'column "c" is {of}, and line 3 of {path} holds "{shown}"' in str(caught.value)
    assert "utf8" in str(caught.value)


def test_folders(tmp_path: Path) -> None:
    for year, month, text in [(2023, 1, '{"a": 1}\n'), (2023, 2, '{"b": "x"}\n{"a": 2.5}\n'), (2024, 1, "")]:
        folder = tmp_path / f"year={year}" / f"month={month}"
        folder.mkdir(parents=True)
        written(folder / "part.jsonl", text)
    wanted = [
        {"a": 1.0, "b": None, "year": 2023, "month": 1},
        {"a": None, "b": "x", "year": 2023, "month": 2},
        {"a": 2.5, "b": None, "year": 2023, "month": 2},
    ]
    assert read(f"{tmp_path}/").to_pylist() == wanted
    assert read(f"{tmp_path}/**/*.jsonl").to_pylist() == wanted
    assert read(f"{tmp_path}/", "SELECT month FROM data").column("month").to_pylist() == [1, 2, 2]
    table = read(f"{tmp_path}/", "SELECT month, b FROM data LIMIT 2")
    assert table.to_pylist() == [{"month": 1, "b": None}, {"month": 2, "b": "x"}]


def test_dataframes(tmp_path: Path) -> None:
    text = READ["structs in lists in structs"]
    path = written(tmp_path / "x.jsonl", text)
    polars = bowshot.read_sql("", str(path), return_type="polars")
    assert polars.to_dicts() == read(path).to_pylist()
    pandas = bowshot.read_sql("", str(path))
    assert len(pandas) == 4
    empty = bowshot.read_sql(
        "", str(written(tmp_path / "y.jsonl", READ["empty objects and arrays"])), return_type="polars"
    )
    assert empty.to_dicts()[0]["b"] == []


def test_a_key_that_the_sample_lacks(tmp_path: Path) -> None:
    text = "".join(f'{{"id": {i}, "text": "{"x" * 60}"}}\n' for i in range(40_000)) + '{"id": 1, "new": [1.5]}\n'
    path = written(tmp_path / "x.jsonl", text)
    with pytest.raises(bowshot.Error, match=r'line 40001 of .* has the key "new".*infer=all'):
        read(path)
    assert_same(read(f"file:{path}?infer=all"), text)
    assert read(path, "SELECT id FROM x").num_rows == 40_001
    assert read(path, types={"new": "utf8"}).column("new").to_pylist()[-1] == "[1.5]"


def test_orc_is_refused(tmp_path: Path) -> None:
    from pyarrow import orc

    orc.write_table(pa.table({"a": [1]}), tmp_path / "x.orc")
    with pytest.raises(bowshot.Error, match=r"ORC file, which is not read.*pyarrow\.orc\.read_table"):
        read(tmp_path / "x.orc")


SCALARS = {
    "i": st.integers(-(2**63), 2**63 - 1),
    "f": st.floats(allow_nan=False, allow_infinity=False),
    "b": st.booleans(),
    "t": st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
}


def values(depth: int) -> st.SearchStrategy[Any]:
    """Objects whose keys tell the types of their values."""
    members: dict[str, st.SearchStrategy[Any]] = {name: st.none() | scalars for name, scalars in SCALARS.items()}
    members["li"] = st.lists(st.none() | SCALARS["i"], max_size=3)
    if depth:
        members["o"] = st.none() | values(depth - 1)
        members["lo"] = st.lists(st.none() | values(depth - 1), max_size=3)
    return st.fixed_dictionaries({}, optional=members)


@settings(max_examples=80, deadline=None)
@given(
    records=st.lists(values(2), max_size=12),
    ascii_only=st.booleans(),
    end=st.sampled_from(["\n", "\r\n", "\n\n"]),
    split=st.sampled_from(sorted(SPLITS)),
)
def test_what_python_writes(
    tmp_path_factory: pytest.TempPathFactory, records: list[Any], ascii_only: bool, end: str, split: str
) -> None:
    text = end.join(json.dumps(record, ensure_ascii=ascii_only) for record in [{"id": 1}, *records])
    path = written(tmp_path_factory.mktemp("json") / "x.jsonl", text)
    assert_same(read(path, **SPLITS[split]), text)


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.sampled_from('{}[]",:a1.-e\\u0 \n'), max_size=14))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = written(tmp_path_factory.mktemp("json") / "x.jsonl", text)
    try:
        table = read(path)
    except bowshot.Error:
        return
    assert_same(table, text)
    for column in table.columns:
        floats = column.to_pylist() if pa.types.is_floating(column.type) else []
        assert not any(math.isinf(value) for value in floats if value)
