"""Compiles the floors that are C programs."""

import subprocess
from pathlib import Path

from bench.paths import cache_folder


def compiled(name: str, *libraries: str) -> Path:
    """Returns the program `name`, built where it is missing or older than its source.

    Raises `RuntimeError` where it cannot be compiled: it needs a C compiler and its libraries.
    """
    source = Path(__file__).with_name(f"{name}.c")
    program = cache_folder("bench") / name
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        command = ["cc", "-O2", "-Wall", "-Wextra", "-o", str(program), str(source), *libraries]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(
                f"the floor {name} does not compile; on Debian: apt-get install gcc libc6-dev libsqlite3-0\n"
                f"{done.stderr}"
            )
    return program
