"""The bars: how many times Bowshot's seconds Spark's own readers take, by the least of all rounds."""

from collections.abc import Mapping

from bench.bars import Bar
from bench.spark.cases import (
    BATCH_SIZES,
    BATCHES,
    BOWSHOT,
    DATABASE,
    DEFAULT_BATCH,
    JDBC,
    JDBC_PARTITIONED,
    SCANS,
    SPARK,
)
from bench.spark.measure import Taken

# How much worse than the best size of batches the default may be.
NEAR = 1.05

Summaries = Mapping[str, Taken]


def bars(summaries: Summaries) -> list[Bar]:
    """Returns every bar."""
    judged = [
        _ratio(case.name, case.bar, "CPU s", _get(summaries, case.name, SPARK), _get(summaries, case.name, BOWSHOT))
        for case in SCANS
        if case.bar is not None
    ]
    return [*judged, _batch(summaries), *_database(summaries)]


def _get(summaries: Summaries, case: str, way: str) -> Taken | None:
    return summaries.get(f"{case}/{way}")


def _ratio(what: str, limit: float, unit: str, theirs: Taken | None, ours: Taken | None) -> Bar:
    words = f"≥ {limit:g} ×"
    what = f"{what}, {unit.removesuffix(' s')}"
    if theirs is None or ours is None or not ours.least[unit]:
        return Bar(what, words, "not run", None)
    times = theirs.least[unit] / ours.least[unit]
    middle = theirs.medians[unit] / ours.medians[unit]
    measured = f"{times:.2f} × ({theirs.least[unit]:.2f} s against {ours.least[unit]:.2f} s; medians {middle:.2f} ×)"
    return Bar(what, words, measured, times >= limit)


def _batch(summaries: Summaries) -> Bar:
    what, words = f"batches of {DEFAULT_BATCH}, CPU", f"≤ {NEAR:g} × the best size"
    found = {name: taken for name in BATCHES if (taken := _get(summaries, BATCH_SIZES.name, name)) is not None}
    if len(found) < len(BATCHES):
        return Bar(what, words, "not run", None)
    seconds = {name: taken.least["CPU s"] for name, taken in found.items()}
    best = min(seconds, key=lambda name: seconds[name])
    if not seconds[best]:
        return Bar(what, words, "not run", None)
    times = seconds[DEFAULT_BATCH] / seconds[best]
    measured = f"{times:.2f} × ({seconds[DEFAULT_BATCH]:.2f} s against {seconds[best]:.2f} s of {best})"
    return Bar(what, words, measured, times <= NEAR)


def _database(summaries: Summaries) -> list[Bar]:
    ours, untuned, best = (_get(summaries, DATABASE.name, way) for way in (BOWSHOT, JDBC, JDBC_PARTITIONED))
    # The better one of Spark's ways.
    cheaper = min((taken for taken in (untuned, best) if taken), key=lambda taken: taken.least["CPU s"], default=None)
    return [
        _ratio("PostgreSQL against JDBC untuned", 2.2, "wall s", untuned, ours),
        _ratio("PostgreSQL against JDBC in 4 partitions", 1.4, "wall s", best, ours),
        _ratio("PostgreSQL against the cheaper of both", 2, "CPU s", cheaper if untuned and best else None, ours),
    ]
