"""Bowshot, batch by batch: apart from `peers.bowshot`, so that no dataframe library is in the memory measured."""

import time

import bowshot
import pyarrow.compute

from bench.result import CHECKED_COLUMN, Streamed


def load(
    source: str, sql: str, connections: int, protocol: str | None = None, column: str = CHECKED_COLUMN
) -> Streamed:
    """Reads a query's batches one after the other and keeps none; `column` is the one that all sums must agree on."""
    rows = key_sum = size = 0
    checking = 0.0
    for batch in bowshot.query(sql, source, connections=connections, protocol=protocol).batches():
        start = time.thread_time()
        rows += batch.num_rows
        key_sum += pyarrow.compute.sum(batch.column(column)).as_py() or 0
        size += batch.nbytes
        checking += time.thread_time() - start
    return Streamed(rows, key_sum, size, checking)
