"""Bowshot, batch by batch: apart from `peers.bowshot`, so that no dataframe library is in the memory measured."""

import bowshot
import pyarrow.compute

from bench.result import CHECKED_COLUMN, Streamed


def load(source: str, sql: str, connections: int) -> Streamed:
    """Reads a query's batches one after the other and keeps none."""
    rows = key_sum = size = 0
    for batch in bowshot.query(sql, source, connections=connections).batches():
        rows += batch.num_rows
        key_sum += pyarrow.compute.sum(batch.column(CHECKED_COLUMN)).as_py() or 0
        size += batch.nbytes
    return Streamed(rows, key_sum, size)
