"""What a read holds: threads, files and memory."""

from __future__ import annotations

import gc
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import bowshot
import pytest

ALL = "SELECT * FROM items"


def held() -> tuple[int, int]:
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def settles_at(before: tuple[int, int]) -> bool:
    """Whether threads and files are soon as few as before: a thread that ended takes a moment to go."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        gc.collect()
        now = held()
        if now[0] <= before[0] and now[1] <= before[1]:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="counts in /proc")
@pytest.mark.parametrize("how", ["pandas", "arrow", "left early", "planned only", "failed"])
def test_200_reads_leave_nothing_behind(shop: Path, how: str) -> None:
    def read() -> None:
        if how == "left early":
            next(iter(bowshot.query(ALL, shop).batches(batch_size=1)))
        elif how == "planned only":
            assert bowshot.plan(ALL, shop).partitions
        elif how == "failed":
            with pytest.raises(bowshot.SqlError):
                bowshot.read_sql("SELECT nothing_at_all FROM items", shop)
        elif how == "arrow":
            bowshot.read_sql(ALL, shop, return_type="arrow")
        else:
            bowshot.read_sql(ALL, shop)

    read()
    gc.collect()
    time.sleep(0.2)
    before = held()
    for _ in range(200):
        read()
    assert settles_at(before), (before, held())


def test_leaving_a_loop_ends_the_query(database: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    start = time.monotonic()
    for batch in bowshot.query(endless, database, types={"i": "int64"}).batches(batch_size=10):
        assert batch.num_rows == 10
        break
    assert time.monotonic() - start < 5


MEMORY = """
import re, sys
import bowshot, numpy, pandas, pyarrow, pandas.core.arrays.string_arrow

def status(name):
    # Not ru_maxrss, which starts at what the parent process has used.
    with open("/proc/self/status") as file:
        return int(re.search(rf"{name}:\\s+(\\d+) kB", file.read())[1]) * 1024

path, how = sys.argv[1:]
bowshot.read_sql("SELECT * FROM numbers LIMIT 10", path)
start = status("VmRSS")
if how == "frame":
    frame = bowshot.read_sql("SELECT * FROM numbers", path)
    size = int(frame.memory_usage(deep=True).sum())
    assert len(frame) == 2_000_000 and frame["n"].sum() == 1_999_999_000_000, frame
else:
    size = 0
    rows = sum(batch.num_rows for batch in bowshot.query("SELECT * FROM numbers", path).batches())
    assert rows == 2_000_000, rows
peak = status("VmHWM")
print(start, peak, size)
"""


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2,000,000 rows of numbers and text, about 200 MB as a frame."""
    path = tmp_path_factory.mktemp("numbers") / "numbers.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE numbers (n INTEGER, x REAL, y REAL, m INTEGER, name TEXT, remark TEXT)")
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999999)"
            " INSERT INTO numbers SELECT i, i / 3.0, i * 1.5, nullif(i % 10, 3), 'name ' || i,"
            " 'a remark of some length, the way that people write them: ' || i FROM n"
        )
    connection.close()
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", ["frame", "batches"])
def test_memory_is_bounded(numbers: Path, how: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", MEMORY, str(numbers), how], capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    start, peak, size = map(int, run.stdout.split())
    # What waits for the consumer, 64 MiB at most, is the larger part of what streaming needs.
    limit = size * 1.1 + 100e6 if how == "frame" else 130e6
    print(f"{(peak - start) / 1e6:.0f} MB for a frame of {size / 1e6:.0f} MB")
    assert peak - start <= limit, f"{(peak - start) / 1e6:.0f} MB for a frame of {size / 1e6:.0f} MB"
