"""Measures cases side by side: in rounds, each with the floors before, between and after the loads."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench import cpu, memory
from bench.cases import Case
from bench.databases import Running

# A floor is measured again after this many loads: what else happens on a machine changes within minutes.
LOADS_BETWEEN_FLOORS = 3


@dataclass
class Measurement:
    """One load: what it cost its process and the server, or the error that it ended with.

    Times are seconds, memory is bytes. `other_cores` is how many cores other processes took meanwhile. `floors` holds
    the floors' seconds beside this load: the mean of the last one before and the first one after it.
    """

    case: str
    error: str | None = None
    wall: float = 0.0
    client_cpu: float = 0.0
    server_cpu: float = 0.0
    other_cores: float = 0.0
    rss_start: int = 0
    rss_peak: int = 0
    rows: int | None = None
    key_sum: int | None = None
    size: int | None = None
    floors: dict[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Returns the fields as JSON's types."""
        return asdict(self)


def measure(cases: Sequence[Case], floors: Sequence[Case], database: Running, repeat: int) -> Iterator[Measurement]:
    """Measures cases of one database `repeat` times and yields what each load cost, floors included.

    Every round begins with another case, so that none always follows the same neighbour.
    """
    for number in range(repeat):
        chosen = [case for case in cases if number == 0 or not case.only_once]
        start = number * LOADS_BETWEEN_FLOORS % len(chosen)
        yield from _round(chosen[start:] + chosen[:start], floors, database)


def _round(cases: Sequence[Case], floors: Sequence[Case], database: Running) -> Iterator[Measurement]:
    before = [measure_once(floor, database) for floor in floors]
    yield from before
    for index in range(0, len(cases), LOADS_BETWEEN_FLOORS):
        loads = [measure_once(case, database) for case in cases[index : index + LOADS_BETWEEN_FLOORS]]
        after = [measure_once(floor, database) for floor in floors]
        beside = _means(before, after)
        for load in loads:
            load.floors = beside
        yield from loads + after
        before = after


def _means(before: Sequence[Measurement], after: Sequence[Measurement]) -> dict[str, float]:
    """Returns the floors' mean seconds; a floor that failed counts for nothing."""
    means = {}
    for first, second in zip(before, after, strict=True):
        walls = [floor.wall for floor in (first, second) if floor.error is None]
        if walls:
            means[first.case] = sum(walls) / len(walls)
    return means


def measure_once(case: Case, database: Running) -> Measurement:
    """Runs one load in a process of its own; an error of the load is a measurement, too."""
    memory.cached(database.files)
    server = database.pid
    backends = cpu.children(server) if server else 0
    server_start = _server_seconds(server)
    command = [sys.executable, "-m", "bench.load", case.name, database.source]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent.parent)
    if server:
        cpu.wait_for_children(server, backends)
    server_cpu = _server_seconds(server) - server_start
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"ended with exit code {done.returncode}"]
        return Measurement(case.name, error=lines[-1])
    load: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    others = load.pop("machine_cpu") - load["client_cpu"] - server_cpu
    return Measurement(case.name, server_cpu=server_cpu, other_cores=max(0.0, others / load["wall"]), **load)


def _server_seconds(server: int | None) -> float:
    return cpu.server_seconds(server) if server else 0.0
