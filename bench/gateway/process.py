"""The gateway as a process: starts it, waits until it listens, stops it; and what a process occupies."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.paths import cache_folder
from bench.server import free_port

SECONDS_TO_START = 30
SECONDS_TO_END = 40


@dataclass(frozen=True)
class Process:
    """A server that listens: its address, and its pid."""

    uri: str
    pid: int


@contextlib.contextmanager
def gateway(binary: Path, *sources: str, host: str = "127.0.0.1", limits: Mapping[str, str] = {}) -> Iterator[Process]:
    """Yields a gateway in front of some sources; ends it with SIGTERM, as an operator would.

    `limits` are settings such as `statements_running`; one that this gateway does not know yet is left out.

    Raises `FileNotFoundError` without the program and `RuntimeError` where it does not listen in time.
    """
    if not binary.exists():
        raise FileNotFoundError(f"{binary} is missing: make build, or name another one with --binary or BOWSHOT_BINARY")
    port = free_port()
    # The link's far end is a namespace of this machine: nobody else reaches that address.
    beyond = [] if host == "127.0.0.1" else ["--insecure"]
    command = [str(binary), "serve", *sources, "--listen", f"{host}:{port}", *beyond]
    variables = {f"BOWSHOT_LIMITS_{name.upper()}": value for name, value in limits.items()}
    if subprocess.run([*command, "--check"], env=os.environ | variables, capture_output=True).returncode != 0:
        variables = {}
    with listening("gateway", command, host, port, variables) as pid:
        yield Process(f"grpc://{host}:{port}", pid)


@contextlib.contextmanager
def listening(
    name: str, command: Sequence[str], host: str, port: int, variables: Mapping[str, str] = {}
) -> Iterator[int]:
    """Yields the pid of a server that answers on a port; what it says goes into a log in the cache.

    `variables` are added to its environment.

    Raises `RuntimeError` with the end of its log where it does not listen in time.
    """
    log = cache_folder("bench") / f"{name}.log"
    with log.open("wb") as said:
        environment = os.environ | variables
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment)
        try:
            _wait_for(process, host, port, log)
            yield process.pid
        finally:
            _end(process)


def version(binary: Path) -> str:
    """Returns what the gateway calls itself, without its name."""
    shown = subprocess.run([str(binary), "--version"], check=True, capture_output=True, text=True).stdout
    return shown.strip().partition(" ")[2]


def peak_bytes(pid: int) -> int:
    """Returns the highest resident memory of a process since it started, or since `forget_peak`."""
    return _status(pid, "VmHWM")


def resident_bytes(pid: int) -> int:
    """Returns the resident memory of a process."""
    return _status(pid, "VmRSS")


def forget_peak(pid: int) -> None:
    """Sets the highest resident memory of a process back to what it occupies now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def _wait_for(process: subprocess.Popen[bytes], host: str, port: int, log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
            return
        time.sleep(0.05)
    lines = log.read_text(errors="replace").strip().splitlines()[-3:]
    raise RuntimeError(f"{log.stem} does not listen on {host}:{port}: {' '.join(lines)}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _status(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"/proc/{pid}/status has no {name}")
