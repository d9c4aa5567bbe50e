"""Measures loads: each in a fresh process, with the CPU time of all that works for it."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import cpu, memory
from bench.gateway.figures import Figure

MEGABYTE = 1_000_000
# No load takes this long; what does, hangs.
SECONDS = 600

# Puts a command somewhere else, such as into a network namespace.
Elsewhere = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True)
class Load:
    """A way to load a query: its row in the tables, the function below `bench` that does it, and who serves it."""

    row: str
    function: str
    source: str
    sql: str
    # The column whose sum all results of the same data must agree on.
    column: str
    options: Mapping[str, Any] = field(default_factory=dict)
    # Process ids: the gateway, or another server of Arrow, and the database's first process.
    gateway: int | None = None
    database: int | None = None
    # It finds them in the system's cache.
    files: Sequence[Path] = ()


def measure(part: str, load: Load, elsewhere: Elsewhere = list) -> Figure:
    """Runs one load; its error is a measurement, too."""
    memory.cached(load.files)
    backends = cpu.children(load.database) if load.database else 0
    before = _seconds(load)
    asked = {"function": load.function, "source": load.source, "sql": load.sql, "column": load.column}
    command = [sys.executable, "-m", "bench.gateway.load", json.dumps(asked | {"options": dict(load.options)})]
    try:
        got = child(elsewhere(command))
    except RuntimeError as error:
        return Figure(part, load.row, error=str(error))
    if load.database:
        cpu.wait_for_children(load.database, backends)
    gateway_cpu, database_cpu = (after - start for after, start in zip(_seconds(load), before, strict=True))
    others = got["machine_cpu"] - got["client_cpu"] - gateway_cpu - database_cpu
    values = {
        "wall s": got["wall"],
        "client CPU s": got["client_cpu"],
        "gateway CPU s": gateway_cpu if load.gateway else None,
        "database CPU s": database_cpu if load.database else None,
        "client peak MB": got["rss_peak"] / MEGABYTE,
        "result MB": got["size"] / MEGABYTE if got["size"] else None,
        "others cores": max(0.0, others / got["wall"]),
        "rows": got["rows"],
        "sum": got["key_sum"],
    }
    return Figure(part, load.row, {name: value for name, value in values.items() if value is not None})


def child(command: Sequence[str]) -> Any:
    """Runs a program that prints one line of JSON, and returns that; raises `RuntimeError` with its last words."""
    root = Path(__file__).parents[2]
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"gave no answer within {SECONDS} s") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"ended with exit code {done.returncode}"]
        raise RuntimeError(lines[-1])
    return json.loads(done.stdout.strip().splitlines()[-1])


def _seconds(load: Load) -> tuple[float, float]:
    """Returns the CPU seconds of the gateway and of the database so far."""
    gateway, database = (cpu.server_seconds(pid) if pid else 0.0 for pid in (load.gateway, load.database))
    return gateway, database
