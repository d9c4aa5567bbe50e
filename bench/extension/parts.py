"""The paper's table 2 (ConnectorX, VLDB 2022): what n connections cost the server that read one result together.

Three ways: ranges of the table's key, as ConnectorX asks for them, ranges of its pages, as Bowshot's client does, and a
result that the server shares. All send Arrow, which is thrown away.

python -m bench.extension.parts postgresql://… 'SELECT * FROM lineitem' server 4 SERVER_PID
"""

import contextlib
import itertools
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import psycopg2.extensions

from bench import cpu
from bench.bars import Bar
from bench.cases import SQL
from bench.floor.postgres import slices
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import at_most
from bench.gateway.measure import child
from bench.result import CHECKED_COLUMN

NAME = "parts"
NUMBERS = (1, 2, 4, 8, 16)
WAYS = ("key ranges", "page ranges", "server")
# As often and as much as once, but for what the planner looks at.
ONCE = 1.01
# No worse, but for what a clock and a scheduler add.
TIME = 1.05
# How often each is measured in every round that counts: what takes less than a second differs from time to time.
ROUNDS = 5
COUNTED = """SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0),
    coalesce(sum(heap_blks_read + heap_blks_hit), 0)
FROM pg_stat_user_tables JOIN pg_statio_user_tables USING (relid) WHERE relid = %s::regclass"""


def run(uri: str, pid: int, repeat: int) -> Iterator[Figure]:
    """Measures every way with every number of connections; `pid` is the server's first process."""
    for _ in range(repeat):
        for number in NUMBERS:
            for way in WAYS:
                row = f"lineitem, {number} connections/{way}"
                command = [sys.executable, "-m", "bench.extension.parts", uri, SQL, way, str(number), str(pid)]
                try:
                    yield Figure(NAME, row, child(command))
                except RuntimeError as error:
                    yield Figure(NAME, row, error=str(error))


def bars(rows: Rows) -> list[Bar]:
    """Returns the bars of scans, blocks and time for each number of connections."""
    return [bar for number in NUMBERS for bar in _bars(rows, number)]


def _bars(rows: Rows, number: int) -> Iterator[Bar]:
    def get(way: str, value: str) -> float | None:
        return rows.get(f"lineitem, {number} connections/{way}", value)

    for value, what in (("scans", "scans"), ("blocks x", "blocks")):
        found = get("server", value)
        words = "not run" if found is None else f"{found:.3f}"
        yield Bar(f"{what}, {number} connections", f"≤ {ONCE}", words, None if found is None else found <= ONCE)
    clients = [taken for way in WAYS[:2] if (taken := get(way, "wall s")) is not None]
    best = min(clients, default=None)
    yield at_most(f"total time, {number} connections", TIME, "the better client's", get("server", "wall s"), best)


class Discard:
    """Takes COPY's bytes and forgets them."""

    def write(self, data: bytes) -> None:
        """Takes the next bytes."""


def connected(uri: str) -> psycopg2.extensions.connection:
    """Returns a session that has FORMAT arrow."""
    connection = psycopg2.connect(uri)
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("SELECT bowshot.version()")
    return connection


def key_ranges(cursor: psycopg2.extensions.cursor, sql: str, number: int) -> list[str]:
    """Returns equal ranges of the key between its ends, which the server is asked for first."""
    if number == 1:
        return [sql]
    cursor.execute(f"SELECT min({CHECKED_COLUMN}), max({CHECKED_COLUMN}) FROM ({sql}) AS asked")
    low, high = cursor.fetchone() or (0, 0)
    step = (high - low) // number + 1
    bounds = [low + step * part for part in range(number + 1)]
    condition = f"{CHECKED_COLUMN} >= {{}} AND {CHECKED_COLUMN} < {{}}"
    return [f"{sql} WHERE {condition.format(*pair)}" for pair in itertools.pairwise(bounds)]


def shared(cursor: psycopg2.extensions.cursor, sql: str, number: int) -> list[str]:
    """Returns the parts of a result that the server shares."""
    cursor.execute("SELECT bowshot.declare('bench', %s, %s)", [sql, number])
    return [f"SELECT bowshot.fetch('bench', {part})" for part in range(1, number + 1)]


def parts_of(cursor: psycopg2.extensions.cursor, sql: str, way: str, number: int) -> list[str]:
    """Returns the queries of a way."""
    if way == "server":
        return shared(cursor, sql, number)
    return slices(sql, number) if way == "page ranges" else key_ranges(cursor, sql, number)


def fetch(connection: psycopg2.extensions.connection, sql: str) -> int:
    """Reads one part; returns its rows."""
    with connection.cursor() as cursor:
        cursor.copy_expert(f"COPY ({sql}) TO STDOUT (FORMAT arrow)", Discard(), size=1 << 20)
        return int(cursor.rowcount)


def read(uri: str, sql: str, way: str, number: int) -> tuple[float, int]:
    """Reads all parts over as many connections; returns the seconds and the rows."""
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(contextlib.closing(connected(uri))) for _ in range(number)]
        pool = stack.enter_context(ThreadPoolExecutor(number))
        start = time.perf_counter()
        with connections[0].cursor() as cursor:
            queries = parts_of(cursor, sql, way, number)
        rows = sum(pool.map(fetch, connections, queries))
        return time.perf_counter() - start, rows


def counted(uri: str, table: str) -> Sequence[float]:
    """Returns the rows and the blocks of the table that the server has read so far."""
    with contextlib.closing(connected(uri)) as connection, connection.cursor() as cursor:
        cursor.execute(COUNTED, [table])
        return [float(value) for value in cursor.fetchone() or (0, 0)]


def main() -> None:
    """Runs the command line."""
    uri, sql, way, number, pid = sys.argv[1:]
    table = sql.rpartition(" FROM ")[2]
    with contextlib.closing(connected(uri)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s) / current_setting('block_size')::int", [table])
        (blocks,) = cursor.fetchone() or (1,)
    before = counted(uri, table)
    idle = cpu.children(int(pid))
    wall, rows = read(uri, sql, way, int(number))
    # A session's counters are there for others once it has ended.
    cpu.wait_for_children(int(pid), idle - 1)
    tuples, touched = (after - start for after, start in zip(counted(uri, table), before, strict=True))
    figures = {"wall s": wall, "scans": tuples / max(rows, 1), "blocks x": touched / max(blocks, 1), "rows": rows}
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
