"""Draws a run as one picture: bars of seconds with the ratio above, and curves of scaling.

The panels are those of "Arrow-Spark" (figures 2 to 6): sizes of batches, sizes of data, CSV, codecs and columns; then
Comet and PostgreSQL.

    python -m bench.spark.picture bench/results/2026-11-27-spark-amd-epyc.json
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from bench.gateway.figures import from_json
from bench.spark.case import BOWSHOT, COMET, DROP_IN, SPARK
from bench.spark.cases import BATCH_SIZES, BATCHES, DATABASE, DATABASE_EXTENSION, JDBC_PARTITIONED
from bench.spark.curves import curves
from bench.spark.measure import Taken, summarise

COLORS = {
    SPARK: "#9a9a9a",
    JDBC_PARTITIONED: "#cfcfcf",
    COMET: "#e08a2e",
    DROP_IN: "#8ebbe0",
    BOWSHOT: "#1f6fb4",
}
# Letters stay letters, in the reader's own font, and the same figures make the same file.
STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "bowshot", "font.family": "sans-serif", "font.size": 8}
WIDTH, HEIGHT = 11, 8.5

Summaries = Mapping[str, Taken]
# A label below bars, and the case that they show.
Labels = Mapping[str, str]

CODECS = {codec: f"codec/{codec}" for codec in ("none", "snappy", "gzip", "zstd")}
COLUMNS = {f"{number} of 100": f"columns/{number} of 100" for number in (1, 10, 100)}
QUERIES = {"CSV": "csv/lineitem", "Q1": "query/Q1", "Q6": "query/Q6"}
COMETS = {"int64": "comet/scan/numbers"} | {codec: f"comet/{case}" for codec, case in CODECS.items()}
COMET_COLUMNS = {label: f"comet/{case}" for label, case in COLUMNS.items()}
TABLES = {"plain server": DATABASE.name, "with the extension": DATABASE_EXTENSION.name}


def draw(result: Mapping[str, Any], file: Path) -> None:
    """Draws a result file's content into an SVG file."""
    summaries = summarise(from_json(result["figures"]))
    theirs, comets = (SPARK, DROP_IN, BOWSHOT), (COMET, BOWSHOT)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        axes = figure.subplots(3, 3).flat
        _batches(next(axes), summaries)
        _bars(next(axes), "Parquet, 4 × int64, and lineitem", summaries, {"int64": "scan/numbers"} | CODECS, theirs)
        _bars(next(axes), "columns of 100, a logarithmic scale", summaries, COLUMNS, theirs, log=True)
        _bars(next(axes), "CSV, and queries on Parquet", summaries, QUERIES, theirs)
        _bars(next(axes), "Comet on Spark 4.1: Parquet", summaries, COMETS, comets)
        _bars(next(axes), "Comet: columns of 100, logarithmic", summaries, COMET_COLUMNS, comets, log=True)
        database = (SPARK, JDBC_PARTITIONED, BOWSHOT)
        _bars(next(axes), "PostgreSQL, lineitem", summaries, TABLES, database, unit="wall s")
        _scaling(next(axes), summaries)
        _legend(next(axes), result)
        figure.savefig(file, format="svg", metadata={"Date": None})


def _bars(
    axes: Axes,
    title: str,
    summaries: Summaries,
    labels: Labels,
    ways: Sequence[str],
    unit: str = "CPU s",
    log: bool = False,
) -> None:
    """Draws the least seconds of each way, and above Bowshot's how many times the best other way takes."""
    _titled(axes, title, unit)
    if log:
        axes.set_yscale("log")
    axes.set_xticks(range(len(labels)), list(labels))
    for place, case in enumerate(labels.values()):
        found = {way: taken.least[unit] for way in ways if (taken := summaries.get(f"{case}/{way}")) is not None}
        width = 0.8 / max(len(found), 1)
        best = min((seconds for way, seconds in found.items() if way not in (BOWSHOT, DROP_IN)), default=None)
        for number, (way, seconds) in enumerate(found.items()):
            bar = axes.bar(place + width * (number - (len(found) - 1) / 2), seconds, width * 0.92, color=COLORS[way])
            if way in (BOWSHOT, DROP_IN) and best and seconds:
                axes.bar_label(bar, [f"{best / seconds:.2g}×"], padding=1, fontsize=6)
    axes.margins(y=0.12)


def _batches(axes: Axes, summaries: Summaries) -> None:
    _titled(axes, "sizes of batches, 4 × int64", "CPU s")
    found = {label: taken for label in BATCHES if (taken := summaries.get(f"{BATCH_SIZES.name}/{label}")) is not None}
    axes.set_xticks(range(len(BATCHES)), list(BATCHES))
    axes.bar([list(BATCHES).index(label) for label in found], [taken.least["CPU s"] for taken in found.values()], 0.6)
    for bar in axes.patches:
        bar.set_color(COLORS[BOWSHOT])


def _scaling(axes: Axes, summaries: Summaries) -> None:
    _titled(axes, "a cluster of 1 (—) and 2 workers (- -)", "wall s")
    for (workers, way), points in curves(summaries).items():
        sizes, walls = [point.gigabytes for point in points], [point.wall for point in points]
        axes.plot(sizes, walls, "-" if workers == 1 else "--", marker="o", markersize=3, color=COLORS[way])
    axes.set_xlabel("GB of 4 × int64")
    axes.set_ylim(bottom=0)


def _legend(axes: Axes, result: Mapping[str, Any]) -> None:
    axes.set_axis_off()
    patches = [Patch(color=color, label=way) for way, color in COLORS.items()]
    axes.legend(handles=patches, loc="upper left", frameon=False)
    words = (
        "The least of all rounds; less is better.\nAbove: how many times the best other way takes.\n"
        f"{str(result['date'])[:10]}, {result['machine']['cpu']}"
    )
    axes.text(0.02, 0.05, words, transform=axes.transAxes)


def _titled(axes: Axes, title: str, unit: str) -> None:
    axes.set_title(title, loc="left", fontsize=9)
    axes.set_ylabel("CPU seconds" if unit == "CPU s" else "wall seconds")
    axes.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Draws the result file that the command line names, beside it."""
    file = Path(sys.argv[1])
    draw(json.loads(file.read_text()), file.with_suffix(".svg"))


if __name__ == "__main__":
    main()
