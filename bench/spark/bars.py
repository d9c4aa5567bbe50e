"""The bars: how many times Bowshot's seconds Spark's own readers take, and Comet, by the least of all rounds."""

from collections.abc import Mapping

from bench.bars import Bar
from bench.spark.case import BOWSHOT, COMET, DROP_IN, SPARK, Case
from bench.spark.cases import (
    BATCH_SIZES,
    BATCHES,
    COMET_SCANS,
    DATABASE,
    DATABASE_EXTENSION,
    DEFAULT_BATCH,
    DROPPED_IN,
    JDBC,
    JDBC_PARTITIONED,
    SCANS,
)
from bench.spark.measure import Taken

# How much worse than the best size of batches the default may be.
NEAR = 1.05
DROP_IN_LIMIT = 1.3

Summaries = Mapping[str, Taken]


def bars(summaries: Summaries) -> list[Bar]:
    """Returns every bar."""
    spark, drop_in = (_get(summaries, DROPPED_IN.name, way) for way in (SPARK, DROP_IN))
    return [
        *(_scan(summaries, case, case.name, SPARK) for case in SCANS),
        _ratio(f"{DROPPED_IN.name} by the drop-in", DROP_IN_LIMIT, "CPU s", spark, drop_in),
        *(_scan(summaries, case, case.name.replace("comet/", "against Comet: ", 1), COMET) for case in COMET_SCANS),
        _batch(summaries),
        *_database(summaries, DATABASE, "PostgreSQL", 2.2, 1.4),
        _ratio(
            "PostgreSQL against the cheaper of both",
            2,
            "CPU s",
            _cheapest(summaries, DATABASE, JDBC, JDBC_PARTITIONED),
            _get(summaries, DATABASE.name, BOWSHOT),
        ),
        *_database(summaries, DATABASE_EXTENSION, "PostgreSQL with the extension", 3, 2),
    ]


def _scan(summaries: Summaries, case: Case, what: str, other: str) -> Bar:
    if case.bar is None:
        raise ValueError(f"{case.name} has no bar")
    return _ratio(what, case.bar, "CPU s", _get(summaries, case.name, other), _get(summaries, case.name, BOWSHOT))


def _cheapest(summaries: Summaries, case: Case, *ways: str) -> Taken | None:
    """Returns the best of the ways of others; None where one of them was not measured."""
    found = [taken for way in ways if (taken := _get(summaries, case.name, way)) is not None]
    return min(found, key=lambda taken: taken.least["CPU s"]) if len(found) == len(ways) else None


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


def _database(summaries: Summaries, case: Case, what: str, untuned: float, partitioned: float) -> list[Bar]:
    ours = _get(summaries, case.name, BOWSHOT)
    limits = {JDBC: ("JDBC untuned", untuned), JDBC_PARTITIONED: ("JDBC in 4 partitions", partitioned)}
    return [
        _ratio(f"{what} against {words}", limit, "wall s", _get(summaries, case.name, way), ours)
        for way, (words, limit) in limits.items()
    ]
