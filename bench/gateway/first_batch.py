"""Measures how soon a query's first batch is there, over a connection that has been used before.

python -m bench.gateway.first_batch grpc://127.0.0.1:31337 'SELECT * FROM lineitem' 20
"""

import json
import sys
import time
from statistics import median

from bench.gateway.calls import connect, plan

# The first ones open the gateway's connections to the database.
WARMING = 3
# So long the gateway has to end a query that nobody reads any more, before the next one begins.
PAUSE = 0.3


def once(uri: str, sql: str) -> tuple[float, float]:
    """Returns the milliseconds until the endpoints are known, and from then until the first batch is there."""
    client = connect(uri)
    # So that neither has to connect.
    list(client.list_actions())
    start = time.perf_counter()
    info = plan(client, sql)
    planned = time.perf_counter()
    reader = client.do_get(info.endpoints[0].ticket)
    batch = reader.read_chunk().data
    while batch.num_rows == 0:
        batch = reader.read_chunk().data
    arrived = time.perf_counter()
    reader.cancel()
    client.close()
    time.sleep(PAUSE)
    return (planned - start) * 1000, (arrived - planned) * 1000


def main() -> None:
    """Runs the command line."""
    uri, sql, count = sys.argv[1:]
    taken = [once(uri, sql) for _ in range(WARMING + int(count))][WARMING:]
    values: dict[str, float] = {}
    for name, times in (("GetFlightInfo", [one for one, _ in taken]), ("first batch", [other for _, other in taken])):
        values |= {f"{name} median ms": median(times), f"{name} slowest ms": max(times)}
    sys.stdout.write(json.dumps(values) + "\n")


if __name__ == "__main__":
    main()
