"""Frames are the same in the pandas that is installed here and in that of .venv, cell by cell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from frames.every_case import CASES, both

ROOT = Path(__file__).parents[2]


def test_both_series_of_pandas_make_the_same_frames(testkit: str) -> None:
    other = Path(os.environ.get("VENV", ROOT / ".venv")) / "bin" / "python"
    with both(testkit) as databases:
        told = [
            subprocess.run(
                [python, "-m", "frames.pandas_cells"],
                cwd=ROOT / "python",
                input=json.dumps(databases),
                capture_output=True,
                text=True,
                timeout=120,
                check=True,
            ).stdout
            for python in (sys.executable, str(other))
        ]
    here, there = map(json.loads, told)
    assert here["pandas"].split(".")[0] == "2"
    assert there["pandas"].split(".")[0] == "3"
    assert len(here["frames"]) == 3 * len(CASES)
    assert here["frames"] == there["frames"]
