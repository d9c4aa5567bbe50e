"""`return_type="dask"`: partitions read in workers, with the dtypes that the first look promised."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import bowshot
import dask
import dask.dataframe as dd
import pandas as pd
import pytest
from bowshot.pandas import FrameOptions, read_frame
from distributed import Client, LocalCluster
from tests.conformance_cases import Case, cases_of, started
from tests.test_conformance import OPTIONS
from tests.test_tickets import ROWS, accounts, sessions, until, writers

__all__ = ["accounts", "writers"]

SQL = "SELECT id, balance, note FROM accounts"
# Each partition has some of these and not others: NULLs, integers beyond 2^53, months.
SPLIT = [
    "SELECT 1::int8 AS n, true AS yes, 1.5::float8 AS x, 'a'::text AS t, date '2024-01-02' AS d, interval '1 day' AS i",
    "SELECT 9007199254740993::int8 AS n, NULL::bool AS yes, NULL::float8 AS x, NULL::text AS t, NULL::date AS d,"
    " interval '1 month' AS i",
    "SELECT NULL::int8 AS n, NULL::bool AS yes, NULL::float8 AS x, NULL::text AS t, NULL::date AS d,"
    " NULL::interval AS i",
    "SELECT 1::int8 AS n, true AS yes, 1::float8 AS x, 'b'::text AS t, date '2024-01-03' AS d, interval '1 day' AS i"
    " WHERE false",
]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two worker processes of their own."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def lazy(postgres: str, sql: Any = SQL, **options: Any) -> dd.DataFrame:
    ddf = bowshot.read_sql(sql, postgres, connections=4, return_type="dask", **options)
    assert ddf.npartitions > 2
    return ddf


def gone(postgres: str, before: int) -> None:
    def none() -> bool:
        gc.collect()
        return sessions(postgres) <= before

    until(none, "the holder's session stays")


@pytest.mark.usefixtures("writers")
@pytest.mark.parametrize("scheduler", ["threads", "processes", "cluster"])
def test_every_scheduler_sees_one_state_while_writers_write(postgres: str, scheduler: str, client: Client) -> None:
    how = {"scheduler": client.get if scheduler == "cluster" else scheduler}
    ddf = lazy(postgres)
    with dask.config.set(**how):
        assert len(ddf) == ROWS
        assert ddf["balance"].sum().compute() == 0
        assert ddf["id"].sum().compute() == ROWS * (ROWS + 1) // 2
        groups = ddf.groupby(ddf["id"] % 10)["id"].count().compute()
    assert groups.tolist() == [ROWS // 10] * 10


@pytest.mark.usefixtures("accounts")
def test_the_session_ends_with_the_last_collection(postgres: str) -> None:
    before = sessions(postgres)
    ddf = lazy(postgres)
    assert sessions(postgres) == before + 1
    derived = ddf[["id"]].head(3, npartitions=-1)
    assert derived["id"].tolist() == [1, 2, 3]
    kept = ddf["id"].max()
    del ddf
    gc.collect()
    assert kept.compute() == ROWS
    assert sessions(postgres) == before + 1
    del kept
    gone(postgres, before)
    assert len(lazy(postgres).persist(scheduler="threads")) == ROWS
    gone(postgres, before)


@pytest.mark.usefixtures("accounts")
def test_a_cluster_reads_on_when_the_dataframe_is_dropped(postgres: str, client: Client) -> None:
    before = sessions(postgres)
    persisted = client.persist(lazy(postgres))
    gc.collect()
    assert client.compute(persisted["id"].sum()).result() == ROWS * (ROWS + 1) // 2
    gone(postgres, before)
    # The rows are in the workers' memory.
    assert client.compute(persisted["balance"].sum()).result() == 0
    future = client.compute(lazy(postgres)["id"].max())
    gc.collect()
    assert future.result() == ROWS
    gone(postgres, before)


@pytest.mark.usefixtures("writers")
def test_a_worker_that_is_killed_is_tried_again_with_equal_rows(postgres: str, client: Client, tmp_path: Path) -> None:
    marker = tmp_path / "killed"

    def deadly(frame: pd.DataFrame) -> pd.DataFrame:
        if 5 in frame["id"].values and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return frame

    ddf = lazy(postgres)[["id", "balance"]]
    meta = ddf._meta
    total = client.compute(ddf.map_partitions(deadly, meta=meta).sum()).result(timeout=60)
    assert marker.exists()
    assert total.tolist() == [ROWS * (ROWS + 1) // 2, 0]


@pytest.mark.usefixtures("accounts")
def test_a_lease_that_ended_is_one_clear_error(postgres: str, client: Client) -> None:
    ddf = lazy(postgres, lease=0.3)
    until(lambda: not sessions(postgres), "the lease never ends")
    with pytest.raises(bowshot.SnapshotGoneError, match="plan the query again"):
        ddf["id"].sum().compute(scheduler="threads")
    with pytest.raises(bowshot.SnapshotGoneError, match="plan the query again"):
        client.compute(ddf["id"].sum()).result()


@pytest.mark.parametrize("backend", ["numpy", "numpy_nullable", "pyarrow"])
def test_dtypes_do_not_depend_on_values(postgres: str, backend: str) -> None:
    ddf = lazy(postgres, SPLIT, dtype_backend=backend)
    meta = ddf._meta
    for number in range(len(SPLIT)):
        part = ddf.partitions[number].compute(scheduler="threads")
        assert part.dtypes.to_dict() == meta.dtypes.to_dict(), number
        assert type(part.index) is type(meta.index)
    whole = ddf.compute(scheduler="threads")
    assert whole["n"].tolist()[:2] == [1, 9007199254740993]
    assert whole["n"].isna().tolist() == [False, False, True]
    if backend == "numpy":
        assert meta.dtypes.astype(str).tolist() == ["Int64", "boolean", "float64", "str", "object", "object"]


def test_intervals_come_back_from_processes(postgres: str) -> None:
    """As Python's objects, which pyarrow has made so that pickle does not find them."""
    whole = lazy(postgres, SPLIT)[["i"]].compute(scheduler="processes")
    assert [None if value is None else (value.months, value.days) for value in whole["i"]] == [(0, 1), (1, 0), None]


