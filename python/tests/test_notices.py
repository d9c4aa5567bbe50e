"""What a database says beside a result reaches the user, once, at the line that reads."""

from __future__ import annotations

import inspect
import pickle
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bowshot
import psycopg
import pytest
from bowshot import DatabaseNotice

NOISY = "SELECT notices_noisy(i) AS n FROM generate_series(1, 3) i"


@pytest.fixture(scope="module")
def server(postgres: str) -> str:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            """CREATE OR REPLACE FUNCTION notices_noisy(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
                 RAISE NOTICE 'row %', i USING HINT = 'look at it', DETAIL = 'it is odd', ERRCODE = '01ABC';
                 RAISE INFO 'informed of %', i; RAISE DEBUG 'debugged %', i; RETURN i; END $$;
               CREATE OR REPLACE FUNCTION notices_fails(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
                 RAISE WARNING 'about to fail'; RETURN 1 / 0; END $$"""
        )
    return postgres


def heard(read: Callable[[], Any]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read()
    return [warning for warning in caught if issubclass(warning.category, DatabaseNotice)]


WAYS: dict[str, Callable[[str], Any]] = {
    "pandas": lambda uri: bowshot.read_sql(NOISY, uri),
    "pandas_nullable": lambda uri: bowshot.read_sql(NOISY, uri, dtype_backend="numpy_nullable"),
    "pandas_pyarrow": lambda uri: bowshot.read_sql(NOISY, uri, dtype_backend="pyarrow"),
    "chunks": lambda uri: list(bowshot.read_sql(NOISY, uri, chunksize=2)),
    "arrow": lambda uri: bowshot.read_sql(NOISY, uri, return_type="arrow"),
    "polars": lambda uri: bowshot.read_sql(NOISY, uri, return_type="polars"),
    "arrow_stream": lambda uri: bowshot.read_sql(NOISY, uri, return_type="arrow_stream").read_all(),
    "batches": lambda uri: list(bowshot.query(NOISY, uri).batches()),
    "table": lambda uri: bowshot.query(NOISY, uri).to_table(),
    "copy": lambda uri: bowshot.read_sql(NOISY, uri, protocol="binary"),
    "extended": lambda uri: bowshot.read_sql(NOISY, uri, protocol="simple"),
    "cursor": lambda uri: bowshot.read_sql(NOISY, uri, protocol="cursor"),
    "connectorx": lambda uri: bowshot.read_sql(uri, NOISY),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_read_warns_at_the_line_that_reads(server: str, way: str) -> None:
    caught = heard(lambda: WAYS[way](server))
    assert [str(warning.message) for warning in caught] == [
        f"NOTICE: row {i} (it is odd) (code 01ABC); look at it" for i in (1, 2, 3)
    ]
    line = inspect.getsourcelines(WAYS[way])[1]
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, line)}


def test_a_notice_says_what_it_is(server: str) -> None:
    with pytest.warns(DatabaseNotice) as caught:
        bowshot.read_sql(NOISY, server)
    notice = caught[0].message
    assert isinstance(notice, DatabaseNotice)
    assert isinstance(notice, UserWarning)
    assert (notice.severity, notice.message, notice.code) == ("NOTICE", "row 1", "01ABC")
    assert (notice.detail, notice.hint, notice.times) == ("it is odd", "look at it", 1)
    again: DatabaseNotice = pickle.loads(pickle.dumps(notice))
    assert (str(again), again.hint) == (str(notice), notice.hint)


def test_what_is_not_warned_of_waits_in_the_query_and_the_plan(server: str) -> None:
    query = bowshot.query(NOISY, server, pre_execution_query="SET client_min_messages = debug1")
    assert len(query.notices) == 0
    plan = query.plan
    with pytest.warns(DatabaseNotice):
        assert query.to_table().schema.names == ["n"]
    severities = {notice.severity for notice in query.notices}
    assert severities == {"NOTICE", "INFO", "DEBUG"}
    assert [str(notice) for notice in plan.notices] == [str(notice) for notice in query.notices]
    assert (query.notices_left_out, plan.notices_left_out) == (0, 0)
    # The next read has its own.
    assert len(heard(lambda: query.to_table())) == 3


def test_a_filter_decides(server: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DatabaseNotice)
        with pytest.raises(DatabaseNotice, match="row 1"):
            bowshot.read_sql(NOISY, server)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DatabaseNotice)
        assert len(bowshot.read_sql(NOISY, server)) == 3


def test_the_error_of_a_read_goes_before_its_warnings(server: str) -> None:
    for action in ("always", "error"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(action, DatabaseNotice)
            with pytest.raises(bowshot.SqlError, match="division by zero"):
                bowshot.read_sql("SELECT notices_fails(i) FROM generate_series(1, 3) i", server)
        assert len(caught) == (1 if action == "always" else 0)


def test_thousands_are_cut_and_counted(server: str) -> None:
    query = bowshot.query("SELECT notices_noisy(i) FROM generate_series(1, 3000) i", server)
    caught = heard(lambda: query.to_arrow())
    assert len(caught) == 101
    assert "2900 things more" in str(caught[-1].message)
    assert (len(query.notices), query.notices_left_out) == (200, 5800)


def test_leaving_a_loop_early_tells_what_was_said(server: str) -> None:
    def first() -> None:
        for _ in bowshot.query(NOISY, server, batch_bytes=1).batches():
            break

    assert len(heard(first)) <= 3


def test_warnings_come_from_the_thread_that_reads(server: str) -> None:
    threads = []

    def note(*_: Any, **__: Any) -> None:
        threads.append(threading.current_thread())

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note
        bowshot.read_sql(NOISY, server)
    assert threads == [threading.current_thread()] * 3


def test_a_consumer_of_the_c_stream_looks_for_itself(server: str) -> None:
    import pyarrow as pa

    query = bowshot.query(NOISY, server)
    assert heard(lambda: pa.table(query)) == []
    assert [notice.message for notice in query.notices if notice.severity == "NOTICE"] == ["row 1", "row 2", "row 3"]


def test_a_quiet_database_warns_of_nothing(server: str, tmp_path: Path) -> None:
    assert heard(lambda: bowshot.read_sql("SELECT 1 AS n", server)) == []
    assert bowshot.query("SELECT 1 AS n", tmp_path / "empty.db").notices == ()
