"""Parquet files through the gateway: to Bowshot's client as they are stored, to others as batches, the same cells."""

from __future__ import annotations

import datetime as dt
import re
import urllib.request
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import adbc_driver_flightsql.dbapi as flight_sql
import bowshot
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.gateway.serving import Gateway, served

ROWS = 60_000
"""In three files of many row groups."""

MANY = 250_000
"""In one row group, which is what pyarrow makes of them."""


def some(value: object, row: int) -> object:
    return None if row % 7 == 3 else value


def things(rows: int) -> pa.Table:
    columns = {
        "id": pa.array(range(rows), pa.int64()),
        "small": pa.array([some(row % 100 - 50, row) for row in range(rows)], pa.int16()),
        "share": pa.array([some(row / 8, row) for row in range(rows)], pa.float64()),
        "price": pa.array([some(Decimal(row * 7 - 9) / 100, row) for row in range(rows)], pa.decimal128(15, 2)),
        "day": pa.array([some(dt.date(2020, 1, 1) + dt.timedelta(row % 900), row) for row in range(rows)], pa.date32()),
        "at": pa.array([some(row * 1_000_003, row) for row in range(rows)], pa.timestamp("us", tz="UTC")),
        "yes": pa.array([some(row % 3 == 0, row) for row in range(rows)], pa.bool_()),
        "word": pa.array([some(f"wörd {row % 300} " + "x" * (row % 20), row) for row in range(rows)], pa.string()),
        "bytes": pa.array([some(bytes([row % 256, 0xFF]), row) for row in range(rows)], pa.binary()),
    }
    return pa.table(columns)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of three files, each of several row groups, and one of a single row group."""
    lake = tmp_path_factory.mktemp("lake")
    table = things(ROWS)
    folder = lake / "things"
    folder.mkdir()
    for number, compression in enumerate(["snappy", "zstd", "none"]):
        part = table.slice(number * ROWS // 3, ROWS // 3)
        pq.write_table(part, folder / f"{number}.parquet", compression=compression, row_group_size=7_000)
    pq.write_table(things(MANY), lake / "many.parquet", compression="zstd")
    assert pq.read_metadata(lake / "many.parquet").num_row_groups == 1
    return lake


@pytest.fixture(scope="module")
def gateway(command: str, lake: Path) -> Iterator[Gateway]:
    with served(command, f"lake={lake}/things", f"single={lake}/many.parquet", "--console", "127.0.0.1:0") as gateway:
        yield gateway


def sent(gateway: Gateway) -> dict[str, int]:
    """How many rows went out so far, by the way in which they were written."""
    found = re.search(r"http://127\.0\.0\.1:\d+", gateway.log.read_text())
    assert found, gateway.log.read_text()
    with urllib.request.urlopen(f"{found.group()}/metrics", timeout=10) as answer:
        figures = answer.read().decode()
    return {codec: int(rows) for codec, rows in re.findall(r'bowshot_rows_total\{codec="(\w+)"\} (\d+)', figures)}


def plain(table: pa.Table) -> pa.Table:
    """The cells alone: views become texts with offsets, and what a server says of its columns is left out."""
    kinds = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
    fields = [pa.field(field.name, kinds.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields)).combine_chunks()


QUERIES = {
    "SELECT * FROM things": lambda table: table,
    "SELECT word, price, id FROM things": lambda table: table.select(["word", "price", "id"]),
    "SELECT id FROM things LIMIT 12345": lambda table: table.select(["id"]).slice(0, 12_345),
    "SELECT id, small FROM things WHERE id >= 59990": lambda table: table.select(["id", "small"]).slice(59_990),
}


@pytest.mark.parametrize("sql", QUERIES)
def test_every_cell_arrives_whoever_asks(gateway: Gateway, lake: Path, sql: str) -> None:
    wanted = plain(QUERIES[sql](pq.read_table(lake / "things"))).sort_by("id")
    assert wanted.num_rows > 0
    ours = bowshot.read_sql(sql, gateway.address, return_type="arrow")
    assert plain(ours).sort_by("id").equals(wanted)
    with flight_sql.connect(gateway.address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        assert plain(cursor.fetch_arrow_table()).sort_by("id").equals(wanted)


def test_rows_come_in_the_order_of_the_files(gateway: Gateway) -> None:
    found = bowshot.read_sql("SELECT id FROM things", gateway.address, return_type="arrow")
    assert found["id"].to_pylist() == list(range(ROWS))


def test_the_gateway_s_figures_say_how_rows_went(gateway: Gateway) -> None:
    before = sent(gateway)
    bowshot.read_sql("SELECT * FROM things", gateway.address, return_type="arrow")
    after = sent(gateway)
    assert {codec: rows - before.get(codec, 0) for codec, rows in after.items() if rows != before.get(codec)} == {
        "parquet": ROWS
    }
    # Who asks for a codec gets batches.
    bowshot.read_sql("SELECT * FROM things", f"{gateway.address}?header.bowshot-compression=lz4", return_type="arrow")
    assert sent(gateway)["lz4"] == ROWS


@pytest.mark.parametrize("endpoints", [1, 2, 3])
def test_one_row_group_is_divided(gateway: Gateway, lake: Path, endpoints: int) -> None:
    address = f"{gateway.address}?header.bowshot-endpoints={endpoints}"
    assert len(bowshot.plan("SELECT * FROM many", address).partitions) == endpoints
    before = sent(gateway).get("parquet", 0)
    found = bowshot.read_sql("SELECT * FROM many", address, return_type="arrow")
    assert sent(gateway)["parquet"] - before == MANY
    assert plain(found).equals(plain(pq.read_table(lake / "many.parquet")))


def test_what_is_little_comes_over_one_connection(gateway: Gateway, lake: Path) -> None:
    address = f"{gateway.address}?header.bowshot-endpoints=2"
    assert len(bowshot.plan("SELECT small, yes FROM many", address).partitions) == 1
    found = bowshot.read_sql("SELECT small, yes FROM many", address, return_type="arrow")
    assert plain(found).equals(plain(pq.read_table(lake / "many.parquet", columns=["small", "yes"])))


def test_streams_are_in_batches_of_the_size_that_was_asked_for(gateway: Gateway) -> None:
    query = bowshot.query("SELECT * FROM things", gateway.address, batch_bytes=200_000)
    sizes = [pa.record_batch(batch).nbytes for batch in query.batches()]
    assert len(sizes) > 10
    assert max(sizes) < 1_000_000
