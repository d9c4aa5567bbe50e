"""Loopback as Linux has it by itself: with CUBIC, which sends when it has something to send.

BBR, which some machines have for all connections, sends by timers, at the rate that it believes the way to have
(Cardwell and others, "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016). Loopback has no rate, and the
timers' work is charged to whatever process runs, often the one that is to receive, and not twice
the same.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONTROL = Path("/proc/sys/net/ipv4/tcp_congestion_control")
USUAL = "cubic"
# Servers and clients of all benchmarks speak over this address alone, but for those behind a link.
ROUTE = ("route", "show", "table", "local", "exact", "127.0.0.1")


def congestion_control() -> str:
    """Returns the name of TCP's congestion control where no route has another one."""
    return CONTROL.read_text().strip()


@contextmanager
def unpaced(wanted: bool = True) -> Iterator[str]:
    """Gives 127.0.0.1 the usual congestion control until the block ends; yields the name of the one in force there.

    Without root, or without the program `ip`, it stays as it is.
    """
    before = congestion_control()
    if not wanted or before == USUAL or os.geteuid() != 0 or not shutil.which("ip"):
        yield before
        return
    route = _ip(*ROUTE).split()
    if "congctl" in route:
        yield route[route.index("congctl") + 1]
        return
    change = ("route", "change", "table", "local", *route)
    _ip(*change, "congctl", USUAL)
    try:
        yield USUAL
    finally:
        _ip(*change)


def _ip(*arguments: str) -> str:
    return subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True).stdout
