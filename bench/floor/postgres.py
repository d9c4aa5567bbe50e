"""PostgreSQL's floor F(n): n connections run `COPY … TO STDOUT (FORMAT binary)` and throw the bytes away."""

import subprocess

from bench.result import Discarded
from bench.tpch import psql

PAGE_BYTES = 8192


def copy_binary(uri: str, sql: str, connections: int) -> Discarded:
    """Runs F(n) over equal ranges of the table's pages; raises `CalledProcessError` where a COPY fails.

    The ranges need the table's name, so the query must be `SELECT … FROM table`.
    """
    if connections == 1:
        slices = [sql]
    else:
        table = sql.rpartition(" FROM ")[2]
        pages = int(psql(uri, f"SELECT pg_relation_size('{table}')")) // PAGE_BYTES
        bounds = [pages * part // connections for part in range(connections)]
        ends = [f" AND ctid < '({end},0)'" for end in bounds[1:]] + [""]
        slices = [f"{sql} WHERE ctid >= '({begin},0)'{end}" for begin, end in zip(bounds, ends, strict=True)]
    commands = [["psql", "-X", "-q", "-c", f"COPY ({part}) TO STDOUT (FORMAT binary)", uri] for part in slices]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    for process in processes:
        if process.wait() != 0:
            raise subprocess.CalledProcessError(process.returncode, process.args)
    return Discarded()
