"""Measures how fast one core copies the bytes of a folder's rows, as Arrow.

    python -m bench.gateway.memcpy FOLDER/ 'SELECT * FROM lineitem'

Fresh: into memory that the process gets for it, as every result is. Warm: once more into the same memory.
"""

import ctypes
import json
import sys
import time

import bowshot
import pyarrow

MEGABYTE = 1_000_000
ROUNDS = 3


def sources(table: pyarrow.Table) -> list[pyarrow.Buffer]:
    """Returns every buffer of a table."""
    arrays = [chunk for column in table.columns for chunk in column.chunks]
    return [buffer for array in arrays for buffer in array.buffers() if buffer is not None]


def copy(buffers: list[pyarrow.Buffer], targets: list[pyarrow.Buffer]) -> float:
    """Copies buffer by buffer, and returns the seconds."""
    start = time.perf_counter()
    for buffer, target in zip(buffers, targets, strict=True):
        ctypes.memmove(target.address, buffer.address, buffer.size)
    return time.perf_counter() - start


def main() -> None:
    """Runs the command line."""
    folder, sql = sys.argv[1:]
    buffers = sources(bowshot.read_sql(sql, folder, return_type="arrow"))
    fresh, warm = [], []
    for _ in range(ROUNDS):
        # From the operating system, which hands out pages as they are touched.
        pool = pyarrow.system_memory_pool()
        targets = [pyarrow.allocate_buffer(buffer.size, memory_pool=pool) for buffer in buffers]
        fresh.append(copy(buffers, targets))
        warm.append(copy(buffers, targets))
        del targets
        pool.release_unused()
    size = sum(buffer.size for buffer in buffers) / MEGABYTE
    # The first round's memory is new; later ones may get back what the allocator kept.
    sys.stdout.write(json.dumps({"wall s": fresh[0], "warm wall s": min(warm), "result MB": size}) + "\n")


if __name__ == "__main__":
    main()
