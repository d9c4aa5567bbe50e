"""PostgreSQL's floor F(n): n connections run `COPY … TO STDOUT (FORMAT binary)` and throw the bytes away."""

import subprocess

from bench.result import Discarded
from bench.server import program

PAGE_BYTES = 8192


def copy_binary(uri: str, sql: str, connections: int) -> Discarded:
    """Runs F(n) over equal ranges of the table's pages; raises `CalledProcessError` where a COPY fails.

    The ranges need the table's name, so the query must be `SELECT … FROM table`.
    """
    commands = [
        [program("psql"), "-X", "-q", "-c", f"COPY ({part}) TO STDOUT (FORMAT binary)", uri]
        for part in slices(sql, connections)
    ]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    for process in processes:
        if process.wait() != 0:
            raise subprocess.CalledProcessError(process.returncode, process.args)
    return Discarded()


def copy(uri: str, sql: str, form: str) -> Discarded:
    """Runs one COPY in a form and throws the bytes away; raises `CalledProcessError` where it fails.

    Arrow needs the extension, which is loaded first.
    """
    command = [program("psql"), "-X", "-q", "-o", "/dev/null"]
    load = ["-c", "SELECT bowshot.version()"] if form == "arrow" else []
    commands = [*command, *load, "-c", f"COPY ({sql}) TO STDOUT (FORMAT {form})", uri]
    subprocess.run(commands, stdout=subprocess.DEVNULL, check=True)
    return Discarded()


def aggregate(uri: str, sql: str) -> Discarded:
    """Counts the query's rows without a parallel plan: what it costs the server to look at each."""
    counted = f"SELECT count(*) FROM ({sql} OFFSET 0) AS counted"
    command = [program("psql"), "-X", "-q", "-c", "SET max_parallel_workers_per_gather = 0", "-c", counted, uri]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return Discarded()


def slices(sql: str, number: int) -> list[str]:
    """Returns a query over equal ranges of its table's pages, as `number` queries; together they are the whole."""
    if number == 1:
        return [sql]
    table = sql.rpartition(" FROM ")[2]
    return [f"{sql} WHERE {_pages(table, part, number)}" for part in range(number)]


def _pages(table: str, part: int, parts: int) -> str:
    """Returns the condition for one of `parts` equal ranges of a table's pages; the last one has no end."""

    def bound(number: int) -> str:
        # A subquery, so that it is evaluated once and the scan starts and ends there.
        return f"(SELECT format('(%s,0)', pg_relation_size('{table}') / {PAGE_BYTES} * {number} / {parts})::tid)"

    end = f" AND ctid < {bound(part + 1)}" if part + 1 < parts else ""
    return f"ctid >= {bound(part)}{end}"
