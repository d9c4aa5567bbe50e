"""SQLite's floor: a C loop that steps and reads every column."""

import subprocess
from pathlib import Path

from bench.paths import cache_folder
from bench.result import Discarded


def step(file: str, sql: str) -> Discarded:
    """Runs the C loop over a query; raises `CalledProcessError` where SQLite reports an error."""
    subprocess.run([compiled(), file, sql], stdout=subprocess.DEVNULL, check=True)
    return Discarded()


def compiled() -> Path:
    """Returns the compiled loop, built where it is missing or older than its source.

    Raises `RuntimeError` where it cannot be compiled: it needs a C compiler and SQLite's library.
    """
    source = Path(__file__).with_name("sqlite_step.c")
    program = cache_folder("bench") / "sqlite_step"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        command = ["cc", "-O2", "-Wall", "-Wextra", "-o", str(program), str(source), "-l:libsqlite3.so.0"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(
                f"SQLite's floor does not compile; on Debian: apt-get install gcc libc6-dev libsqlite3-0\n{done.stderr}"
            )
    return program
