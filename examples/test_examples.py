"""Every example runs, on every database, and prints what it promises."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
EXPECTED = {
    "to_pandas.py": r"l_orderkey +int64[\s\S]*0 +1 ",
    "to_polars.py": r"shape: \(6_005, 16\)",
    "arrow_stream.py": r"^6005 rows$",
    "progress.py": r"\n6,005 rows in the dataframe$",
    "parameters.py": r"^(\d+) rows by position\n\1 rows by name$",
}


def run(*arguments: str, environment: dict[str, str] | None = None) -> str:
    """Runs Python in the project's folder and returns what it prints."""
    process = subprocess.run(
        [sys.executable, *arguments],
        cwd=FOLDER.parent,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout.strip()


def test_every_example_has_an_expectation() -> None:
    programs = {path.name for path in FOLDER.glob("*.py")} - {"conftest.py", "demo.py"}
    assert {name for name in programs if not name.startswith("test_")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_example(name: str, uri: str) -> None:
    printed = run(f"examples/{name}", uri)
    assert re.search(EXPECTED[name], printed), printed


def test_streams_need_no_pyarrow(uri: str, tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ImportError('pyarrow is not here')")
    printed = run("examples/arrow_stream.py", uri, environment={"PYTHONPATH": str(tmp_path)})
    assert printed == "6005 rows"


def test_demo(tmp_path: Path) -> None:
    printed = run("-m", "examples.demo", "--scale", "0.001", environment={"XDG_CACHE_HOME": str(tmp_path)})
    for part in (
        "pandas.DataFrame, 6,005 rows",
        "pyarrow.Table, 6,005 rows",
        "polars.DataFrame, 6,005 rows",
        "x the time",
    ):
        assert part in printed
