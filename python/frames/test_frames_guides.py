"""The code in the guides of the libraries that are installed here alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_guides import GUIDES, OF_FRAMES, lineitem, run

__all__ = ["lineitem"]


@pytest.mark.parametrize("guide", [path for path in GUIDES if path.name in OF_FRAMES], ids=lambda path: path.name)
def test_the_code_runs_here(guide: Path, lineitem: str) -> None:
    run(guide, lineitem)
