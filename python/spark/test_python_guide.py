"""The code in the guide for Spark users."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.test_guides import GUIDES, OF_SPARK, lineitem, run

__all__ = ["lineitem"]


@pytest.mark.usefixtures("spark")
def test_the_code_runs_here(lineitem: str, tmp_path: Path) -> None:
    (guide,) = [path for path in GUIDES if path.name in OF_SPARK]
    run(guide, lineitem, tmp_path)
    assert SparkSession.getActiveSession() is not None
