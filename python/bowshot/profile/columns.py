"""Stretches of time, made few enough to be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Column(NamedTuple):
    """Some time, and how much of it each state took."""

    start: float
    end: float
    times: tuple[float, ...]


def columns(stretches: Sequence[Column], span: float, most: int) -> list[Column]:
    """`stretches` as they are, if there are few enough; else the same time cut into columns of equal length.

    >>> columns([Column(0, 1, (1.0, 0.0)), Column(1, 3, (0.0, 2.0)), Column(3, 4, (1.0, 0.0))], 4, 2)
    [Column(start=0, end=2.0, times=(1.0, 1.0)), Column(start=2.0, end=4, times=(1.0, 1.0))]
    """
    if len(stretches) <= most:
        return list(stretches)
    step = span / most
    states = len(stretches[0].times)
    sums = [[0.0] * states for _ in range(most)]
    reach: dict[int, tuple[float, float]] = {}
    for stretch in stretches:
        length = stretch.end - stretch.start
        for index, start, end in _cut(stretch, step, most):
            first, last = reach.get(index, (start, end))
            reach[index] = (min(first, start), max(last, end))
            for state in range(states):
                sums[index][state] += stretch.times[state] * ((end - start) / length if length else 1.0)
    return [Column(*reach[index], tuple(sums[index])) for index in sorted(reach)]


def _cut(stretch: Column, step: float, most: int) -> Iterable[tuple[int, float, float]]:
    """Which part of a stretch lies in which column."""
    index = min(int(stretch.start / step), most - 1)
    start = stretch.start
    while index < most:
        end = min(stretch.end, (index + 1) * step) if index < most - 1 else stretch.end
        yield index, start, end
        if end >= stretch.end:
            return
        start, index = end, index + 1
