"""Where a time axis has its ticks, and what they say."""

from __future__ import annotations

import math

# In seconds, for times that are read in minutes and hours.
_LONG = (15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def ticks(span: float, most: float) -> list[tuple[float, str]]:
    """About this many ticks at most, from 0 on, at round times.

    >>> [words for _, words in ticks(4.2, 6)]
    ['0', '1 s', '2 s', '3 s', '4 s']
    >>> [words for _, words in ticks(0.31, 8)]
    ['0', '50 ms', '100 ms', '150 ms', '200 ms', '250 ms', '300 ms']
    >>> [words for _, words in ticks(4000, 6)]
    ['0', '15:00', '30:00', '45:00', '1:00:00']
    """
    step = _step(span / max(most, 1))
    return [(index * step, _words(index * step, step)) for index in range(math.floor(span / step * (1 + 1e-9)) + 1)]


def _step(least: float) -> float:
    """The first round time that is at least so long."""
    if least > 10:
        return float(next((step for step in _LONG if step >= least), math.ceil(least / 86400) * 86400))
    power = 10.0 ** math.floor(math.log10(max(least, 1e-9)))
    return next(factor * power for factor in (1, 2, 5, 10, 20) if factor * power >= least * (1 - 1e-9))


def _words(at: float, step: float) -> str:
    if at == 0:
        return "0"
    if step >= 15:
        minutes, seconds = divmod(round(at), 60)
        return f"{minutes}:{seconds:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    # One unit for the whole axis: the largest in which a step is at least a tenth.
    scale, unit = next(((scale, unit) for scale, unit in _UNITS if step >= scale / 10 * (1 - 1e-9)), _UNITS[-1])
    return f"{at / scale:.10g} {unit}"
