"""A program that ends while a stream, a plan or a dataframe is alive neither hangs nor crashes, and its work ends."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from tests.async_loop import active, until
from tests.test_tickets import accounts, sessions

__all__ = ["accounts"]

COMMON = """
import atexit, contextlib, pickle, sys, threading, time
import bowshot

con = sys.argv[1]
# The first batches come at once, later ones never.
sql = 'SELECT CASE WHEN i > 10000 THEN pg_sleep(600)::text END AS "leave" FROM generate_series(1, 20000) i'
table = "SELECT id, balance, note FROM accounts"
query = bowshot.query(sql, con, batch_bytes=1)
"""

ENDINGS = {
    "an iterator between two batches": "batches = query.batches(); next(batches)",
    "an iterator in a cycle": "batches = query.batches(); next(batches); cycle = [batches]; cycle.append(cycle)",
    "a reader of pyarrow's": "reader = query.to_reader(); reader.read_next_batch()",
    "a capsule that nobody took": "capsule = query.__arrow_c_stream__()",
    "a daemon thread in the middle of a read": """
def read():
    with contextlib.suppress(bowshot.CancelledError):
        query.to_arrow()
threading.Thread(target=read, daemon=True).start()
time.sleep(1)
""",
    "a daemon thread in the middle of planning": """
def plan():
    with contextlib.suppress(bowshot.CancelledError):
        bowshot.plan("SELECT 1 AS n", con, pre_execution_query="SELECT pg_sleep(600) AS leave")
threading.Thread(target=plan, daemon=True).start()
time.sleep(1)
""",
    "a read that begins when all ends": "batches = query.batches(); atexit.register(next, batches)",
    "a plan that holds its snapshot": """
plan = bowshot.plan(table, con, connections=4)
ticket = plan.partitions[0].ticket
""",
    "a partition between two batches": """
plan = bowshot.plan(table, con, connections=4)
batches = pickle.loads(pickle.dumps(plan.partitions[1])).batches(10)
next(batches)
""",
    "partitions without their plan": "parts = bowshot.plan(table, con, connections=4).partitions; parts[0].to_arrow()",
    "a dataframe of Dask's": """
frame = bowshot.read_sql(table, con, connections=4, return_type="dask")
frame.partitions[0].compute(scheduler="synchronous")
""",
}


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize("how", ENDINGS)
def test_an_exit_lets_the_database_go(postgres: str, how: str) -> None:
    before, start = sessions(postgres), time.monotonic()
    program = subprocess.run(
        [sys.executable, "-c", COMMON + ENDINGS[how], postgres], capture_output=True, text=True, timeout=30, check=False
    )
    assert (program.returncode, program.stderr) == (0, "")
    assert time.monotonic() - start < 10
    until(lambda: active(postgres, "leave") == 0, "the query goes on in the database")
    until(lambda: sessions(postgres) <= before, "a session stays in the database")
