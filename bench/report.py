"""Writes a run's tables in Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench.bars import Bar, bars
from bench.cases import MYSQL_FLOOR, POSTGRES_FLOOR_1, POSTGRES_FLOOR_2, SQLITE_FLOOR
from bench.summary import MEGABYTE, Summary, disagreements, from_json, summarise

SHORT_FLOORS = {POSTGRES_FLOOR_1: "F(1)", POSTGRES_FLOOR_2: "F(2)", MYSQL_FLOOR: "packets", SQLITE_FLOOR: "C loop"}
# More than this much work of others on the machine spoils absolute times.
QUIET_CORES = 0.15


def report(result: Mapping[str, Any]) -> str:
    """Returns a result file's content as a page: the bars, a table a workload, the machine and the versions."""
    measurements = from_json(result["measurements"])
    summaries = summarise(measurements)
    parts = [
        f"# Bowshot beside its peers, TPC-H lineitem at scale {result['scale']:g}",
        f"`{result['command']}`, {result['date']}. {machine_line(result)}",
        *_warnings(summaries, disagreements(measurements)),
        "## Bars",
        bars_table(bars(summaries)),
        *_workloads(summaries),
        "## Versions",
        ", ".join(f"{name} {number}" for name, number in result["versions"].items()),
        "Times are seconds of the load alone: imports are left out, connecting is not. `× F` is the ratio to the floor"
        " that ran beside it. Peak is the peak of resident memory; above start / result compares its growth with the"
        " size of the result.",
    ]
    return "\n\n".join(parts) + "\n"


def machine_line(result: Mapping[str, Any]) -> str:
    """Returns a sentence about the machine of a result file."""
    machine = result["machine"]
    kept = ", free memory kept from its host" if result.get("kept") else ""
    control = f", {result['loopback']} on loopback" if "loopback" in result else ""
    return f"{machine['cpu']}, {machine['cores']} cores, {machine['memory']}{kept}, {machine['kernel']}{control}."


def bars_table(judged: Sequence[Bar]) -> str:
    """Returns the bars as a table."""
    words = {True: "pass", False: "**miss**", None: "–"}
    rows = [[bar.what, bar.limit, bar.measured, words[bar.passed]] for bar in judged]
    return table(["what", "bar", "measured", ""], rows)


def workload_table(summaries: Sequence[Summary]) -> str:
    """Returns the cases of one workload as a table, the fastest first, those that failed last."""
    floors = list(dict.fromkeys(floor for summary in summaries for floor in summary.ratios))
    header = ["case", "n", "wall min", "wall median", *(f"× {SHORT_FLOORS[floor]}" for floor in floors)]
    header += [
        "client CPU",
        "server CPU",
        "client / server",
        "peak MB",
        "result MB",
        "above start / result",
        "other cores",
    ]
    ordered = sorted(summaries, key=lambda summary: (summary.error is not None, summary.wall))
    return table(header, [_row(summary, floors) for summary in ordered])


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a Markdown table; cells are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _row(summary: Summary, floors: Sequence[str]) -> list[str]:
    who = summary.case.rpartition("/")[2]
    if summary.error is not None:
        return [who, str(summary.rounds), f"failed: {summary.error}", *[""] * (8 + len(floors))]
    size = summary.size
    return [
        who,
        str(summary.rounds),
        f"{summary.wall_min:.2f}",
        f"{summary.wall:.2f}",
        *(f"{summary.ratios[floor]:.2f}" if floor in summary.ratios else "" for floor in floors),
        f"{summary.client_cpu:.2f}",
        f"{summary.server_cpu:.2f}" if summary.server_cpu else "",
        f"{summary.cpu_ratio:.0%}" if summary.cpu_ratio else "",
        f"{summary.rss_peak / MEGABYTE:.0f}" if size else "",
        f"{size / MEGABYTE:.0f}" if size else "",
        f"{summary.growth / size:.2f}" if size else "",
        f"{summary.other_cores:.2f}",
    ]


def _workloads(summaries: Mapping[str, Summary]) -> list[str]:
    workloads = dict.fromkeys(name.rpartition("/")[0] for name in summaries)
    parts = []
    for workload in sorted(workloads):
        chosen = [summary for name, summary in summaries.items() if name.rpartition("/")[0] == workload]
        parts += [f"## {workload}", workload_table(chosen)]
    return parts


def _warnings(summaries: Mapping[str, Summary], wrong: Sequence[str]) -> list[str]:
    lines = [f"**Wrong result:** {line}" for line in dict.fromkeys(wrong)]
    loud = [summary.other_cores for summary in summaries.values() if summary.other_cores > QUIET_CORES]
    if loud:
        lines.append(
            f"**Not a quiet machine:** during {len(loud)} of {len(summaries)} cases other processes took more than"
            f" {QUIET_CORES} of a core (up to {max(loud):.2f}). Trust ratios and CPU seconds, not the wall times."
        )
    return lines
