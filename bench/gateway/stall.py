"""Readers that read one batch each, and then none until standard input closes.

python -m bench.gateway.stall grpc://127.0.0.1:31337 'SELECT …' 64
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import pyarrow.flight as flight

from bench.gateway.calls import connect, plan


def begin(uri: str, sql: str) -> tuple[flight.FlightClient, flight.FlightStreamReader]:
    """Opens a connection and a stream and reads its first batch."""
    client = connect(uri)
    reader = client.do_get(plan(client, sql).endpoints[0].ticket)
    reader.read_chunk()
    return client, reader


def main() -> None:
    """Runs the command line; says "reading" once all have their first batch."""
    uri, sql, count = sys.argv[1:]
    try:
        with ThreadPoolExecutor(16) as pool:
            opened = list(pool.map(lambda _: begin(uri, sql), range(int(count))))
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
