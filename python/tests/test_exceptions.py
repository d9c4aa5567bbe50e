"""Errors have a class, a kind, and what is known."""

from __future__ import annotations

import builtins
import pickle
from pathlib import Path

import bowshot
import pytest
from bowshot import exceptions


def test_a_mistake_in_sql(shop: Path) -> None:
    with pytest.raises(bowshot.SqlError, match="itemz") as caught:
        bowshot.read_sql("SELECT * FROM itemz", shop)
    assert caught.value.kind == "sql"
    assert not caught.value.is_temporary


@pytest.mark.parametrize("error", exceptions._CLASSES.values())
def test_every_class_survives_pickling(error: type[bowshot.Error]) -> None:
    before = error("what happened", column="a", sqlstate="22012", position=3, hint="do this", is_temporary=True)
    after = pickle.loads(pickle.dumps(before))
    assert type(after) is error
    assert str(after) == "what happened"
    assert vars(after) == vars(before)
    assert getattr(bowshot, error.__name__) is error


def test_the_built_in_classes_catch_them() -> None:
    assert issubclass(bowshot.ConfigError, ValueError)
    assert issubclass(bowshot.ConnectError, ConnectionError)
    assert issubclass(bowshot.TimeoutError, builtins.TimeoutError)
    assert issubclass(bowshot.UnsupportedError, NotImplementedError)
    assert issubclass(bowshot.ConnectionLostError, bowshot.ConnectError)


def test_nobody_listens() -> None:
    with pytest.raises(bowshot.ConnectError) as caught:
        bowshot.read_sql("SELECT 1", "postgresql://me:secret@127.0.0.1:1/none")
    assert caught.value.is_temporary
    assert "secret" not in f"{caught.value!r}{vars(caught.value)}"
