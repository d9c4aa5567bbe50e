"""Running coroutines, and watching the event loop and the server meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T], seconds: float = 60) -> T:
    """Runs it, for at most so long."""
    return asyncio.run(asyncio.wait_for(main, seconds))


async def collect(items: AsyncIterator[T]) -> list[T]:
    return [item async for item in items]


def active(postgres: str, marker: str) -> int:
    """How many statements with a column of this name run in the server; comments do not get there."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE query LIKE %s AND state = 'active' AND pid <> pg_backend_pid()",
            [f'%"{marker}"%'],
        ).fetchone()
        assert row is not None
        return int(row[0])


def until(condition: Callable[[], bool], what: str, seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


async def started(postgres: str, marker: str) -> None:
    for _ in range(500):
        if await asyncio.to_thread(active, postgres, marker):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the statement never ran")


@contextlib.asynccontextmanager
async def ticker(longest: float = 0.25) -> AsyncIterator[None]:
    """Says if the event loop stood still for longer than this."""
    gaps = [0.0]

    async def tick() -> None:
        while True:
            start = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - start)

    task = asyncio.create_task(tick())
    yield
    await asyncio.sleep(0.02)
    task.cancel()
    assert len(gaps) > 2
    assert max(gaps) < longest, f"the event loop stood still for {max(gaps):.2f} s"


def threads() -> int:
    """How many threads the process has, those of the compiled half among them."""
    return len(list(Path("/proc/self/task").iterdir()))
