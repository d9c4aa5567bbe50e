"""How far a read has come."""

from __future__ import annotations

from pathlib import Path

import bowshot
import pytest


def test_a_callable_is_told_the_end(shop: Path) -> None:
    told: list[bowshot.Progress] = []
    bowshot.read_sql("SELECT * FROM items", shop, progress=told.append)
    assert told[-1].rows == 100
    assert told[-1].bytes > 0
    assert told[-1].partitions_done == told[-1].partitions >= 1
    assert "100 rows" in repr(told[-1])


def test_an_error_in_the_callable_ends_the_read(shop: Path) -> None:
    def fail(_: bowshot.Progress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        bowshot.read_sql("SELECT * FROM items", shop, progress=fail)


def test_a_bar_where_there_is_no_terminal_is_silent(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert len(bowshot.read_sql("SELECT * FROM items", shop, progress=True)) == 100
    assert len(bowshot.read_sql("SELECT * FROM items", shop, progress="always")) == 100
    assert capfd.readouterr().out == ""
