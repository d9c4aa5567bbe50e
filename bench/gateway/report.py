"""Writes a run's tables in Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench.gateway.figures import Rows, disagreements, from_json, rows
from bench.gateway.network.link import LAN, WAN
from bench.gateway.parts import PARTS
from bench.report import QUIET_CORES, bars_table, machine_line, table

# How many digits behind the point a unit has.
DIGITS = {"s": 2, "MB": 0, "ms": 1, "cores": 2}
# What only serves to compare results.
HIDDEN = ("rows", "sum")


def report(result: Mapping[str, Any]) -> str:
    """Returns a result file's content as a page: the bars, a table a part, the machine and the versions."""
    figures = from_json(result["figures"])
    by_part = {name: rows(figures, name) for name in PARTS}
    judged = [bar for name, part in PARTS.items() for bar in part.bars(by_part[name])]
    parts = [
        f"# The gateway, {result['size']}",
        f"`{result['command']}`, {result['date']}. {machine_line(result)}",
        *(f"**Wrong result:** {line}" for line in dict.fromkeys(disagreements(figures))),
        *_loud(by_part),
        "## Bars",
        bars_table(judged),
    ]
    for name, part in PARTS.items():
        if by_part[name].medians or by_part[name].errors:
            parts += [f"## {part.title}", part_table(by_part[name])]
    parts += [
        "## Conditions",
        f"Links: {LAN.described}; {WAN.described}. TCP's congestion control is {result['congestion control']}. The rate"
        " is Linux' token bucket filter's, delay and losses are a relay's between two TUN devices. Clients run in a"
        " network namespace, servers and relay beside them on the same cores.",
        "Times are seconds of the load alone: imports are left out, connecting is not. CPU is user and system time;"
        " what a database's ended connections took is counted. Medians over the rounds.",
        "## Versions",
        ", ".join(f"{name} {number}" for name, number in result["versions"].items()),
    ]
    return "\n\n".join(parts) + "\n"


def part_table(part: Rows) -> str:
    """Returns a part's rows as a table, a column for each figure, errors last."""
    names = list(dict.fromkeys(name for values in part.medians.values() for name in values if name not in HIDDEN))
    body = [[row, *(_cell(name, values.get(name)) for name in names)] for row, values in part.medians.items()]
    body += [[row, f"failed: {error}", *[""] * (len(names) - 1)] for row, error in part.errors.items()]
    return table(["what", *(names or [""])], body)


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.{DIGITS.get(name.rpartition(' ')[2], 0)}f}"


def _loud(by_part: Mapping[str, Rows]) -> list[str]:
    loud: Sequence[float] = [
        others
        for part in by_part.values()
        for values in part.medians.values()
        if (others := values.get("others cores", 0.0)) > QUIET_CORES
    ]
    if not loud:
        return []
    return [
        f"**Not a quiet machine:** during {len(loud)} loads other processes took more than {QUIET_CORES} of a core (up"
        f" to {max(loud):.2f}; behind a link its relay is one). Trust ratios and CPU seconds, not the wall times."
    ]
