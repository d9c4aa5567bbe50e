"""What Spark's benchmark makes of its figures: bars, the page and the picture."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from bench.bars import Bar
from bench.gateway.figures import Figure
from bench.spark import scaling
from bench.spark.bars import bars
from bench.spark.case import BOWSHOT, COMET, DROP_IN, SPARK
from bench.spark.cases import BATCHES, CASES, COMET_SCANS, SCANS
from bench.spark.curves import Point, curves
from bench.spark.measure import NAME, summarise
from bench.spark.picture import draw
from bench.spark.report import report

PICTURE = "2026-11-27-spark-a-cpu.svg"


def taken(row: str, *seconds: float, wall: float = 1.0) -> list[Figure]:
    values = ({"CPU s": each, "wall s": wall, "rows": 6, "sum": 21} for each in seconds)
    return [Figure(NAME, row, each) for each in values]


def judged(*figures: list[Figure]) -> dict[str, Bar]:
    return {bar.what: bar for bar in bars(summarise([figure for row in figures for figure in row]))}


def result(figures: list[Figure], left_out: dict[str, str] | None = None) -> dict[str, Any]:
    return {
        "command": "python -m bench.spark",
        "date": "2026-11-27",
        "machine": {"cpu": "A CPU", "cores": "2", "memory": "24 GiB", "kernel": "Linux 6"},
        "versions": {"python": "3.11"},
        "spark": {"engine spark": "Spark 4.3.0", "memory": "4g"},
        "size": {"numbers": 32_000_000, "wide": 800_000, "quarter": 7_812_500, "scale": 1, "postgres_scale": 0.2},
        "warm ups": 3,
        "left out": left_out or {},
        "figures": [figure.as_json() for figure in figures],
    }


def on_clusters(*sizes: float) -> list[Figure]:
    """Figures of clusters of which two workers take half the time, and Bowshot half of Spark's."""
    return [
        figure
        for workers in scaling.WORKERS
        for size in sizes
        for way, seconds in ((SPARK, 4 * size), (BOWSHOT, 2 * size))
        for figure in taken(f"{scaling.name(workers, size)}/{way}", seconds, wall=seconds / workers)
    ]


def words(picture: Path) -> list[str]:
    """All texts of a picture, which is well-formed XML."""
    root = ET.fromstring(picture.read_bytes())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [text.strip() for text in root.itertext() if text.strip()]


def test_the_least_seconds_are_judged_and_the_medians_told() -> None:
    ours = taken("scan/numbers/bowshot", 1.0, 1.5, 2.0)
    bar = judged(taken("scan/numbers/spark", 1.3, 3.0, 4.5), ours)["scan/numbers, CPU"]
    assert (bar.measured, bar.passed) == ("1.30 × (1.30 s against 1.00 s; medians 2.00 ×)", True)
    assert judged(taken("scan/numbers/spark", 1.29, 9.0), ours)["scan/numbers, CPU"].passed is False
    assert judged(ours)["scan/numbers, CPU"].passed is None


def test_a_bar_of_one_is_met_by_as_much() -> None:
    both = [taken(f"query/Q1/{engine}", 2.0) for engine in ("spark", "bowshot")]
    assert judged(*both)["query/Q1, CPU"].passed is True


@pytest.mark.parametrize(("seconds", "passed"), [(1.0, True), (1.01, False)])
def test_the_drop_in_has_a_bar_of_its_own(seconds: float, passed: bool) -> None:
    ways = {SPARK: 1.3, BOWSHOT: 0.5, DROP_IN: seconds}
    found = judged(*(taken(f"codec/snappy/{way}", each) for way, each in ways.items()))
    assert found["codec/snappy by the drop-in, CPU"].passed is passed
    assert found["codec/snappy, CPU"].passed is True, "Spark against the jar's own format"


@pytest.mark.parametrize(("seconds", "passed"), [(0.95, True), (0.94, False)])
def test_comet_is_compared_on_every_scan_of_parquet(seconds: float, passed: bool) -> None:
    figures = [taken(f"{case.name}/{BOWSHOT}", 1.0) for case in COMET_SCANS]
    against = judged(*figures, *(taken(f"{case.name}/{COMET}", seconds) for case in COMET_SCANS))
    names = [case.name for case in SCANS if case.data.endswith(".parquet") and "query/" not in case.name]
    assert len(names) == 8
    for name in names:
        assert against[f"against Comet: {name}, CPU"].passed is passed
        assert against[f"{name}, CPU"].passed is None, "Spark's own reader of another version was not measured"


@pytest.mark.parametrize(("default", "passed"), [(1.05, True), (1.06, False)])
def test_the_default_size_of_batches_is_near_the_best(default: float, passed: bool) -> None:
    rows = [taken(f"batch/numbers/{name}", default if name == "1 MiB" else 1.0) for name in BATCHES]
    assert judged(*rows)["batches of 1 MiB, CPU"].passed is passed
    assert judged(*rows[:-1])["batches of 1 MiB, CPU"].passed is None, "one size was not measured"


