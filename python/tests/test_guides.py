"""The code in docs/guide/, and that of the ADBC driver, runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import bowshot
import psycopg
import pytest

GUIDES = sorted((Path(__file__).parents[2] / "docs" / "guide").glob("*.md"))
# These need libraries that are installed apart from the others: dev/frames_test.sh, dev/spark_test.sh and
# dev/torch_test.sh run them.
OF_FRAMES = ("modin.md", "other-libraries.md", "ray.md")
OF_SPARK = ("spark.md",)
OF_TORCH = ("torch.md",)
# Its code is Java.
OF_JAVA = ("parquet-java.md",)
OF_THE_DRIVER = GUIDES[0].parents[1] / "adbc-driver.md"
DOCUMENTED_URI = "postgresql://user:pw@host/tpch"


@pytest.fixture(scope="module")
def lineitem(postgres: str) -> str:
    """The URI of a database with a small lineitem."""
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "CREATE TABLE lineitem AS SELECT i AS l_orderkey, (i % 50)::numeric(15, 2) AS l_quantity,"
            " (i * 1.07)::numeric(15, 2) AS l_extendedprice, date '1992-01-01' + (i % 2500)::int4 AS l_shipdate,"
            " 'comment ' || i AS l_comment FROM generate_series(1, 5000) i"
        )
    return postgres


def run(guide: Path, lineitem: str, folder: Path | None = None) -> None:
    """Runs the code of one guide; what it writes to `lake/` goes to a folder."""
    blocks = re.findall(r"^```python\n(.*?)^```", guide.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, Any] = {"bowshot": bowshot}
    for block in blocks:
        code = block.replace(DOCUMENTED_URI, lineitem)
        if folder is not None:
            code = code.replace('"lake/', f'"{folder}/lake/')
        exec(compile(code, guide.name, "exec"), names)
    assert len(names["df"]) > 0


@pytest.mark.parametrize(
    "guide",
    [guide for guide in GUIDES if guide.name not in OF_FRAMES + OF_SPARK + OF_TORCH + OF_JAVA],
    ids=lambda path: path.name,
)
def test_the_code_runs(guide: Path, lineitem: str) -> None:
    run(guide, lineitem)


def test_the_code_of_the_driver_runs(
    driver: str, lineitem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bowshot.toml").write_text(f'manifest_version = 1\n[Driver]\nshared = "{driver}"\n')
    monkeypatch.setenv("ADBC_DRIVER_PATH", str(tmp_path))
    run(OF_THE_DRIVER, lineitem)


def test_every_option_is_in_a_guide() -> None:
    import inspect

    text = "".join(guide.read_text() for guide in GUIDES)
    internal = {"batch_bytes", "buffer_bytes"}
    missing = [name for name in inspect.signature(bowshot.read_sql).parameters if f"`{name}" not in text]
    assert set(missing) <= internal, missing
