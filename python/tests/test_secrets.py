"""No password of an address comes out of the library, whatever is wrong with the address."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bowshot
import pytest
from bowshot._arguments import target
from tests.malformed_addresses import MARK, addresses

ADDRESSES = addresses()


def told(error: BaseException | None) -> Iterator[str]:
    """Everything that an exception and those underneath say."""
    while error is not None:
        yield from (str(error), repr(error), repr(error.args), repr(vars(error)))
        yield from (str(note) for note in getattr(error, "__notes__", ()))
        yield "".join(traceback.format_exception_only(error))
        error = error.__cause__ or error.__context__


def outcome(call: Callable[[], Any]) -> str:
    """What comes out of a call: the exception, or what the value says of itself."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = call()
            said = [repr(value), str(value), str(getattr(value, "reason", ""))]
        except Exception as error:
            said = list(told(error))
    return "\n".join([*said, *(str(warning.message) for warning in caught)])


def test_there_are_enough() -> None:
    assert len(ADDRESSES) >= 200
    assert all(MARK in address for address in ADDRESSES)


def test_no_password_comes_out(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    leaks = []
    for address in ADDRESSES:
        for call in (
            lambda address=address: bowshot.plan("SELECT 1 AS a", address),
            lambda address=address: bowshot.plan(address, "SELECT 1 AS a"),
        ):
            said = outcome(call)
            if MARK in said:
                leaks.append((address, said))
    out, err = capfd.readouterr()
    assert not leaks, "\n".join(f"{address}\n    {said[:300]}" for address, said in leaks)
    assert MARK not in out + err


def test_nor_by_the_other_functions() -> None:
    for address in ADDRESSES[::9]:
        for call in (
            lambda address=address: bowshot.read_sql("SELECT 1 AS a", address),
            lambda address=address: bowshot.read_sql(address, "SELECT 1 AS a", return_type="arrow"),
            lambda address=address: bowshot.query("SELECT 1 AS a", address),
            lambda address=address: target("SELECT 1 AS a", address),
            lambda address=address: bowshot.read_sql(address, "postgresql://ann@127.0.0.1:1/db"),
        ):
            said = outcome(call)
            assert MARK not in said, (address, said)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (f"mysql://u:12#{MARK}@127.0.0.1:1/t", "127.0.0.1:1"),
        (f"mysql://u:{MARK}#a@127.0.0.1:1/t", "127.0.0.1:1"),
        (f"mysql://u:12/{MARK}@127.0.0.1:1/t", "%2F"),
        (f"oracle://u:12?{MARK}@127.0.0.1:1/t", "%3F"),
        (f"jdbc:mysql://127.0.0.1/t?password={MARK}", "JDBC"),
        (f"Server=127.0.0.1;PWD={MARK}", "odbc:"),
        (f"'mysql://u:{MARK}@127.0.0.1:1/t'", "quotes"),
        (f"mysql:u:{MARK}@127.0.0.1/t", "two slashes"),
        (f"snowflake://u:{MARK}@127.0.0.1/t", "snowflake://"),
        (f"u:{MARK}@127.0.0.1/t", "scheme"),
    ],
)
def test_errors_name_the_way_out(address: str, words: str) -> None:
    assert words in outcome(lambda: bowshot.plan("SELECT 1 AS a", address))


def test_two_addresses_are_no_query() -> None:
    with pytest.raises(bowshot.ConfigError, match="both arguments are addresses"):
        bowshot.plan("postgresql://ann@127.0.0.1/db", "mysql://ann@127.0.0.1/db")
