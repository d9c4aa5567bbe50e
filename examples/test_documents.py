"""The code and the commands in README.md and the other documents work as they stand there."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from dev.types_table import replace, tables

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
# The documents' database; the tests put their own in its place.
DOCUMENTED_URI = "postgresql://user:pw@host/tpch"


def blocks(path: Path, language: str) -> list[str]:
    """The fenced code of one language in a document."""
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(blocks(ROOT / "README.md", "python"))))
def test_readme_code(number: int, postgres_uri: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = blocks(ROOT / "README.md", "python")[number]
    assert DOCUMENTED_URI in code
    names: dict[str, object] = {}
    exec(compile(code.replace(DOCUMENTED_URI, postgres_uri), f"README.md block {number + 1}", "exec"), names)
    if "plan" in names:
        assert "partition" in capsys.readouterr().out


def test_readme_types(postgres_uri: str) -> None:
    text = (ROOT / "README.md").read_text()
    current = replace(text, tables(postgres_uri))
    if os.environ.get("BOWSHOT_UPDATE"):
        (ROOT / "README.md").write_text(current)
    else:
        assert text == current, "the tables are old: BOWSHOT_UPDATE=1 dev/docs_test.sh -k types writes them"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands(path: Path) -> None:
    lines = [line.split("#")[0].strip() for block in blocks(path, "bash") for line in block.splitlines()]
    commands = [line for line in lines if line]
    assert commands
    for command in commands:
        if command.startswith("make"):
            subprocess.run(["make", "-n", *command.split()[1:]], cwd=ROOT, check=True, capture_output=True)
        else:
            assert (ROOT / command.split()[0]).exists(), f"{path.name} names {command}"
