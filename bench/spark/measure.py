"""Measures cases: a check and warm-ups of each way, then rounds in which the ways take turns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench import memory
from bench.gateway.figures import Figure
from bench.spark.case import TABLES, Case, Way
from bench.spark.data import Prepared

NAME = "spark"
UNITS = ("CPU s", "wall s")

# Asks the engine of that name.
Ask = Callable[[str, Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Taken:
    """What a row took over all rounds: the least and the median of each unit's seconds."""

    least: Mapping[str, float]
    medians: Mapping[str, float]
    others: float
    rounds: int


def measure(case: Case, data: Prepared, ask: Ask, warm_ups: int, rounds: int) -> Iterator[Figure]:
    """Yields a figure a way and round, with what the check found; a way that fails yields its error, once."""
    if case.data not in TABLES:
        path = data.folder / case.data
        memory.cached(sorted(path.iterdir()) if path.is_dir() else [path])
    found: dict[str, Mapping[str, float]] = {}
    for way in case.ways:
        question = _question(case, way, data)
        try:
            found[way.name] = ask(way.engine, question | {"verb": "check"})
            for _ in range(warm_ups):
                ask(way.engine, question | {"verb": "run"})
        except RuntimeError as error:
            found.pop(way.name, None)
            yield Figure(NAME, f"{case.name}/{way.name}", error=str(error))
    for _ in range(rounds):
        for way in case.ways:
            if way.name in found:
                figure = _once(case, way, data, ask, found[way.name])
                if figure.error is not None:
                    del found[way.name]
                yield figure


def summarise(figures: list[Figure]) -> dict[str, Taken]:
    """Returns what each row took that never failed, in the order of the first round."""
    failed = {figure.row for figure in figures if figure.error is not None}
    by_row: dict[str, list[Mapping[str, float]]] = {}
    for figure in figures:
        if figure.row not in failed:
            by_row.setdefault(figure.row, []).append(figure.values)
    return {
        row: Taken(
            {unit: min(values[unit] for values in rounds) for unit in UNITS},
            {unit: median(values[unit] for values in rounds) for unit in UNITS},
            median(values.get("others cores", 0.0) for values in rounds),
            len(rounds),
        )
        for row, rounds in by_row.items()
    }


def _once(case: Case, way: Way, data: Prepared, ask: Ask, found: Mapping[str, float]) -> Figure:
    row = f"{case.name}/{way.name}"
    try:
        values = ask(way.engine, _question(case, way, data) | {"verb": "run"})
    except RuntimeError as error:
        return Figure(NAME, row, error=str(error))
    if case.data in TABLES:
        # The database's own work.
        values.pop("others cores")
    return Figure(NAME, row, {**values, **found})


def _question(case: Case, way: Way, data: Prepared) -> dict[str, Any]:
    return {**data.read(case, way), "sql": case.sql, "reads": case.reads, "plan": way.plan}
