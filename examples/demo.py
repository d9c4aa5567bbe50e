"""The demo: TPC-H's `lineitem` from SQLite into pandas, Arrow and Polars, and what pandas.read_sql does beside it.

python -m examples.demo --scale 0.1

Every read runs in a process of its own, so that its peak memory is its own too.
"""

import argparse
import importlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bench.tpch import sqlite_database

SQL = "SELECT * FROM lineitem"
READERS = {
    "pandas": "bowshot.read_sql(sql, uri)",
    "arrow": 'bowshot.read_sql(sql, uri, return_type="arrow")',
    "polars": 'bowshot.read_sql(sql, uri, return_type="polars")',
    "pandas.read_sql": "pandas.read_sql(sql, sqlite3.connect(file))",
}
# What a return type is made of; imported before the clock starts.
LIBRARIES = {"pandas": "pandas", "arrow": "pyarrow", "polars": "polars"}
BAR = 24


class Outcome(NamedTuple):
    """What one reader reports."""

    kind: str
    rows: int
    seconds: float
    # Bytes: the most that the process held during the read, beyond what it held before.
    peak: int
    head: str


def main() -> None:
    """Makes the database, runs every reader and prints what they report."""
    parser = argparse.ArgumentParser(description="TPC-H's lineitem from SQLite into dataframes")
    parser.add_argument("--scale", type=float, default=0.1, help="scale factor; 1 is 6,001,215 rows (default: 0.1)")
    parser.add_argument("--without-pandas", action="store_true", help="skip pandas.read_sql, which takes longest")
    parser.add_argument("--read", choices=READERS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        print(json.dumps(read(arguments.read, arguments.file)))
        return

    print(strong(f"Bowshot: TPC-H lineitem at scale factor {arguments.scale:g}, from SQLite\n"))
    file = sqlite_database(arguments.scale)
    print(f"  file   {shorten(file)} ({megabytes(file.stat().st_size)})\n  query  {SQL}\n")
    warm(file)
    outcomes = {}
    for name, call in READERS.items():
        if name == "pandas.read_sql" and arguments.without_pandas:
            continue
        print(f"{strong(call)}", flush=True)
        outcomes[name] = outcome = measure(name, file)
        if name == "pandas.read_sql":
            print(f"  {outcome.kind}, {outcome.rows:,} rows in {outcome.seconds:.2f} s\n")
        else:
            print(f"  {outcome.kind}, {outcome.rows:,} rows in {outcome.seconds:.2f} s\n\n{indent(outcome.head)}\n")
    print(table(outcomes))


def measure(name: str, file: Path) -> Outcome:
    """Runs one reader in a process of its own."""
    command = [sys.executable, "-m", "examples.demo", "--read", name, "--file", str(file)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return Outcome(*json.loads(printed))


def read(name: str, file: Path) -> Outcome:
    """Reads the table once, in this process. Imports come first: they are not what is measured."""
    load = loader(name, file)
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5")  # the peak starts anew: what imports needed for a moment is not the read's
    before = memory("VmRSS")
    start = time.perf_counter()
    frame = load()
    seconds = time.perf_counter() - start
    peak = memory("VmHWM") - before
    kind = f"{type(frame).__module__.split('.')[0]}.{type(frame).__name__}"
    return Outcome(kind, len(frame), seconds, peak, head(frame))


def loader(name: str, file: Path) -> Callable[[], Any]:
    """The call that reads the table, with what it needs imported."""
    uri = f"sqlite:///{file}"
    if name == "pandas.read_sql":
        import pandas

        return lambda: pandas.read_sql(SQL, sqlite3.connect(file))
    import bowshot

    importlib.import_module(LIBRARIES[name])
    read_sql: Callable[..., Any] = bowshot.read_sql
    return lambda: read_sql(SQL, uri, return_type=name)


def head(frame: Any) -> str:
    """The first rows of a few columns, as the library itself prints them."""
    columns = ["l_orderkey", "l_quantity", "l_extendedprice", "l_returnflag", "l_shipdate", "l_shipmode"]
    if type(frame).__module__.startswith("pyarrow"):  # prints columns, not rows
        few = frame.select(columns).slice(0, 3)
        return "\n".join(f"{column:16} {few[column].type!s:16} {few[column].to_pylist()}" for column in columns)
    return str(frame[columns].head(3))


def memory(what: str) -> int:
    """Bytes of this process's memory now (VmRSS) or at its peak (VmHWM); 0 where there is no /proc."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{what}:")), 0)


def warm(file: Path) -> None:
    """Reads the file once: the disk is not what is measured."""
    with file.open("rb") as stream:
        while stream.read(1 << 20):
            pass


def table(outcomes: dict[str, Outcome]) -> str:
    """The readers side by side."""
    lines = [strong(f"{'':24}{'seconds':>9}{'rows a second':>15}{'peak memory':>13}")]
    fastest = max(outcome.rows / outcome.seconds for outcome in outcomes.values())
    for name, outcome in outcomes.items():
        label = name if name == "pandas.read_sql" else f"bowshot -> {outcome.kind.split('.')[0]}"
        speed = outcome.rows / outcome.seconds
        bar = "█" * max(1, round(BAR * speed / fastest))
        lines.append(f"{label:24}{outcome.seconds:9.2f}{speed:15,.0f}{megabytes(outcome.peak):>13}  {bar}")
    if "pandas.read_sql" in outcomes:
        ratio = outcomes["pandas.read_sql"].seconds / outcomes["pandas"].seconds
        memory_ratio = outcomes["pandas.read_sql"].peak / max(1, outcomes["pandas"].peak)
        lines.append(
            f"\npandas.read_sql takes {ratio:.1f} x the time and {memory_ratio:.1f} x the memory for its dataframe."
        )
    return "\n".join(lines)


def strong(text: str) -> str:
    """Bold, where that can be seen."""
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def indent(text: str) -> str:
    """Two spaces before every line."""
    return "\n".join(f"  {line}" for line in text.splitlines())


def megabytes(count: int) -> str:
    """A number of bytes for people.

    >>> megabytes(94_500_000)
    '94 MB'
    """
    return f"{count / 1e6:,.0f} MB"


def shorten(path: Path) -> str:
    """A path with ~ for the home folder."""
    return f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)


if __name__ == "__main__":
    main()
