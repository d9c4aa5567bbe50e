"""A profile for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .text import clipped, plain
from .words import Names, count, duration, headline, names, percent, summary

if TYPE_CHECKING:
    from .times import PartitionProfile, Profile

# Partitions that are listed.
_MOST = 10
# Characters of a label.
_LABEL = 44


def table(profile: Profile) -> str:
    """What was read, where the time went, and the partitions that took longest."""
    lines = [headline(profile), summary(profile)]
    if profile.partitions:
        lines += ["", *_states(profile), "", *_partitions(profile)]
    return "\n".join(lines)


def _states(profile: Profile) -> list[str]:
    called = names(profile.site)
    busy = sum(connection.duration for connection in profile.connections)
    sides = [(getattr(called, state), getattr(profile, state), busy) for state in Names._fields]
    consumer = profile.consumer
    sides += [
        ("consumer waiting", consumer.waiting, profile.total),
        ("consumer working", consumer.working, profile.total),
    ]
    rows = [(name, duration(time), percent(time / whole if whole else 0)) for name, time, whole in sides]
    return _aligned([("", "time", "share"), *rows], "<>>")


def _partitions(profile: Profile) -> list[str]:
    partitions = sorted(profile.partitions, key=lambda one: one.duration, reverse=True)[:_MOST]
    partitions.sort(key=lambda one: one.index)
    title = []
    if len(partitions) < len(profile.partitions):
        several = any(one.count > 1 for one in profile.partitions)
        entries = f" in {len(profile.partitions):,} entries" if several else ""
        read = count(sum(one.count for one in profile.partitions), "partition")
        title = [f"The {len(partitions)} slowest of {read}{entries}:"]
    states = [state for state in Names._fields if any(getattr(one, state) for one in partitions)]
    head = ("partition", "connection", "start", "time", *states, "rows", "label")
    rows = [_row(one, states) for one in partitions]
    return title + _aligned([head, *rows], ">>" + ">" * (3 + len(states)) + "<")


def _row(one: PartitionProfile, states: list[str]) -> tuple[str, ...]:
    index = f"{one.index}" if one.count == 1 else f"{one.index}…{one.last}"
    times = (duration(getattr(one, state)) for state in states)
    label = clipped(plain(one.label), _LABEL) + ("" if one.complete else " (not to its end)")
    return (index, f"{one.connection}", duration(one.start), duration(one.duration), *times, f"{one.rows:,}", label)


def _aligned(rows: list[tuple[str, ...]], sides: str) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(_padded, row, widths, sides)).rstrip() for row in rows]


def _padded(cell: str, width: int, side: str) -> str:
    return cell.ljust(width) if side == "<" else cell.rjust(width)
