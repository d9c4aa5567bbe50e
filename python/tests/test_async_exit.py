"""A program that ends in the middle of an asynchronous read neither hangs nor crashes, and its query ends too."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time

import pytest
from tests.async_loop import active, until

COMMON = """
import asyncio, contextlib, sys, threading, time
import bowshot

con = sys.argv[1]
# The first batches come at once, later ones never.
sql = 'SELECT CASE WHEN i > 10000 THEN pg_sleep(600)::text END AS "exit" FROM generate_series(1, 20000) i'
batches = bowshot.query(sql, con, batch_bytes=1).abatches()

async def drain():
    async for _ in batches:
        print("reading", flush=True)
"""

ENDINGS = {
    "an iterator between two batches": "asyncio.run(anext(batches))",
    "an iterator that was dropped": """
async def main():
    global batches
    await anext(batches)
    del batches
asyncio.run(main())
""",
    "a task that reads": """
async def main():
    task = asyncio.create_task(drain())
    await asyncio.sleep(1)
asyncio.run(main())
""",
    "an exit in a coroutine": """
async def main():
    task = asyncio.create_task(drain())
    await asyncio.sleep(1)
    sys.exit(0)
asyncio.run(main())
""",
    "a loop that stopped": """
loop = asyncio.new_event_loop()
task = loop.create_task(drain())
loop.run_until_complete(asyncio.sleep(1))
task._log_destroy_pending = False
""",
    "a loop in a daemon thread": """
def run():
    with contextlib.suppress(bowshot.CancelledError):
        asyncio.run(drain())
threading.Thread(target=run, daemon=True).start()
time.sleep(1)
""",
    "an iterator in a cycle": """
async def main():
    await anext(batches)
    loop = asyncio.get_running_loop()
    loop.batches = [batches, loop]
asyncio.run(main())
""",
}


@pytest.mark.parametrize("how", ENDINGS)
def test_an_exit_ends_the_query(postgres: str, how: str) -> None:
    start = time.monotonic()
    program = subprocess.run(
        [sys.executable, "-c", COMMON + ENDINGS[how], postgres], capture_output=True, text=True, timeout=30, check=False
    )
    assert (program.returncode, program.stderr) == (0, "")
    assert time.monotonic() - start < 10
    until(lambda: active(postgres, "exit") == 0, "the query goes on in the database")


def test_ctrl_c_ends_the_query(postgres: str) -> None:
    code = COMMON + "try: asyncio.run(drain())\nexcept KeyboardInterrupt: print('interrupted', flush=True)"
    program = subprocess.Popen([sys.executable, "-c", code, postgres], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    try:
        assert program.stdout.readline() == "reading\n"
        time.sleep(1)
        program.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert program.stdout.read().splitlines()[-1] == "interrupted"
        assert program.wait(5) == 0
        assert time.monotonic() - start < 3
    finally:
        program.kill()
        program.wait()
    until(lambda: active(postgres, "exit") == 0, "the query goes on in the database")


def test_no_exit_waits_for_a_server_that_never_answers() -> None:
    code = """
async def main():
    try:
        await asyncio.wait_for(bowshot.aread_sql("SELECT 1", con), 0.5)
    except asyncio.TimeoutError:
        print("given up")
asyncio.run(main())
"""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        uri = f"postgresql://me@127.0.0.1:{listener.getsockname()[1]}/none"
        start = time.monotonic()
        program = subprocess.run(
            [sys.executable, "-c", COMMON + code, uri], capture_output=True, text=True, timeout=30, check=False
        )
    assert (program.returncode, program.stdout, program.stderr) == (0, "given up\n", "")
    assert time.monotonic() - start < 10
