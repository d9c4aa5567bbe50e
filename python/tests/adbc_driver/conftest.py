"""The driver as the build leaves it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def driver() -> str:
    """The library's path: that of `make build`, else the build cache's, built if it is not there yet."""
    installed = ROOT / ".venv/lib/bowshot/libadbc_driver_bowshot.so"
    if installed.exists():
        return str(installed)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    target = Path(os.environ.get("CARGO_TARGET_DIR", cache / "bowshot" / "target"))
    build = ["cargo", "build", "--quiet", "-p", "bowshot-adbc-driver"]
    subprocess.run(build, cwd=ROOT, env={**os.environ, "CARGO_TARGET_DIR": str(target)}, check=True)
    return str(target / "debug" / "libadbc_driver_bowshot.so")
