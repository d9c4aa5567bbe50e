"""A read of asyncio ends, in the database too, with its task, its iterator or its loop."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import bowshot
import pandas as pd
import psycopg
import pytest
from tests.async_loop import active, collect, run, started, threads, ticker, until

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
SILENT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n"

CANCELLED: dict[str, Callable[[str, str], Awaitable[Any]]] = {
    "pandas": lambda sql, con: bowshot.aread_sql(sql, con),
    "pyarrow": lambda sql, con: bowshot.aread_sql(sql, con, dtype_backend="pyarrow"),
    "arrow": lambda sql, con: bowshot.aread_sql(sql, con, return_type="arrow"),
    "polars": lambda sql, con: bowshot.aread_sql(sql, con, return_type="polars"),
    "progress": lambda sql, con: bowshot.aread_sql(sql, con, progress=lambda _: None),
    "bar": lambda sql, con: bowshot.aread_sql(sql, con, progress="always"),
    "chunks": lambda sql, con: all_chunks(sql, con),
    "batches": lambda sql, con: collect(bowshot.query(sql, con).abatches()),
    "slices": lambda sql, con: collect(bowshot.query(sql, con).abatches(10)),
}


async def all_chunks(sql: str, con: str) -> list[pd.DataFrame]:
    return await collect(await bowshot.aread_sql(sql, con, chunksize=10))


@pytest.mark.parametrize("how", CANCELLED)
@pytest.mark.parametrize(
    "sql",
    ['SELECT pg_sleep(600)::text AS "{}"', 'SELECT pg_sleep(0.001)::text AS "{}" FROM generate_series(1, 1000000)'],
)
def test_a_cancelled_task_ends_the_statement(postgres: str, how: str, sql: str) -> None:
    marker = f"cancelled {how} {len(sql)}"

    async def main() -> None:
        async with ticker():
            task = asyncio.ensure_future(CANCELLED[how](sql.format(marker), postgres))
            await started(postgres, marker)
            task.cancel()
            start = time.monotonic()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - start < 0.2
            await asyncio.to_thread(until, lambda: active(postgres, marker) == 0, "the statement goes on", 3)

    run(main())


def test_cancellation_frees_threads_and_connections(postgres: str) -> None:
    def connections() -> int:
        with psycopg.connect(postgres, autocommit=True) as connection:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            ).fetchone()
            assert row is not None
            return int(row[0])

    async def main() -> None:
        sql = 'SELECT pg_sleep(600)::text AS "many"'
        tasks = [asyncio.create_task(bowshot.aread_sql(sql, postgres)) for _ in range(20)]
        while await asyncio.to_thread(active, postgres, "many") < 20:
            await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert all(task.cancelled() for task in tasks)

    before, threads_before = connections(), threads()
    run(main())
    until(lambda: connections() <= before, "connections are left")
    until(lambda: threads() <= threads_before, "threads are left")


@pytest.mark.parametrize("sql", [ENDLESS, SILENT])
@pytest.mark.parametrize("how", ["pandas", "arrow", "batches"])
def test_a_time_limit_ends_a_read_of_sqlite(database: Path, how: str, sql: str) -> None:
    async def main() -> None:
        options: dict[str, Any] = {"types": {"c" if "count" in sql else "i": "int64"}}
        if how == "batches":
            read: Any = collect(bowshot.query(sql, database, **options).abatches())
        else:
            read = bowshot.aread_sql(sql, database, **({"return_type": how} | options))
        async with ticker(0.5):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(read, 0.5)

    before = threads()
    start = time.monotonic()
    run(main())
    assert time.monotonic() - start < 3
    until(lambda: threads() <= before, "a thread reads on")


def test_a_task_is_cancelled_while_its_query_is_planned(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS async_locked (n int)")
        query = bowshot.query("SELECT * FROM async_locked", postgres)

        async def main() -> None:
            for read in [bowshot.aread_sql("SELECT * FROM async_locked", postgres), anext(query.abatches())]:
                start = time.monotonic()
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(read, 0.5)
                assert time.monotonic() - start < 1

        with connection.transaction():
            connection.execute("LOCK TABLE async_locked IN ACCESS EXCLUSIVE MODE")
            run(main())
        # What comes after the lock is let go of, though the query is still there.
        left = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%async_locked%' AND pid <> pg_backend_pid()"

        def gone() -> bool:
            row = connection.execute(left).fetchone()
            return row == (0,)

        until(gone, "a connection is left")
        assert query._planned is None
        assert query.to_arrow().num_rows == 0


def test_a_cancelled_iterator_does_not_end_as_if_it_were_whole(postgres: str) -> None:
    async def main() -> None:
        sql = "SELECT CASE WHEN i > 10000 THEN pg_sleep(600) END::text FROM generate_series(1, 20000) i"
        batches = bowshot.query(sql, postgres, batch_bytes=1).abatches()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(collect(batches), 0.5)
        with pytest.raises(bowshot.CancelledError, match="read again"):
            await anext(batches)
        await batches.aclose()

    run(main())


# Ends of iterators.


def endings(query: bowshot.Query) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
    async def closed() -> None:
        batches = query.abatches()
        await anext(batches)
        await batches.aclose()
        assert [batch async for batch in batches] == []
        await batches.aclose()

    async def left() -> None:
        async for _ in query.abatches():
            break

    async def collected() -> None:
        batches: Any = query.abatches()
        await anext(batches)
        cycle = [batches]
        cycle.append(cycle)
        del batches, cycle
        gc.collect()

    async def failed() -> None:
        async def fail() -> None:
            async for batch in query.abatches():
                _ = batch.num_rows / 0

        with pytest.raises(ZeroDivisionError):
            await fail()

    async def closed_while_awaited() -> None:
        batches = query.abatches()
        waiting = asyncio.ensure_future(collect(batches))
        await asyncio.sleep(0.5)
        with pytest.raises(RuntimeError, match="only one"):
            await anext(batches)
        await batches.aclose()
        with pytest.raises(bowshot.CancelledError, match="closed"):
            await waiting

    functions: list[Callable[[], Coroutine[Any, Any, None]]] = [closed, left, collected, failed, closed_while_awaited]
    return {function.__name__: function for function in functions}


@pytest.mark.parametrize("how", ["closed", "left", "collected", "failed", "closed_while_awaited"])
def test_the_statement_ends_with_its_iterator(postgres: str, how: str) -> None:
    # The first batches come at once, later ones never.
    sql = f'SELECT CASE WHEN i > 10000 THEN pg_sleep(600)::text END AS "ended {how}" FROM generate_series(1, 20000) i'
    query = bowshot.query(sql, postgres, batch_bytes=1)

    async def main() -> None:
        await endings(query)[how]()
        await asyncio.to_thread(until, lambda: active(postgres, f"ended {how}") == 0, "the statement goes on", 3)

    run(main())


def test_an_iterator_that_was_never_used_asks_nothing(tmp_path: Path) -> None:
    batches = bowshot.query("SELECT 1", tmp_path / "missing" / "none.db").abatches()
    run(batches.aclose())
    assert run(collect(batches)) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_loop_that_is_closed_in_the_middle(postgres: str) -> None:
    query = bowshot.query('SELECT pg_sleep(600)::text AS "loop"', postgres)
    loop = asyncio.new_event_loop()
    task = loop.create_task(collect(query.abatches()))
    loop.run_until_complete(started(postgres, "loop"))
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    del task
    gc.collect()
    until(lambda: active(postgres, "loop") == 0, "the statement goes on")
