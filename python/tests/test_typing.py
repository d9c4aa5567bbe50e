"""The package is typed: mypy in strict mode accepts what is right and refuses what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CONFIG = HERE.parents[1] / "mypy.ini"

WRONG = """
import bowshot
bowshot.read_sql("SELECT 1", "shop.db", chunk_size=3)
bowshot.read_sql("SELECT 1", "shop.db", return_type="arrow", index_col="n")
n: int = bowshot.read_sql("SELECT 1", "shop.db")
bowshot.query("SELECT 1", "shop.db").to_pandas(coerce_float="yes")
bowshot.aread_sql("SELECT 1", "shop.db", chunk_size=3)
bowshot.aread_sql("SELECT 1", "shop.db", return_type="arrow_stream")
m: bowshot.Table = bowshot.aread_sql("SELECT 1", "shop.db")
"""


def mypy(*arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(CONFIG), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=CONFIG.parent)
    return run.returncode, run.stdout


def test_the_sample_passes() -> None:
    code, output = mypy(str(HERE / "typed_sample.py"))
    assert code == 0, output


@pytest.mark.parametrize("line", WRONG.strip().splitlines()[1:])
def test_mistakes_are_seen(tmp_path: Path, line: str) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(f"import bowshot\n{line}\n")
    code, output = mypy(str(wrong))
    assert code == 1, output
    assert "error" in output
