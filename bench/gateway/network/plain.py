"""What a link carries without any database: bytes over one TCP connection.

python -m bench.gateway.network.plain HOST PORT      # receives until the other side closes, prints JSON
"""

import json
import socket
import sys
import threading
import time

from bench.gateway.measure import child
from bench.gateway.network.link import Link, Network

MEGABYTE = 1_000_000
SECONDS = 3
CHUNK = 1 << 20


def plain(network: Network, host: str, link: Link) -> dict[str, float]:
    """Sends what the link would carry in some seconds; returns its speed, and how long a connection takes to open."""
    size = link.megabits * MEGABYTE // 8 * SECONDS
    with socket.create_server((host, 0)) as listener:
        sender = threading.Thread(target=_send, args=(listener, size), daemon=True)
        sender.start()
        port = str(listener.getsockname()[1])
        received: dict[str, float] = child(network.command([sys.executable, "-m", __name__, host, port]))
        sender.join()
    return received


def _send(listener: socket.socket, size: int) -> None:
    connection, _ = listener.accept()
    with connection:
        for _ in range(size // CHUNK):
            connection.sendall(bytes(CHUNK))


def main() -> None:
    """Runs the command line: the receiving end."""
    start = time.perf_counter()
    with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as connection:
        opened = time.perf_counter()
        size = 0
        while received := len(connection.recv(CHUNK)):
            size += received
    taken = time.perf_counter() - opened
    values = {"wall s": taken, "Mbit/s": size * 8 / MEGABYTE / taken, "connect ms": (opened - start) * 1000}
    sys.stdout.write(json.dumps(values) + "\n")


if __name__ == "__main__":
    main()
