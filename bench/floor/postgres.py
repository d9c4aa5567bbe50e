"""PostgreSQL's floor F(n): n connections run `COPY … TO STDOUT (FORMAT binary)` and throw the bytes away."""

import subprocess

from bench.result import Discarded

PAGE_BYTES = 8192


def copy_binary(uri: str, sql: str, connections: int) -> Discarded:
    """Runs F(n) over equal ranges of the table's pages; raises `CalledProcessError` where a COPY fails.

    The ranges need the table's name, so the query must be `SELECT … FROM table`.
    """
    slices = [sql]
    if connections > 1:
        table = sql.rpartition(" FROM ")[2]
        slices = [f"{sql} WHERE {_pages(table, part, connections)}" for part in range(connections)]
    commands = [["psql", "-X", "-q", "-c", f"COPY ({part}) TO STDOUT (FORMAT binary)", uri] for part in slices]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    for process in processes:
        if process.wait() != 0:
            raise subprocess.CalledProcessError(process.returncode, process.args)
    return Discarded()


def _pages(table: str, part: int, parts: int) -> str:
    """Returns the condition for one of `parts` equal ranges of a table's pages; the last one has no end."""

    def bound(number: int) -> str:
        # A subquery, so that it is evaluated once and the scan starts and ends there.
        return f"(SELECT format('(%s,0)', pg_relation_size('{table}') / {PAGE_BYTES} * {number} / {parts})::tid)"

    end = f" AND ctid < {bound(part + 1)}" if part + 1 < parts else ""
    return f"ctid >= {bound(part)}{end}"
