"""Readers that read one batch each, and then none until standard input closes.

    python -m bench.gateway.stall grpc://127.0.0.1:31337 'SELECT …' 64 1

64 readers of 64 queries with an endpoint each; with 64 in the last place, of the endpoints of one query.
"""

import contextlib
import sys
from concurrent.futures import ThreadPoolExecutor

import pyarrow.flight as flight

from bench.gateway.calls import connect, headers, plan

# How many begin at the same time.
AT_ONCE = 16


def tickets(uri: str, sql: str, endpoints: int) -> list[flight.Ticket]:
    """Asks for a query's endpoints; the server may give fewer."""
    with contextlib.closing(connect(uri)) as client:
        return [endpoint.ticket for endpoint in plan(client, sql, headers(endpoints=endpoints)).endpoints]


def begin(uri: str, ticket: flight.Ticket) -> tuple[flight.FlightClient, flight.FlightStreamReader]:
    """Opens a connection and a stream and reads its first batch."""
    client = connect(uri)
    reader = client.do_get(ticket)
    reader.read_chunk()
    return client, reader


def open_all(
    uri: str, sql: str, count: int, endpoints: int
) -> list[tuple[flight.FlightClient, flight.FlightStreamReader]]:
    """Opens all streams."""

    def read(_: int) -> list[tuple[flight.FlightClient, flight.FlightStreamReader]]:
        return [begin(uri, ticket) for ticket in tickets(uri, sql, endpoints)]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [opened for some in pool.map(read, range(count // endpoints)) for opened in some]


def main() -> None:
    """Runs the command line; says "reading" and the number of streams once all have their first batch."""
    uri, sql, count, endpoints = sys.argv[1:]
    try:
        opened = open_all(uri, sql, int(count), int(endpoints))
    except (flight.FlightError, OSError) as error:
        sys.stdout.write(f"failed: {str(error).splitlines()[0]}\n")
        sys.exit(1)
    sys.stdout.write(f"reading {len(opened)}\n")
    sys.stdout.flush()
    sys.stdin.read()
    for _client, reader in opened:
        reader.cancel()


if __name__ == "__main__":
    main()