def test_parameters_of_pandas(postgres: str) -> None:
    queries = [
        f"SELECT {n}::int8 AS k, '2024-01-0{n}{zeros}' AS day, {n}.5::numeric AS price, 'c{n}' AS kind"
        for n, zeros in enumerate(["", "T10:00:00.5", ""], 1)
    ]
    options: dict[str, Any] = {
        "index_col": ["k"],
        "parse_dates": ["day"],
        "coerce_float": False,
        "dtype": {"kind": "category", "k": "int32"},
    }
    ddf = lazy(postgres, queries, **options)
    frame = ddf.compute(scheduler="threads")
    assert frame.dtypes.astype(str).tolist() == ["datetime64[us]", "object", "category"]
    assert (frame.index.name, str(frame.index.dtype)) == ("k", "int32")
    assert ddf._meta.index.dtype == "int32"
    assert frame["kind"].tolist() == ["c1", "c2", "c3"]
    assert str(frame["price"].iloc[0]) == "1.5"
    assert frame["day"].iloc[1] == pd.Timestamp("2024-01-02T10:00:00.5")
    only = ddf[["price"]].compute(scheduler="threads")
    assert list(only.columns) == ["price"]
    assert only.index.tolist() == [1, 2, 3]
    assert ddf["kind"].compute(scheduler="threads").tolist() == ["c1", "c2", "c3"]


@pytest.mark.usefixtures("accounts")
def test_ranges_of_the_index_are_divisions(postgres: str) -> None:
    ranges: dict[str, Any] = {"partition_on": "id", "partition_num": 4, "partition_range": (1, 1000)}
    ddf = lazy(postgres, index_col="id", **ranges)
    assert ddf.divisions == (1, 251, 501, 751, 1000)
    assert ddf.loc[250:252].compute(scheduler="threads").index.tolist() == [250, 251, 252]
    assert not lazy(postgres, **ranges).known_divisions
    assert not lazy(postgres, index_col="id", partition_on="id", partition_num=4).known_divisions


@pytest.mark.usefixtures("accounts")
def test_only_what_is_needed_is_made(postgres: str) -> None:
    frame = lazy(postgres)[["note", "id"]]
    read = [part for part in frame.optimize(fuse=False).expr.walk() if type(part).__name__ == "FromMapProjectable"]
    assert [sorted(part.columns) for part in read] == [["id", "note"]]
    del read
    assert list(frame.compute(scheduler="threads").columns) == ["note", "id"]


