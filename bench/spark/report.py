"""Writes a run's page: the bars, what every way took, the conditions."""

from collections.abc import Mapping
from typing import Any

from bench.gateway.figures import disagreements, from_json
from bench.report import QUIET_CORES, bars_table, machine_line, table
from bench.spark.bars import bars
from bench.spark.cases import SPARK
from bench.spark.measure import Taken, summarise

HEADER = ["what", "n", "CPU min", "CPU median", "wall min", "wall median", "Spark's CPU / this", "Spark's wall / this"]


def report(result: Mapping[str, Any]) -> str:
    """Returns a result file's content as a page."""
    figures = from_json(result["figures"])
    summaries = summarise(figures)
    errors = {figure.row: figure.error for figure in figures if figure.error is not None}
    rows = [_row(row, taken, summaries.get(f"{row.rpartition('/')[0]}/{SPARK}")) for row, taken in summaries.items()]
    rows += [[row, "0", f"failed: {error}", *[""] * (len(HEADER) - 3)] for row, error in errors.items()]
    size = result["size"]
    parts = [
        "# Apache Spark: its own readers and Bowshot's",
        f"`{result['command']}`, {result['date']}. {machine_line(result)}",
        *(f"**Wrong result:** {line}" for line in dict.fromkeys(disagreements(figures))),
        *_loud(summaries),
        "## Bars",
        bars_table(bars(summaries)),
        "## Figures",
        table(HEADER, rows),
        "Seconds of one read into `noop`, its plan and the schema of its files included. CPU is the JVM's, with all of"
        f" its threads and children: each engine has one JVM, of {result['spark']['memory']}, in which all of its ways"
        f" are measured in turns after {result['warm ups']} reads that do not count. Ratios are of the least seconds.",
        f"Files: {size['numbers']:,} rows of 4 random int64, {size['wide']:,} of 100; lineitem at scale"
        f" {size['scale']:g}, as CSV the first 318 MB of it, in PostgreSQL at scale {size['postgres_scale']:g}.",
        "## Versions",
        ", ".join(f"{name} {number}" for name, number in (result["versions"] | result["spark"]).items()),
    ]
    return "\n\n".join(parts) + "\n"


def _row(row: str, taken: Taken, theirs: Taken | None) -> list[str]:
    seconds = [part[unit] for unit in ("CPU s", "wall s") for part in (taken.least, taken.medians)]
    ratios = [
        f"{theirs.least[unit] / taken.least[unit]:.2f}" if theirs and theirs is not taken and taken.least[unit] else ""
        for unit in ("CPU s", "wall s")
    ]
    # Reads of a hundred milliseconds are measured several at a time.
    return [row, str(taken.rounds), *(f"{value:.3f}" for value in seconds), *ratios]


def _loud(summaries: Mapping[str, Taken]) -> list[str]:
    loud = [taken.others for taken in summaries.values() if taken.others > QUIET_CORES]
    if not loud:
        return []
    return [
        f"**Not a quiet machine:** during {len(loud)} of {len(summaries)} ways other processes took more than"
        f" {QUIET_CORES} of a core (up to {max(loud):.2f}). Trust ratios and CPU seconds, not the wall times."
    ]
