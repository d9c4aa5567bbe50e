"""CPU time of processes that are not ours to wait for: the database server's, a JVM's, and everybody's."""

import os
import time
from pathlib import Path

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat after the command's name: parent, then user and system time, own and of ended children.
PARENT, OWN_TIMES, CHILDREN_TIMES = 1, slice(11, 13), slice(13, 15)


def server_seconds(postmaster: int) -> float:
    """Returns the CPU seconds of a PostgreSQL server and of all its backends, those that ended included."""
    ticks = 0
    for process in _processes():
        fields = _stat(process)
        if process == postmaster and fields:
            ticks += sum(int(field) for field in fields[OWN_TIMES] + fields[CHILDREN_TIMES])
        elif fields and int(fields[PARENT]) == postmaster:
            ticks += sum(int(field) for field in fields[OWN_TIMES])
    return ticks / TICKS_A_SECOND


def tree_seconds(process: int) -> float:
    """Returns the CPU seconds of a process and of all that descend from it, ended children included."""
    found = {each: fields for each in _processes() if (fields := _stat(each))}
    tree, ticks = {process}, 0
    # Until no process is added: children may have smaller ids than their parents.
    while more := {each for each, fields in found.items() if int(fields[PARENT]) in tree} - tree:
        tree |= more
    for each in tree & found.keys():
        ticks += sum(int(field) for field in found[each][OWN_TIMES] + found[each][CHILDREN_TIMES])
    return ticks / TICKS_A_SECOND


def children(parent: int) -> int:
    """Returns how many live child processes a process has."""
    return sum(1 for process in _processes() if (fields := _stat(process)) and int(fields[PARENT]) == parent)


def started_with(argument: str) -> list[int]:
    """Returns the processes with an argument on their command line, as executors have their application's id."""
    found = []
    for process in _processes():
        try:
            arguments = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if argument.encode() in arguments:
            found.append(process)
    return found


def wait_for_children(parent: int, at_most: int, seconds: float = 5.0) -> None:
    """Waits until backends of a load have ended, so that their time is counted; gives up after `seconds`."""
    deadline = time.monotonic() + seconds
    while children(parent) > at_most and time.monotonic() < deadline:
        time.sleep(0.02)


def machine_seconds() -> float:
    """Returns the CPU seconds that the whole machine has worked since it started."""
    fields = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    user, nice, system, _idle, _waiting, interrupts, soft_interrupts = fields[:7]
    return (user + nice + system + interrupts + soft_interrupts) / TICKS_A_SECOND


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _stat(process: int) -> list[str] | None:
    try:
        # The command's name stands in parentheses and may hold spaces.
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
