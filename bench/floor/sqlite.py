"""SQLite's floor: a C loop that steps and reads every column."""

import subprocess

from bench.floor.compile import compiled
from bench.result import Discarded


def step(file: str, sql: str) -> Discarded:
    """Runs the C loop over a query; raises `CalledProcessError` where SQLite reports an error."""
    subprocess.run([compiled("sqlite_step", "-l:libsqlite3.so.0"), file, sql], stdout=subprocess.DEVNULL, check=True)
    return Discarded()