@pytest.mark.parametrize(
    ("case", "what", "untuned", "partitioned"),
    [
        ("postgres/lineitem", "PostgreSQL", 2.2, 1.4),
        ("postgres/lineitem, extension", "PostgreSQL with the extension", 3.0, 2.0),
    ],
)
def test_a_database_is_compared_with_each_of_sparks_ways(
    case: str, what: str, untuned: float, partitioned: float
) -> None:
    def passed(untuned: float, partitioned: float) -> list[bool | None]:
        figures = [
            taken(f"{case}/spark", 1.0, wall=untuned),
            taken(f"{case}/spark, 4 partitions", 1.0, wall=partitioned),
            taken(f"{case}/bowshot", 1.0, wall=1.0),
        ]
        found = judged(*figures)
        return [found[f"{what} against JDBC {way}, wall"].passed for way in ("untuned", "in 4 partitions")]

    assert passed(untuned, partitioned) == [True, True]
    assert passed(untuned - 0.01, partitioned) == [False, True]
    assert passed(untuned, partitioned - 0.01) == [True, False]


def test_a_database_costs_half_of_the_cheaper_way() -> None:
    bar = "PostgreSQL against the cheaper of both, CPU"
    ours, untuned = taken("postgres/lineitem/bowshot", 2.0), taken("postgres/lineitem/spark", 5.0)
    assert judged(ours, untuned, taken("postgres/lineitem/spark, 4 partitions", 4.0))[bar].passed is True
    assert judged(ours, untuned, taken("postgres/lineitem/spark, 4 partitions", 3.9))[bar].passed is False
    assert judged(ours, untuned)[bar].passed is None


def test_a_page_tells_what_failed_what_is_wrong_and_what_did_not_run() -> None:
    failed = Figure(NAME, "csv/lineitem/spark", error="no | answer")
    wrong = Figure(NAME, "codec/none/spark", {"CPU s": 1.0, "wall s": 1.0, "rows": 6, "sum": 22})
    before = taken("csv/lineitem/spark", 1.0)
    figures = [*before, failed, *taken("codec/none/bowshot", 0.5), wrong]
    page = report(result(figures, {"comet/a": "no jar", "comet/b": "no jar"}), PICTURE)
    assert "| csv/lineitem/spark | 0 | failed: no \\| answer |" in page
    assert "**Wrong result:** spark/codec/none/spark returned 6 rows with a sum of 22" in page
    assert "| codec/none/bowshot | 1 | 0.500 | 0.500 | 1.000 | 1.000 | 2.00 | 1.00 |" in page
    assert "| csv/lineitem, CPU | ≥ 4 × | not run | – |" in page
    assert "**Not run:** comet/a; comet/b: no jar" in page
    assert f"]({PICTURE})" in page
    assert "## Scaling" not in page


def test_scaling_is_told_as_curves() -> None:
    figures = on_clusters(0.25, 4)
    assert curves(summarise(figures)) == {
        (1, SPARK): [Point(0.25, 1.0, 1.0), Point(4, 16.0, 16.0)],
        (1, BOWSHOT): [Point(0.25, 0.5, 0.5), Point(4, 8.0, 8.0)],
        (2, SPARK): [Point(0.25, 0.5, 1.0), Point(4, 8.0, 16.0)],
        (2, BOWSHOT): [Point(0.25, 0.25, 0.5), Point(4, 4.0, 8.0)],
    }
    page = report(result(figures), PICTURE)
    assert "| 4 | 16.00, 16.00 | 8.00, 8.00 | 8.00, 16.00 | 4.00, 8.00 |" in page


def test_the_picture_has_all_panels_and_the_ratios_above_bars(tmp_path: Path) -> None:
    seconds = {SPARK: 1.7, COMET: 1.3}
    figures = [taken(f"{case.name}/{way.name}", seconds.get(way.name, 1.0)) for case in CASES for way in case.ways]
    content = result([*(figure for row in figures for figure in row), *on_clusters(0.25, 1, 4)])
    first, second, empty = tmp_path / "first.svg", tmp_path / "second.svg", tmp_path / "empty.svg"
    draw(content, first)
    draw(content, second)
    draw(result([]), empty)
    found = words(first)
    assert first.read_bytes() == second.read_bytes(), "the same figures make the same picture"
    assert {"16 MiB", "int64", "gzip", "100 of 100", "Q6", "with the extension", "GB of 4 × int64"} <= set(found)
    # Spark's own reader: scan, codecs, columns, CSV, queries, and once more by the drop-in.
    assert found.count("1.7×") == 12
    assert found.count("1.3×") == len(COMET_SCANS)
    assert not [text for text in words(empty) if re.fullmatch(r"[\d.]+×", text)], "a run without figures has a picture"
