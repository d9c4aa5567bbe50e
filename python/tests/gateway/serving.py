"""Starts the command `bowshot serve` on a free port, as users do."""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


@dataclass
class Gateway:
    """A server in front of some sources."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1."""
        return urlsplit(self.address).port or 0


@contextmanager
def served(command: str, *arguments: str) -> Iterator[Gateway]:
    """`bowshot serve` with these arguments, until the end of the block."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        with log.open("wb") as output:
            process = subprocess.Popen(
                # Some tests leave results that nobody fetches, which a gateway that ends waits for.
                [command, "serve", *arguments, "--listen", "127.0.0.1:0", "--set", "limits.drain_seconds=1"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        try:
            yield Gateway(address_of(process, log), process, log)
        finally:
            # Clients are gone by now: what they left behind must not keep it.
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise
            assert "panicked" not in log.read_text("utf-8", "replace"), log.read_text("utf-8", "replace")


def address_of(process: subprocess.Popen[bytes], log: Path) -> str:
    """The address that the log tells, once it does."""
    for _ in range(600):
        found = re.search(r"grpc(?:\+tls)?://[\d.]+:\d+", log.read_text())
        if found:
            return found.group()
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(f"the gateway does not listen: {log.read_text()}")
