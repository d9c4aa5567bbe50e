"""From measurements to one summary a case: medians, and ratios against the floors that ran beside it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench.measure import Measurement

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Summary:
    """What a case cost over all rounds. Times are seconds, memory is bytes, ratios are to a floor's seconds."""

    case: str
    rounds: int
    error: str | None
    wall_min: float
    wall: float
    client_cpu: float
    server_cpu: float
    other_cores: float
    ratios: Mapping[str, float]
    rss_start: int
    rss_peak: int
    size: int | None
    rows: int | None

    @property
    def cpu_ratio(self) -> float | None:
        """The client's CPU time as a part of the server's; None where there is no server."""
        return self.client_cpu / self.server_cpu if self.server_cpu else None

    @property
    def growth(self) -> int:
        """How many bytes the load's peak lies above what the process occupied before."""
        return self.rss_peak - self.rss_start


def summarise(measurements: Sequence[Measurement]) -> dict[str, Summary]:
    """Returns a summary a case, in the order of their first measurement; a case that ever failed has its error."""
    by_case: dict[str, list[Measurement]] = {}
    for measurement in measurements:
        by_case.setdefault(measurement.case, []).append(measurement)
    return {case: _summary(case, rounds) for case, rounds in by_case.items()}


def disagreements(measurements: Iterable[Measurement]) -> list[str]:
    """Returns a line for every result whose rows or sum of keys differ from the first result's."""
    checked = [m for m in measurements if m.error is None and m.rows is not None]
    return [
        f"{m.case} returned {m.rows} rows with a sum of keys of {m.key_sum}; "
        f"{checked[0].case} returned {checked[0].rows} and {checked[0].key_sum}"
        for m in checked
        if (m.rows, m.key_sum) != (checked[0].rows, checked[0].key_sum)
    ]


def from_json(values: Iterable[Mapping[str, Any]]) -> list[Measurement]:
    """Returns the measurements of a result file."""
    return [Measurement(**value) for value in values]


def _summary(case: str, rounds: Sequence[Measurement]) -> Summary:
    good = [measurement for measurement in rounds if measurement.error is None]
    errors = [measurement.error for measurement in rounds if measurement.error is not None]
    floors = good[0].floors if good else {}
    return Summary(
        case=case,
        rounds=len(good),
        error=errors[0] if errors else None,
        wall_min=min((m.wall for m in good), default=0.0),
        wall=_median(m.wall for m in good),
        client_cpu=_median(m.client_cpu for m in good),
        server_cpu=_median(m.server_cpu for m in good),
        other_cores=_median(m.other_cores for m in good),
        ratios={floor: _median(m.wall / m.floors[floor] for m in good if floor in m.floors) for floor in floors},
        rss_start=int(_median(m.rss_start for m in good)),
        rss_peak=max((m.rss_peak for m in good), default=0),
        size=good[0].size if good else None,
        rows=good[0].rows if good else None,
    )


def _median(values: Iterable[float]) -> float:
    kept = list(values)
    return median(kept) if kept else 0.0
