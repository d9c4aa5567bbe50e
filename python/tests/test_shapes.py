"""Results of unusual shape, and reads from several threads."""

from __future__ import annotations

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bowshot
import pandas as pd
import pyarrow as pa


def test_1600_columns(postgres: str) -> None:
    sql = "SELECT " + ", ".join(f"{number} AS c{number}" for number in range(1600))
    frame = bowshot.read_sql(sql, postgres)
    assert frame.shape == (1, 1600)
    assert frame.iloc[0].tolist() == list(range(1600))


def test_no_columns(postgres: str) -> None:
    assert bowshot.read_sql("SELECT FROM generate_series(1, 3)", postgres).shape[1] == 0
    assert bowshot.read_sql("SELECT FROM generate_series(1, 3)", postgres, return_type="arrow").num_columns == 0


def test_names_that_repeat(postgres: str) -> None:
    frame = bowshot.read_sql("SELECT 1 AS a, 'x' AS a, 2.5::float8 AS a", postgres)
    assert list(frame.columns) == ["a", "a", "a"]
    assert frame.iloc[0].tolist() == [1, "x", 2.5]
    table = bowshot.read_sql("SELECT 1 AS a, 'x' AS a", postgres, return_type="arrow")
    assert table.column_names == ["a", "a"]


def test_a_value_of_50_megabytes(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE t (small INTEGER, large TEXT, bytes BLOB)")
        connection.execute("INSERT INTO t VALUES (1, ?, ?)", ("é" * 25_000_000, bytes(50_000_000)))
    frame = bowshot.read_sql("SELECT * FROM t", database)
    assert frame["large"].iloc[0] == "é" * 25_000_000
    assert frame["bytes"].iloc[0] == bytes(50_000_000)


def test_text_of_many_batches_is_joined(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE t (v TEXT)")
        texts = [None if number % 7 == 0 else "é" * (number % 50) for number in range(20_000)]
        connection.executemany("INSERT INTO t VALUES (?)", [(text,) for text in texts])
    for batch_bytes in (1000, 1 << 20):
        frame = bowshot.read_sql("SELECT v FROM t", database, batch_bytes=batch_bytes)
        assert frame["v"].astype(object).where(frame["v"].notna(), None).tolist() == texts
        pa.Table.from_pandas(frame).validate(full=True)


def test_reads_in_many_threads(shop: Path) -> None:
    expected = bowshot.read_sql("SELECT * FROM items ORDER BY id", shop)
    with ThreadPoolExecutor(8) as pool:
        frames = pool.map(lambda _: bowshot.read_sql("SELECT * FROM items ORDER BY id", shop), range(64))
        for frame in frames:
            pd.testing.assert_frame_equal(frame, expected)


def test_threads_share_a_stream(database: Path) -> None:
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n"
    stream = bowshot.query(sql, database, types={"i": "int64"}, batch_bytes=10_000)._unread().read()

    def total(_: int) -> int:
        rows = 0
        while (batch := stream.next_batch()) is not None:
            rows += len(batch)
        return rows

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(total, range(4))) == 100_000


def test_other_threads_run_while_a_read_waits(database: Path) -> None:
    slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000000) SELECT max(i) AS m FROM n"
    reader = threading.Thread(target=lambda: bowshot.read_sql(slow, database, types={"m": "int64"}))
    reader.start()
    ticks = 0
    start = time.monotonic()
    while reader.is_alive():
        time.sleep(0.001)
        ticks += 1
    seconds = time.monotonic() - start
    # With the GIL held there would be none or a few.
    assert ticks > seconds * 50, f"{ticks} ticks in {seconds:.1f} s"