def test_odd_results(postgres: str, mariadb: str, tmp_path: Path) -> None:
    nothing = bowshot.read_sql("SELECT 1 AS n WHERE false", postgres, return_type="dask")
    assert len(nothing.compute(scheduler="threads")) == 0
    assert str(nothing.dtypes["n"]) == "Int64"
    with pytest.raises(bowshot.ConfigError, match="two columns"):
        bowshot.read_sql("SELECT 1 AS n, 2 AS n", postgres, return_type="dask")
    with pytest.raises(bowshot.ConfigError, match="index of one"):
        bowshot.read_sql("SELECT 1 AS n, 2 AS m", postgres, return_type="dask", index_col=["n", "m"])
    with pytest.raises(KeyError):
        bowshot.read_sql("SELECT 1 AS n", postgres, return_type="dask", index_col="m")
    queries = ["SELECT 1 AS one", "SELECT 2 AS one"]
    with pytest.raises(bowshot.UnsupportedError, match="one_snapshot=False"):
        bowshot.read_sql(queries, mariadb, return_type="dask")
    each = bowshot.read_sql(queries, mariadb, return_type="dask", one_snapshot=False)
    assert each["one"].compute(scheduler="threads").tolist() == [1, 2]
    path = tmp_path / "empty.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b TEXT)")
    connection.close()
    empty = bowshot.read_sql("t", path, return_type="dask")
    assert empty.compute(scheduler="threads").dtypes.astype(str).tolist() == ["Int64", "str"]


@pytest.fixture(scope="module")
def databases(testkit: str) -> Iterator[dict[str, Any]]:
    """Both databases with all that the cases read."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(started(testkit, name)) for name in ("postgres", "sqlite")}


CASES = [
    pytest.param(database, suite, case, id=f"{database}-{suite}-{case['name']}")
    for database in ("postgres", "sqlite")
    for suite, case in cases_of(database)
    if "error" not in case
]


@pytest.mark.parametrize(("database", "suite", "case"), CASES)
def test_every_type(databases: dict[str, Any], database: str, suite: str, case: Case) -> None:
    """Equal to what one frame of the whole has, cell by cell; and every dtype is the promised one."""
    con = databases[database]["suites"][suite]
    params = [None if value == "null" else value for value in case.get("params", [])] or None
    source = {name: case[name] for name in OPTIONS if name in case}
    source |= {"params": params, "pre_execution_query": case.get("before")}
    sql = case.get("list") or case.get("table") or case["sql"]
    if not bowshot.plan(sql, con, **source).travels:
        with pytest.raises(bowshot.UnsupportedError, match="one_snapshot=False"):
            read_all(sql, con, "numpy", source)
        return
    for backend in ("numpy", "pyarrow"):
        try:
            frame = bowshot.read_sql(sql, con, dtype_backend=backend, **source)
        except bowshot.Error as error:
            with pytest.raises(type(error)):
                read_all(sql, con, backend, source)
            continue
        if frame.columns.duplicated().any():
            with pytest.raises(bowshot.ConfigError, match="two columns"):
                read_all(sql, con, backend, source)
            return
        got = read_all(sql, con, backend, source)
        if case.get("any_order"):
            continue
        for name in frame.columns:
            if any(kind in str(frame[name].dtype) for kind in ("timestamp", "datetime", "date32")):
                # Python's objects reach from the year 1 to 9999 alone.
                assert got[name].reset_index(drop=True).equals(frame[name])
                continue
            assert [cell(value) for value in got[name]] == [cell(value) for value in frame[name]], (backend, name)


def read_all(sql: Any, con: str, backend: str, source: dict[str, Any]) -> pd.DataFrame:
    ddf = bowshot.read_sql(sql, con, return_type="dask", dtype_backend=backend, **source)
    parts = [ddf.partitions[number].compute(scheduler="sync") for number in range(ddf.npartitions)]
    for part in parts:
        assert part.dtypes.to_dict() == ddf._meta.dtypes.to_dict()
    whole: pd.DataFrame = pd.concat(parts) if len(parts) > 1 else parts[0]
    return whole


def cell(value: Any) -> Any:
    """A value, where NULL is NULL, an integer that pandas made a float is the integer, and an interval its length."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value
    if type(value).__name__ == "MonthDayNano":
        return value.months, value.days * 86_400_000_000_000 + value.nanoseconds
    if isinstance(value, pd.Timedelta):
        return 0, int(value.as_unit("us").asm8.astype("int64")) * 1000
    return repr(value) if isinstance(value, (list, dict, tuple)) else value


def test_options_are_made_for_one_frame(shop: Path) -> None:
    plan = bowshot.query("SELECT * FROM items", shop)._unread()
    frame = read_frame(plan, FrameOptions(settled=True, only=("large", "amount")))
    assert frame.dtypes.astype(str).to_dict() == {"amount": "Int64", "large": "Int64"}
