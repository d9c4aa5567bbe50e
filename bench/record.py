"""What a run leaves behind: its figures as JSON, with how they came about, and a page beside them."""

import datetime
import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.machine import cpu_slug, machine, versions

RESULTS = Path(__file__).with_name("results")


def record(module: str, repeat: int, **content: Any) -> dict[str, Any]:
    """Returns what a result file holds: date, command, machine, versions, then the run's own content."""
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": shlex.join(["python", "-m", module, *sys.argv[1:]]),
        "repeat": repeat,
        "machine": machine(),
        "versions": versions(),
        **content,
    }


def stem(result: Mapping[str, Any], kind: str = "") -> str:
    """Returns the name of a result's files without their endings: its day, the kind of run and the CPU."""
    return "-".join(filter(None, (str(result["date"])[:10], kind, cpu_slug())))


def write(result: Mapping[str, Any], page: str, kind: str = "", folder: Path = RESULTS) -> Path:
    """Writes a result as JSON and its page beside it, named as `stem` says; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{stem(result, kind)}.json"
    file.write_text(json.dumps(result, indent=1) + "\n")
    written = file.with_suffix(".md")
    written.write_text(page)
    return written
