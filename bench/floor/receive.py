"""What receiving alone costs: a C program takes bytes over loopback, to keep them or to throw them away."""

import subprocess

from bench.floor.compile import compiled
from bench.result import Discarded


def receive(_source: str, _sql: str, size: int, *, keep: bool) -> Discarded:
    """Receives `size` bytes; raises `CalledProcessError` where that fails."""
    subprocess.run([str(compiled("receive")), str(size), "kept" if keep else "thrown"], check=True)
    return Discarded()
