"""The curves that come of scaling: seconds by size, of each way and number of workers."""

from collections.abc import Mapping
from dataclasses import dataclass

from bench.report import table
from bench.spark.case import BOWSHOT, SPARK
from bench.spark.measure import Taken
from bench.spark.scaling import GIGABYTES, GROUPS, WORKERS, name


@dataclass(frozen=True)
class Point:
    """What a size took: wall seconds, and the CPU seconds of all executors."""

    gigabytes: float
    wall: float
    cpu: float


Curves = Mapping[tuple[int, str], list[Point]]


def curves(summaries: Mapping[str, Taken]) -> Curves:
    """Returns the points of each number of workers and each way, by size; a curve without points is left out."""
    found: dict[tuple[int, str], list[Point]] = {}
    for workers in WORKERS:
        for way in (SPARK, BOWSHOT):
            for gigabytes in GIGABYTES:
                taken = summaries.get(f"{name(workers, gigabytes)}/{way}")
                if taken is not None:
                    point = Point(gigabytes, taken.least["wall s"], taken.least["CPU s"])
                    found.setdefault((workers, way), []).append(point)
    return found


def scaling_table(summaries: Mapping[str, Taken]) -> str:
    """Returns wall seconds and executors' CPU seconds as a table, a row a size; nothing where nothing was measured."""
    found = curves(summaries)
    if not found:
        return ""
    at = {(*curve, point.gigabytes): point for curve, points in found.items() for point in points}
    header = ["GB", *(f"{way}, {GROUPS[workers].name}: wall, CPU" for workers, way in found)]
    sizes = sorted({point.gigabytes for points in found.values() for point in points})
    rows = [
        [f"{size:g}", *(f"{one.wall:.2f}, {one.cpu:.2f}" if (one := at.get((*curve, size))) else "" for curve in found)]
        for size in sizes
    ]
    return table(header, rows)
