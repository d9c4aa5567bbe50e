"""What a run measures: named figures, and what they are over all rounds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

Values = Mapping[str, float]


@dataclass(frozen=True)
class Figure:
    """What one measurement gave, or the error that it ended with.

    `part` is a part of the benchmark, `row` what was measured, with `/` between the words: `wan/lineitem/auto`.
    The names of `values` end with their unit: `wall s`, `peak MB`.
    """

    part: str
    row: str
    values: Values = field(default_factory=dict)
    error: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Returns the fields as JSON's types."""
        return asdict(self)


@dataclass(frozen=True)
class Rows:
    """The rows of a part: the medians over all rounds, and the first error of each that failed."""

    medians: Mapping[str, Values]
    errors: Mapping[str, str]

    def get(self, row: str, value: str) -> float | None:
        """Returns a median; None where the row was not measured, or failed."""
        return self.medians.get(row, {}).get(value)


def rows(figures: Iterable[Figure], part: str) -> Rows:
    """Returns the medians of one part, in the order of the first round.

    >>> round_of = lambda seconds: Figure("straight", "gateway", {"wall s": seconds})
    >>> rows(map(round_of, [3.0, 9.0, 4.0]), "straight").get("gateway", "wall s")
    4.0
    """
    chosen = [figure for figure in figures if figure.part == part]
    by_row: dict[str, list[Values]] = {}
    for figure in chosen:
        if figure.error is None:
            by_row.setdefault(figure.row, []).append(figure.values)
    errors = {figure.row: figure.error for figure in reversed(chosen) if figure.error is not None}
    return Rows({row: _medians(rounds) for row, rounds in by_row.items() if row not in errors}, errors)


def disagreements(figures: Sequence[Figure]) -> list[str]:
    """Returns a line for each result that has other rows, or another sum, than the first one of the same data.

    What belongs together says so in `data`: the part, and the row without its last word.
    """
    first: dict[str, Figure] = {}
    lines = []
    for figure in figures:
        if figure.error is not None or "rows" not in figure.values:
            continue
        before = first.setdefault(f"{figure.part}/{figure.row.rpartition('/')[0]}", figure)
        got, wanted = ([one.values.get(name) for name in ("rows", "sum")] for one in (figure, before))
        if got != wanted:
            lines.append(
                f"{figure.part}/{figure.row} returned {got[0]} rows with a sum of {got[1]}; "
                f"{before.row} returned {wanted[0]} and {wanted[1]}"
            )
    return lines


def from_json(values: Iterable[Mapping[str, Any]]) -> list[Figure]:
    """Returns the figures of a result file."""
    return [Figure(**value) for value in values]


def _medians(rounds: Sequence[Values]) -> dict[str, float]:
    return {name: median(values[name] for values in rounds if name in values) for name in rounds[0]}
