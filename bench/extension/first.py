"""How soon the first bytes of a result are there, as rows and as Arrow.

python -m bench.extension.first postgresql://… 'SELECT * FROM lineitem' 20
"""

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from statistics import median

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
COUNT = 20
# No worse, but for what a clock and a scheduler add.
LIMIT = 1.1
# Bytes that hold rows for certain: COPY BINARY's signature and Arrow's schema are shorter.
ENOUGH = 8192


def run(uri: str, _: int, repeat: int) -> Iterator[Figure]:
    """Measures both forms in turn, over one connection that has been used before."""
    for _round in range(repeat):
        try:
            yield Figure(NAME, ROW, child([sys.executable, "-m", "bench.extension.first", uri, SQL, str(COUNT)]))
        except RuntimeError as error:
            yield Figure(NAME, ROW, error=str(error))


def bars(rows: Rows) -> list[Bar]:
    """Returns the bar for the median."""
    arrow, binary = (rows.get(ROW, f"{form} ms") for form in reversed(FORMS))
    seconds = (None if value is None else value / 1000 for value in (arrow, binary))
    return [at_most("first bytes of lineitem", LIMIT, "COPY BINARY's", *seconds)]


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


def main() -> None:
    """Runs the command line."""
    uri, sql, count = sys.argv[1:]
    taken: dict[str, list[float]] = {form: [] for form in FORMS}
    for _ in range(int(count)):
        for form in FORMS:
            taken[form].append(once(uri, sql, form))
    sys.stdout.write(json.dumps({f"{form} ms": median(times) for form, times in taken.items()}) + "\n")


if __name__ == "__main__":
    main()
