"""A forked child inherits plans and streams: it may not read them, and whatever it does leaves the parent's alone."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from typing import Any

import bowshot
import pytest
from tests.test_tickets import ROWS, accounts

__all__ = ["accounts"]

SQL = "SELECT id, balance, note FROM accounts"

COMMON = """
import gc, os, sys, multiprocessing, threading, time
import bowshot, pyarrow

con = sys.argv[1]
sql = "SELECT id, balance, note FROM accounts"
query = bowshot.query(sql, con, connections=2, batch_bytes=65536)

def in_child(work):
    child = os.fork()
    if child == 0:
        try:
            work()
        except (bowshot.ConfigError, pyarrow.ArrowException) as error:
            assert "before this process was forked" in str(error), error
        except BaseException as error:
            print("child:", type(error).__name__, error, file=sys.stderr, flush=True)
            os._exit(3)
        sys.exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 0, code

def forget(*names):
    for name in names:
        globals().pop(name)
    gc.collect()
"""

# What a child does with what it inherits, and how the parent goes on.
STAGES = {
    "a query that nobody planned": ("", "assert query.to_arrow().num_rows > 0", "rows = query.to_arrow().num_rows"),
    "a plan, read": ("plan = query.plan", "query.to_arrow()", "rows = query.to_arrow().num_rows"),
    "a plan, closed": ("plan = query.plan", "plan.close()", "rows = query.to_arrow().num_rows"),
    "a plan, dropped": ("plan = query.plan", "forget('plan', 'query')", "rows = query.to_arrow().num_rows"),
    "a plan with tickets, read by partitions": (
        "plan = query.plan; plan.partitions[0].ticket",
        "assert sum(part.to_arrow().num_rows for part in plan.partitions) > 0",
        "rows = sum(part.to_arrow().num_rows for part in plan.partitions)",
    ),
    "a stream, read": (
        "batches = query.batches(); rows = next(batches).num_rows",
        "next(batches)",
        "rows += sum(batch.num_rows for batch in batches)",
    ),
    "a stream, closed": (
        "batches = query.batches(); rows = next(batches).num_rows",
        "batches.close()",
        "rows += sum(batch.num_rows for batch in batches)",
    ),
    "a stream, dropped": (
        "batches = query.batches(); rows = next(batches).num_rows",
        "forget('batches', 'query')",
        "rows += sum(batch.num_rows for batch in batches)",
    ),
    "a reader of pyarrow's, dropped": (
        "reader = query.to_reader(); rows = reader.read_next_batch().num_rows",
        "reader.close(); forget('reader', 'query')",
        "rows += reader.read_all().num_rows",
    ),
    "a reader that a thread waits for": (
        "query = bowshot.query(sql + ' CROSS JOIN (SELECT pg_sleep(2)) AS slow', con); sizes = []\n"
        "reader = pyarrow.RecordBatchReader.from_stream(query)\n"
        "thread = threading.Thread(target=lambda: sizes.extend(batch.num_rows for batch in reader))\n"
        "thread.start(); time.sleep(0.5)",
        "reader.read_next_batch()",
        "thread.join(); rows = sum(sizes)",
    ),
    "what the child reads by itself": (
        "batches = query.batches(); rows = next(batches).num_rows",
        "assert bowshot.read_sql(sql, con, connections=2, return_type='arrow').num_rows > 0",
        "rows += sum(batch.num_rows for batch in batches)",
    ),
}


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize("stage", STAGES)
def test_a_child_leaves_its_parents_alone(postgres: str, stage: str) -> None:
    before, child, after = STAGES[stage]
    code = f"{COMMON}\n{before}\ndef work():\n    {child}\nin_child(work)\nin_child(lambda: None)\n{after}\nprint(rows)"
    assert _run(code, postgres) == (0, "", f"{ROWS}\n")


def _run(code: str, *arguments: str) -> tuple[int, str, str]:
    """The exit code, errors and output of a program; one that hangs is killed with its children."""
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as program:
        try:
            output, errors = program.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            raise
    return program.returncode, errors, output


def _rows(task: tuple[Any, str]) -> int:
    query, con = task
    return len(bowshot.read_sql(query, con, return_type="arrow"))


@pytest.mark.usefixtures("accounts")
def test_workers_of_a_forking_pool_read(postgres: str) -> None:
    query = bowshot.query(SQL, postgres, connections=2)
    batches = query.batches()
    first = next(batches)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(_rows, [(SQL, postgres)] * 6) == [ROWS] * 6
        pool.close()
        pool.join()
    assert first.num_rows + sum(batch.num_rows for batch in batches) == ROWS
