"""`aread_sql` and `abatches`: the results of their synchronous twins, while the event loop goes on."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
import time
import warnings
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import bowshot
import pandas as pd
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bowshot._async_items import AsyncItems
from bowshot._line import calling_line
from tests.async_loop import collect, run, ticker, until

ROWS = "SELECT i AS n, i::text AS t, CASE WHEN i % 3 > 0 THEN i * 1.5 END AS x FROM generate_series(1, 2500) i"
ITEMS = "SELECT * FROM items"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
MANY = "SELECT i FROM generate_series(1, 100000) i, generate_series(1, 10000) j"

ENDS: dict[str, dict[str, Any]] = {
    "pandas": {},
    "nullable": {"dtype_backend": "numpy_nullable"},
    "pyarrow": {"dtype_backend": "pyarrow"},
    "arrow": {"return_type": "arrow"},
    "polars": {"return_type": "polars"},
}


def assert_equal(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other)
    else:
        assert one.equals(other)


@pytest.mark.parametrize("way", ENDS)
def test_a_result_is_that_of_read_sql(postgres: str, shop: Path, way: str) -> None:
    databases: list[tuple[str, str | Path]] = [(ROWS, postgres), (ITEMS, shop)]
    for sql, con in databases:
        assert_equal(run(bowshot.aread_sql(sql, con, **ENDS[way])), bowshot.read_sql(sql, con, **ENDS[way]))


def test_files_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"n": range(1000)}), path, row_group_size=100)
    assert run(bowshot.aread_sql("SELECT * FROM data", path, return_type="arrow"))["n"].to_pylist() == list(range(1000))
    batches = run(collect(bowshot.query("SELECT * FROM data", path).abatches()))
    assert pa.Table.from_batches(batches)["n"].to_pylist() == list(range(1000))


def test_every_parameter_goes_through(shop: Path) -> None:
    options: dict[str, Any] = {
        "params": [7],
        "index_col": "id",
        "parse_dates": ["day"],
        "dtype": {"amount": "float32"},
        "partition_on": "id",
        "partition_num": 3,
    }
    sql = "SELECT id, amount, day FROM items WHERE id > ?"
    assert_equal(run(bowshot.aread_sql(sql, shop, **options)), bowshot.read_sql(sql, shop, **options))
    # ConnectorX' order, and pandas' positions.
    assert_equal(run(bowshot.aread_sql(f"sqlite:///{shop}", ITEMS)), bowshot.read_sql(ITEMS, shop))
    positional: Any = bowshot.aread_sql
    assert run(positional(ITEMS, shop, "id", True, None, None, ["name"])).index.name == "id"
    assert inspect.signature(bowshot.aread_sql).parameters == inspect.signature(bowshot.read_sql).parameters


@pytest.mark.parametrize("backend", [None, "pyarrow"])
def test_chunks_are_those_of_read_sql(postgres: str, backend: str | None) -> None:
    async def chunks() -> list[pd.DataFrame]:
        return await collect(await bowshot.aread_sql(ROWS, postgres, chunksize=1000, dtype_backend=backend))

    frames = run(chunks())
    for one, other in zip(frames, bowshot.read_sql(ROWS, postgres, chunksize=1000, dtype_backend=backend), strict=True):
        assert_equal(one, other)


@pytest.mark.parametrize("size", [None, 1, 999])
def test_batches_are_those_of_the_synchronous_iterator(postgres: str, size: int | None) -> None:
    query = bowshot.query(ROWS, postgres, batch_bytes=10_000)
    batches = run(collect(query.abatches(size)))
    assert all(isinstance(batch, pa.RecordBatch) for batch in batches)
    assert [batch.num_rows for batch in batches] == [batch.num_rows for batch in query.batches(size)]
    assert pa.Table.from_batches(batches).equals(query.to_arrow())


def test_a_schema_that_was_looked_at_is_read_by_one_of_many_tasks(postgres: str) -> None:
    query = bowshot.query(ROWS, postgres)
    assert len(query.schema) == 3

    async def several() -> list[list[pa.RecordBatch]]:
        return await asyncio.gather(*(collect(query.abatches()) for _ in range(8)))

    tables = [pa.Table.from_batches(batches) for batches in run(several())]
    assert all(table.equals(tables[0]) for table in tables)
    assert len(query.schema) == 3
    # Also in the moment before either is read.
    assert query._unread() is not query._unread()


def test_a_stream_has_an_error_with_a_way_out(shop: Path) -> None:
    read: Any = bowshot.aread_sql
    with pytest.raises(bowshot.UnsupportedError, match="abatches"):
        run(read(ITEMS, shop, return_type="arrow_stream"))


def test_errors_are_those_of_read_sql(postgres: str, shop: Path) -> None:
    read: Any = bowshot.aread_sql
    with pytest.raises(TypeError, match="chunk_size"):
        read(ITEMS, shop, chunk_size=3)
    with pytest.raises(bowshot.ConfigError, match="return_type"):
        run(read(ITEMS, shop, return_type="excel"))
    with pytest.raises(bowshot.ConfigError, match="chunksize"):
        run(read(ITEMS, shop, chunksize=0))
    with pytest.raises(bowshot.SqlError) as raised:
        run(bowshot.aread_sql("SELECT a", postgres))
    assert raised.value.sqlstate == "42703"


def test_an_error_in_the_middle_ends_the_iterator(postgres: str) -> None:
    query = bowshot.query("SELECT 1 / (5000 - i) AS n FROM generate_series(1, 9000) i", postgres, batch_bytes=1000)
    batches = query.abatches()
    with pytest.raises(bowshot.SqlError, match="division by zero"):
        run(collect(batches))
    assert run(collect(batches)) == []


@pytest.mark.parametrize("way", ENDS)
def test_the_loop_goes_on_while_the_database_works(postgres: str, way: str) -> None:
    async def main() -> None:
        async with ticker():
            await bowshot.aread_sql("SELECT 1 AS n, pg_sleep(1)::text AS t", postgres, **ENDS[way])

    run(main())


def test_the_loop_goes_on_between_batches_and_while_an_iterator_is_closed(postgres: str, database: Path) -> None:
    async def main() -> None:
        slow = bowshot.query("SELECT i, pg_sleep(0.1)::text FROM generate_series(1, 10) i", postgres, batch_bytes=1)
        async with ticker():
            assert sum([batch.num_rows async for batch in slow.abatches()]) == 10
            for con, sql in [(postgres, MANY), (str(database), ENDLESS)]:
                async for _ in bowshot.query(sql, con).abatches(10):
                    break
                batches = bowshot.query(sql, con).abatches(10)
                await anext(batches)
                await batches.aclose()

    run(main())


def test_the_loop_goes_on_while_a_slow_iterator_ends() -> None:
    def slow() -> Iterator[int]:
        try:
            yield from range(3)
        finally:
            time.sleep(0.5)

    async def main() -> None:
        async with ticker():
            items = AsyncItems(slow, calling_line())
            assert await anext(items) == 0
            del items
            items = AsyncItems(slow, calling_line())
            assert await anext(items) == 0
            start = time.monotonic()
            await items.aclose()
            assert time.monotonic() - start >= 0.5
            assert await collect(AsyncItems(slow, calling_line())) == [0, 1, 2]

    run(main())


def test_fifty_reads_at_once_do_not_wait_for_each_other(postgres: str) -> None:
    async def main() -> float:
        start = time.monotonic()
        async with ticker(1):
            one = "SELECT {} AS n, pg_sleep(1)::text AS t"
            reads = [bowshot.aread_sql(one.format(i), postgres, return_type="arrow", connections=1) for i in range(50)]
            tables = await asyncio.gather(*reads)
        assert [table["n"].to_pylist() for table in tables] == [[i] for i in range(50)]
        return time.monotonic() - start

    # One after the other, they take 50 seconds; in asyncio's executor of a small machine, nine.
    assert run(main()) < 7


def test_reads_take_no_thread_of_the_default_executor(postgres: str) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as executor:
            loop.set_default_executor(executor)
            read = asyncio.create_task(bowshot.aread_sql("SELECT pg_sleep(1)::text AS t", postgres))
            await asyncio.sleep(0.1)
            await asyncio.wait_for(asyncio.to_thread(int), 0.5)
            await read

    run(main())


def test_no_thread_reads_what_no_task_asks_for(postgres: str) -> None:
    query = bowshot.query(f"SELECT repeat('x', 1000) AS bounded FROM ({MANY}) m", postgres, buffer_bytes=1_000_000)

    def stalled() -> bool:
        with psycopg.connect(postgres, autocommit=True) as connection:
            waits = "SELECT wait_event FROM pg_stat_activity WHERE query LIKE '%bounded%' AND pid <> pg_backend_pid()"
            return ("ClientWrite",) in connection.execute(waits).fetchall()

    def stays_stalled() -> bool:
        for _ in range(8):
            if not stalled():
                return False
            time.sleep(0.05)
        return True

    async def main() -> None:
        async with contextlib.aclosing(query.abatches()) as batches:
            await anext(batches)
            # The server waits for room, and goes on waiting: what was read ahead is bounded.
            await asyncio.to_thread(until, stays_stalled, "the server sends on", 20)

    run(main())


def test_an_iterator_can_go_on_in_another_loop(postgres: str) -> None:
    batches = bowshot.query(ROWS, postgres, batch_bytes=1000).abatches()

    async def first() -> int:
        return int((await anext(batches)).num_rows)

    rows = run(first())
    rows += sum(batch.num_rows for batch in run(collect(batches)))
    assert rows == 2500


NOISY = "SELECT async_noisy(i) AS n FROM generate_series(1, 3) i"


@pytest.fixture(scope="module")
def noisy(postgres: str) -> str:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION async_noisy(i int) RETURNS int LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE NOTICE 'row %', i; RETURN 1 / (i - 9) + i; END $$"
        )
    return postgres


async def awaited(uri: str) -> None:
    await bowshot.aread_sql(NOISY, uri)


async def in_a_task(uri: str) -> None:
    task = asyncio.create_task(bowshot.aread_sql(NOISY, uri))
    await task


async def in_chunks(uri: str) -> None:
    frames = await bowshot.aread_sql(NOISY, uri, chunksize=2)
    assert [len(frame) async for frame in frames] == [2, 1]


async def in_batches(uri: str) -> None:
    async for _ in bowshot.query(NOISY, uri).abatches():
        pass


@pytest.mark.parametrize("way", [awaited, in_a_task, in_chunks, in_batches])
def test_warnings_name_the_line_that_called(noisy: str, way: Callable[[str], Coroutine[Any, Any, None]]) -> None:
    threads = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(way(noisy))
    assert [str(warning.message) for warning in caught] == [f"NOTICE: row {i}" for i in (1, 2, 3)]
    line = inspect.getsourcelines(way)[1] + 1
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, line)}
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda *_, **__: threads.append(threading.current_thread())
        run(way(noisy))
    assert threads == [threading.current_thread()] * 3


def test_a_filter_makes_an_error_of_a_warning_unless_there_is_one(noisy: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", bowshot.DatabaseNotice)
        with pytest.raises(bowshot.DatabaseNotice, match="row 1"):
            run(bowshot.aread_sql(NOISY, noisy))
        with pytest.raises(bowshot.SqlError, match="division by zero"):
            run(bowshot.aread_sql(NOISY.replace("(1, 3)", "(8, 9)"), noisy))
        with pytest.raises(bowshot.DatabaseNotice, match="row 1"):
            run(collect(bowshot.query(NOISY, noisy).abatches()))


@pytest.mark.parametrize("error", [LookupError, StopIteration, SystemExit])
def test_an_error_of_progress_ends_the_read(postgres: str, error: type[BaseException]) -> None:
    def fail(_: bowshot.Progress) -> None:
        raise error("enough")

    async def main() -> None:
        with pytest.raises(RuntimeError if error is StopIteration else error):
            await bowshot.aread_sql("SELECT pg_sleep(600)::text AS t", postgres, progress=fail)

    run(main())


def test_progress_is_told(postgres: str, capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[bowshot.Progress] = []
    table = run(bowshot.aread_sql(ROWS, postgres, return_type="arrow", progress=seen.append))
    assert seen[-1].rows == table.num_rows
    capfd.readouterr()
    run(bowshot.aread_sql("SELECT pg_sleep(0.5)::text AS t", postgres, progress="always"))
    drawn = capfd.readouterr().err
    assert "0 rows, 0 MB" in drawn
    assert drawn.endswith("\r\x1b[2K")
