"""How soon the first bytes of a result are there, as rows and as Arrow, and the first batch of Bowshot's reader.

python -m bench.extension.first postgresql://… 'SELECT * FROM lineitem' 20
"""

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from statistics import median

import bowshot
import psycopg2
import psycopg2.extensions

from bench.bars import Bar
from bench.cases import SQL
from bench.gateway.figures import Figure, Rows
from bench.gateway.judge import at_most
from bench.gateway.measure import child

NAME = "first"
ROW = "lineitem/first bytes of rows"
FORMS = ("binary", "arrow")
# What Bowshot calls them.
PROTOCOLS = ("copy", "arrow")
COUNT = 20
# No worse, but for what a clock and a scheduler add.
LIMIT = 1.1
# Bytes that hold rows for certain: COPY BINARY's signature and Arrow's schema are shorter.
ENOUGH = 8192


def run(uri: str, _: int, repeat: int) -> Iterator[Figure]:
    """Measures both forms in turn, the bytes over a connection that has been used before."""
    for _round in range(repeat):
        try:
            yield Figure(NAME, ROW, child([sys.executable, "-m", "bench.extension.first", uri, SQL, str(COUNT)]))
        except RuntimeError as error:
            yield Figure(NAME, ROW, error=str(error))


def bars(rows: Rows) -> list[Bar]:
    """Returns the bars for the medians."""
    return [
        _bar(rows, "first batch of lineitem", [f"batch, {protocol} ms" for protocol in PROTOCOLS]),
        _bar(rows, "first bytes of lineitem", [f"{form} ms" for form in FORMS]),
    ]


def _bar(rows: Rows, what: str, values: list[str]) -> Bar:
    binary, arrow = (None if (taken := rows.get(ROW, value)) is None else taken / 1000 for value in values)
    return at_most(what, LIMIT, "COPY BINARY's", arrow, binary)


class Arrival:
    """Takes COPY's bytes, notes when enough have come, and then ends the query."""

    def __init__(self, connection: psycopg2.extensions.connection) -> None:
        """Begins to wait."""
        self.connection = connection
        self.received = 0
        self.at: float | None = None

    def write(self, data: bytes) -> None:
        """Takes the next bytes."""
        self.received += len(data)
        if self.at is None and self.received >= ENOUGH:
            self.at = time.perf_counter()
            self.connection.cancel()


def once(uri: str, sql: str, form: str) -> float:
    """Returns the milliseconds from the query to bytes that hold rows."""
    connection = psycopg2.connect(uri)
    with contextlib.closing(connection), connection.cursor() as cursor:
        cursor.execute("SELECT bowshot.version()")
        arrival, start = Arrival(connection), time.perf_counter()
        with contextlib.suppress(psycopg2.errors.QueryCanceled):
            cursor.copy_expert(f"COPY ({sql}) TO STDOUT (FORMAT {form})", arrival)
    if arrival.at is None:
        raise RuntimeError("the result is too small")
    return (arrival.at - start) * 1000


def batch(uri: str, sql: str, protocol: str) -> float:
    """Returns the milliseconds from the call to Bowshot's first batch, the login included."""
    start = time.perf_counter()
    batches = bowshot.query(sql, uri, connections=1, protocol=protocol).batches()
    next(batches)
    # Dropping what is left, which ends the query, comes after.
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Runs the command line."""
    uri, sql, count = sys.argv[1:]
    taken: dict[str, list[float]] = {}
    for _ in range(int(count)):
        for form in FORMS:
            taken.setdefault(f"{form} ms", []).append(once(uri, sql, form))
        for protocol in PROTOCOLS:
            taken.setdefault(f"batch, {protocol} ms", []).append(batch(uri, sql, protocol))
    sys.stdout.write(json.dumps({name: median(times) for name, times in taken.items()}) + "\n")


if __name__ == "__main__":
    main()
