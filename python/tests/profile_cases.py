"""Profiles of reads that never were."""

from __future__ import annotations

import random
from typing import Any

from bowshot.profile import (
    ConnectionProfile,
    ConsumerProfile,
    ConsumerStretch,
    PartitionProfile,
    Profile,
    Stretch,
)

HOSTILE = '<script>alert("x")</script> ]]> &amp; \x00\x1b[31m \u202eabc \ud800 表の名前 \n\t\'" --> ' + "w" * 3000


def made(
    connections: int,
    partitions: int,
    *,
    shares: tuple[float, float, float, float] = (0.7, 0.2, 0.05, 0.05),
    working: float = 0.2,
    seconds: float = 4.2,
    label: str = "pages {n} to {m} of lineitem",
    stretches: int = 20,
    **rest: Any,
) -> Profile:
    """`shares` are those of server, decoding, waiting and starved; connection 0 failed if the outcome says so."""
    chance = random.Random(1)
    failed = rest.get("outcome") == "failed"
    entries, ends = [], []
    for connection in range(connections):
        own = range(connection, partitions, connections)
        at = start = seconds / 1000 * connection / connections
        at += seconds / 200
        there = at
        for index in own:
            began = start if index == connection else at
            pieces = [Stretch(start, at, at - start, 0.0, 0.0, 0.0, 0.0)] if index == connection else []
            length = seconds * 0.98 / len(own) * chance.uniform(0.8, 1.0) / stretches
            for _ in range(stretches):
                parts = [share * chance.uniform(0.5, 1.5) for share in shares]
                times = [length * part / sum(parts) for part in parts]
                pieces.append(Stretch(at, at + sum(times), 0.0, *times))
                at += sum(times)
            entries.append(_entry(index, connection, began, pieces, label, not failed or index != own[-1]))
        ends.append(ConnectionProfile(connection, start, there, at, failed and connection == 0))
    step = seconds / 100
    consumed = tuple(
        ConsumerStretch(step * n, step * (n + 1), step * (1 - working), step * working) for n in range(100)
    )
    consumer = ConsumerProfile(
        seconds * (1 - working), seconds * working, 0.1, partitions, 1000 * partitions, 2**20, consumed
    )
    entries.sort(key=lambda entry: entry.index)
    figures: dict[str, Any] = {"outcome": "complete", "site": "server", "total": seconds, "planned": partitions}
    return Profile(connections=tuple(ends), partitions=tuple(entries), consumer=consumer, **(figures | rest))


def _entry(
    index: int, connection: int, start: float, pieces: list[Stretch], label: str, complete: bool
) -> PartitionProfile:
    states = {
        name: sum(getattr(piece, name) for piece in pieces)
        for name in ("connecting", "server", "decoding", "waiting", "starved")
    }
    return PartitionProfile(
        index=index,
        last=index,
        count=1,
        label=label.replace("{n}", str(index * 1024)).replace("{m}", str(index * 1024 + 1023)),
        connection=connection,
        start=start,
        claimed=start,
        opened=start,
        first_batch=None,
        end=pieces[-1].end,
        complete=complete,
        batches=1,
        rows=1000,
        bytes=2**20,
        stretches=tuple(pieces),
        **states,
    )
