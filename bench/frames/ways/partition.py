"""One partition of a plan: read in the plan's process, and from its pickle in a new one."""

import os
import pickle
import subprocess
import sys

import bowshot
import pandas as _pandas  # noqa: F401  (pyarrow imports it for its first table)
import pyarrow.compute as pc

from bench.cases import SQL
from bench.frames.way import COLUMN, PARTITIONS, Outcome, Way

# Waits for the word to begin, so that the start of Python and of its libraries is not measured.
ELSEWHERE = f"""
import pickle, sys
import bowshot, pandas, pyarrow, pyarrow.compute as pc
partition = pickle.load(sys.stdin.buffer)
print("ready", flush=True)
sys.stdin.buffer.read(1)
table = partition.to_arrow()
print(table.num_rows, pc.sum(table["{COLUMN}"]).as_py(), flush=True)
"""


def here(source: str) -> Way:
    """In the process of the plan."""
    with bowshot.plan(SQL, source, connections=PARTITIONS) as plan:
        partition = _middle(plan)
        # The plan has got its snapshot ready, as for a pickle.
        _ = partition.ticket
        yield None
        table = partition.to_arrow()
        yield Outcome(table.num_rows, pc.sum(table[COLUMN]).as_py())


def elsewhere(source: str) -> Way:
    """In another process, which has imported everything and has the pickle."""
    with bowshot.plan(SQL, source, connections=PARTITIONS) as plan:
        command = [sys.executable, "-c", ELSEWHERE]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ) as reader:
            assert reader.stdin is not None
            assert reader.stdout is not None
            reader.stdin.write(pickle.dumps(_middle(plan)))
            reader.stdin.flush()
            reader.stdout.readline()
            yield None
            reader.stdin.write(b".")
            reader.stdin.flush()
            rows, key_sum = reader.stdout.readline().split()
            yield Outcome(int(rows), int(key_sum))


def _middle(plan: bowshot.Plan) -> bowshot.Partition:
    return plan.partitions[len(plan.partitions) // 2]
