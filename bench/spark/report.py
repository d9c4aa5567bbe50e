"""Writes a run's page: the bars, what every way took, the conditions."""

from collections.abc import Mapping
from typing import Any

from bench.gateway.figures import disagreements, from_json
from bench.report import QUIET_CORES, bars_table, machine_line, table
from bench.spark.bars import bars
from bench.spark.case import COMET, SPARK
from bench.spark.curves import scaling_table
from bench.spark.measure import Taken, summarise

HEADER = ["what", "n", "CPU min", "CPU median", "wall min", "wall median", "theirs / this, CPU", "theirs / this, wall"]


def report(result: Mapping[str, Any], picture: str) -> str:
    """Returns a result file's content as a page; `picture` is the name of the file of `picture.draw` beside it."""
    figures = from_json(result["figures"])
    summaries = summarise(figures)
    errors = {figure.row: figure.error for figure in figures if figure.error is not None}
    rows = [_row(row, taken, _theirs(summaries, row)) for row, taken in summaries.items()]
    rows += [[row, "0", f"failed: {error}", *[""] * (len(HEADER) - 3)] for row, error in errors.items()]
    size = result["size"]
    parts = [
        "# Apache Spark: its own readers and Bowshot's",
        f"`{result['command']}`, {result['date']}. {machine_line(result)}",
        *(f"**Wrong result:** {line}" for line in dict.fromkeys(disagreements(figures))),
        *_left_out(result["left out"]),
        *_loud(summaries),
        f"![the figures as bars and curves]({picture})",
        "## Bars",
        bars_table(bars(summaries)),
        "## Figures",
        table(HEADER, rows),
        "Seconds of one read into `noop`, its plan and the schema of its files included. CPU is the JVM's, with all of"
        f" its threads and children: each engine has one JVM, of {result['spark']['memory']}, in which all of its ways"
        f" are measured in turns after {result['warm ups']} reads that do not count. Ratios are of the least seconds;"
        " theirs are those of Spark's own reader, or of Comet.",
        *_scaling(summaries),
        f"Files: {size['numbers']:,} rows of 4 random int64, {size['wide']:,} of 100; lineitem at scale"
        f" {size['scale']:g}, as CSV the first 318 MB of it, in PostgreSQL at scale {size['postgres_scale']:g}."
        f" 0.25 GB of scaling are {size['quarter']:,} rows of 4 random int64.",
        "## Versions",
        ", ".join(f"{name} {number}" for name, number in (result["versions"] | result["spark"]).items()),
    ]
    return "\n\n".join(parts) + "\n"


def _theirs(summaries: Mapping[str, Taken], row: str) -> Taken | None:
    case = row.rpartition("/")[0]
    return summaries.get(f"{case}/{SPARK}") or summaries.get(f"{case}/{COMET}")


def _left_out(left_out: Mapping[str, str]) -> list[str]:
    reasons = dict.fromkeys(left_out.values())
    return [f"**Not run:** {'; '.join(name for name in left_out if left_out[name] == why)}: {why}" for why in reasons]


def _scaling(summaries: Mapping[str, Taken]) -> list[str]:
    curves = scaling_table(summaries)
    if not curves:
        return []
    return [
        "## Scaling",
        curves,
        "Seconds of one read on a standalone cluster on loopback, in which a worker has one core for each engine: wall,"
        " and the CPU of all executors, without the driver. All files are links to one of 0.25 GB.",
    ]


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
