"""The conformance cases as they are meant for one database, and the databases that the testkit sets up for them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tomllib

FOLDER = Path(__file__).resolve().parents[2] / "conformance"
# What happens in mid-stream is the executor's matter, which Rust runs.
IN_MID_STREAM = {"cancelled", "killed-in-mid-stream"}

Case = dict[str, Any]


def cases_of(database: str) -> list[tuple[str, Case]]:
    """Every case of a database with the name of its suite: its own, and those that every source runs."""
    found = []
    for folder in (database, "every"):
        for path in sorted((FOLDER / folder).glob("*.toml")):
            suite = tomllib.loads(path.read_text("utf-8"))
            found += [(path.stem, chosen(case, database)) for case in suite["case"]]
    return [(suite, case) for suite, case in found if "skip" not in case and case.get("at") not in IN_MID_STREAM]


def setups_of(database: str) -> dict[str, str]:
    """The SQL of each suite that makes what the cases of a database need."""
    found: dict[str, str] = {}
    for folder in (database, "every"):
        for path in sorted((FOLDER / folder).glob("*.toml")):
            suite = tomllib.loads(path.read_text("utf-8"))
            cases = [case for name, case in cases_of(database) if name == path.stem]
            parts = [chosen(suite, database).get("setup", ""), *(case.get("setup", "") for case in cases)]
            found[path.stem] = ";\n".join(part.strip().rstrip(";") for part in parts if part.strip())
    return found


def chosen(case: Case, database: str) -> Case:
    """The case with what it says otherwise of this database; columns, type and error exclude each other."""
    own = case.get("on", {}).get(database, {})
    result = {key: value for key, value in case.items() if key != "on"}
    if {"columns", "type", "error"} & own.keys():
        result = {key: value for key, value in result.items() if key not in ("columns", "type", "values", "error")}
    return {**result, **own}


@contextmanager
def started(testkit: str, database: str) -> Iterator[dict[str, Any]]:
    """A database with every suite set up in it: `version`, the URIs of `suites`, `addresses` that lead nowhere."""
    server = subprocess.Popen(
        [testkit, "conformance", database], cwd=FOLDER.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line, f"{database} did not start: exit code {server.wait(10)}"
    yield json.loads(line)
    server.stdin.close()
    assert server.wait(30) == 0
