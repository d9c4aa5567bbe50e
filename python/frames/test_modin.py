"""`return_type="modin"`: partitions read in the workers of Modin's engine, with the dtypes of one pandas frame."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bowshot
import modin.config
import modin.pandas
import pandas as pd
import pytest
import ray
from bowshot.frame_parts import Part
from bowshot.lazy.modin import ReadPart
from bowshot.lazy.piece import Piece
from bowshot.pandas import FrameOptions
from frames.every_case import CASES, both, source_of, travels
from frames.pandas_cells import values
from modin.distributed.dataframe.pandas import unwrap_partitions
from pandas.testing import assert_index_equal
from ray.cloudpickle import register_pickle_by_value
from tests.conformance_cases import Case
from tests.test_tickets import ROWS, sessions

SQL = "SELECT id, balance, note FROM accounts"
WHOLE = "1::int8 AS n, 1::int8 AS large, true AS yes, 1.5::float8 AS x, 'a'::text AS t, date '2024-01-02' AS d"
NULLS = "NULL::int8 AS n, NULL::int8 AS large, NULL::bool AS yes, NULL::float8 AS x, NULL::text AS t, NULL::date AS d"
LARGE = (
    "NULL::int8 AS n, 9007199254740993::int8 AS large, false AS yes, 'NaN'::float8 AS x, 'b'::text AS t,"
    " date '2024-01-03' AS d"
)
DAY, MONTH = ", interval '1 day' AS i", ", interval '1 month' AS i"
SPLITS = {
    "no NULLs": [WHOLE + DAY, WHOLE + DAY],
    "NULLs in one part": [WHOLE + DAY, NULLS + ", NULL::interval AS i"],
    "NULLs in the first": [NULLS + ", NULL::interval AS i", WHOLE + DAY, WHOLE + DAY],
    "large beside NULLs": [LARGE + DAY, NULLS + DAY, WHOLE + MONTH],
    "large alone": [LARGE + DAY, LARGE + MONTH],
    "nothing but NULLs": [NULLS + ", NULL::interval AS i", NULLS + ", NULL::interval AS i"],
    "an empty part": [WHOLE + DAY, LARGE + DAY + " WHERE false", WHOLE + DAY],
    "nothing at all": [WHOLE + DAY + " WHERE false", LARGE + MONTH + " WHERE false"],
}
BACKENDS = ["numpy", "numpy_nullable", "pyarrow"]


def same(sql: Any, con: str, **options: Any) -> modin.pandas.DataFrame:
    """The frame, which is exactly the one of pandas."""
    want = bowshot.read_sql(sql, con, **options)
    got = bowshot.read_sql(sql, con, return_type="modin", **options)
    assert isinstance(got, modin.pandas.DataFrame)
    assert got.dtypes.tolist() == want.dtypes.tolist()
    assert_index_equal(got.index, want.index, exact=True)
    assert got.columns.tolist() == want.columns.tolist()
    frames = ray.get(unwrap_partitions(got, axis=0))
    for position in range(want.shape[1]):
        found = [value for frame in frames for value in values(frame.iloc[:, position])]
        assert found == values(want.iloc[:, position])
    return got


@pytest.mark.usefixtures("writers")
def test_one_state_while_writers_write(postgres: str) -> None:
    before = sessions(postgres)
    frame = bowshot.read_sql(SQL, postgres, connections=4, return_type="modin")
    assert len(unwrap_partitions(frame, axis=0)) > 2
    assert len(frame) == ROWS
    assert frame["balance"].sum() == 0
    assert frame["id"].sum() == ROWS * (ROWS + 1) // 2
    assert frame.index[-1] == ROWS - 1
    # All was read; nothing holds the snapshot any more, but the writers' own transactions.
    assert sessions(postgres) <= before + 1


class Deadly(ReadPart):
    """Dies with its worker the first time."""

    marker: Path

    def __call__(self, piece: Piece) -> tuple[pd.DataFrame, Part]:
        if not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(piece)


@pytest.mark.usefixtures("writers")
def test_a_worker_that_is_killed_is_tried_again_with_equal_rows(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deadly(options: FrameOptions) -> Deadly:
        read = Deadly(options)
        read.marker = tmp_path / "killed"
        return read

    # Workers cannot import this file.
    register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr("bowshot.lazy.modin.ReadPart", deadly)
    frame = bowshot.read_sql(SQL, postgres, connections=4, return_type="modin")
    assert (tmp_path / "killed").exists()
    assert (frame["balance"].sum(), frame["id"].sum()) == (0, ROWS * (ROWS + 1) // 2)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SPLITS)
def test_dtypes_are_those_of_the_whole(postgres: str, name: str, backend: str) -> None:
    same([f"SELECT {columns}" for columns in SPLITS[name]], postgres, dtype_backend=backend)


def test_unsigned_integers(postgres: str) -> None:
    for numbers in (["1", "2"], ["1", "18446744073709551615"], ["1", "NULL"], ["NULL", "18446744073709551615"]):
        queries = [f"SELECT {number}::numeric(20, 0) AS n" for number in numbers]
        for backend in BACKENDS[:2]:
            same(queries, postgres, types={"n": "uint64"}, dtype_backend=backend)


def test_parameters_of_pandas(postgres: str) -> None:
    queries = [
        f"SELECT {n}::int8 AS k, {day} AS day, {n}.5::numeric AS price, 'c{n}' AS kind, {n} AS s"
        for n, day in enumerate(["NULL::text", "'02/01/2024'", "'03/13/2024'", "'2024-01-04'"], 1)
    ]
    assert same(queries, postgres, parse_dates=["day", "s"])["day"].isna().tolist() == [True, False, False, True]
    same(queries, postgres, parse_dates={"day": {"dayfirst": True, "errors": "coerce"}}, index_col="k")
    same(queries, postgres, parse_dates={"day": "%Y-%m-%d"}, index_col=["k", "kind"], coerce_float=False)
    same(queries, postgres, dtype={"kind": "category", "k": "int32"})
    same(queries, postgres, dtype={"k": "float64"}, index_col="k")
    with pytest.raises(bowshot.UnsupportedError, match="which no partition knows alone"):
        bowshot.read_sql(queries, postgres, return_type="modin", dtype="category")
    mixed = [f"SELECT '{day}' AS day" for day in ("tomorrow", "2024-01-02", "3 May 2024")]
    same(mixed, postgres, parse_dates=["day"])


def test_odd_results(postgres: str, mariadb: str) -> None:
    same("SELECT 1 AS n WHERE false", postgres)
    same("SELECT 1 AS n, 2 AS n, 3 AS m", postgres)
    queries = ["SELECT 1 AS one", "SELECT 2 AS one"]
    with pytest.raises(bowshot.UnsupportedError, match="one_snapshot=False"):
        bowshot.read_sql(queries, mariadb, return_type="modin")
    same(queries, mariadb, one_snapshot=False)
    with pytest.raises(bowshot.ConfigError, match="chunksize"):
        bowshot.read_sql("SELECT 1", postgres, return_type="modin", chunksize=3)  # type: ignore[call-overload]
    with pytest.raises(bowshot.ConfigError, match="lease"):
        bowshot.read_sql("SELECT 1", postgres, return_type="modin", lease=3)  # type: ignore[call-overload]
    before = sessions(postgres)
    with pytest.raises(bowshot.SqlError, match="division by zero"):
        bowshot.read_sql(["SELECT 1", "SELECT 1 / (n - 1) FROM generate_series(1, 2) n"], postgres, return_type="modin")
    assert sessions(postgres) == before


def test_an_engine_without_workers(postgres: str) -> None:
    code = f"""
import bowshot
try:
    bowshot.read_sql("SELECT 1", {postgres!r}, return_type="modin")
except bowshot.UnsupportedError as error:
    print(error)
"""
    environment = {**os.environ, "MODIN_BACKEND": "Pandas"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert '"Native" has none' in done.stdout, done.stderr


@pytest.mark.usefixtures("accounts")
def test_the_engine_dask(postgres: str) -> None:
    code = f"""
if __name__ == "__main__":
    from distributed import Client
    import bowshot
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        frame = bowshot.read_sql({SQL!r}, {postgres!r}, connections=4, return_type="modin")
        print(len(frame), frame["id"].sum(), frame.dtypes.astype(str).tolist(), frame._query_compiler._modin_frame)
"""
    environment = {**os.environ, "MODIN_ENGINE": "dask"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=90)
    assert f"{ROWS} {ROWS * (ROWS + 1) // 2} ['int32', 'int64', 'str']".replace("int32", "int64") in done.stdout, done
    assert "PandasOnDask" in done.stdout


@pytest.fixture(scope="module")
def databases(testkit: str) -> Iterator[dict[str, Any]]:
    """Both databases with all that the cases read."""
    with both(testkit) as found:
        yield found


@pytest.mark.filterwarnings("ignore::bowshot.DatabaseNotice")
@pytest.mark.parametrize(("database", "suite", "case"), CASES)
def test_every_type(databases: dict[str, Any], database: str, suite: str, case: Case) -> None:
    con = databases[database]["suites"][suite]
    sql, options = source_of(case)
    if not travels(sql, con, options):
        with pytest.raises(bowshot.UnsupportedError, match="one_snapshot=False"):
            bowshot.read_sql(sql, con, return_type="modin", **options)
        return
    for backend in ("numpy", "pyarrow"):
        try:
            same(sql, con, dtype_backend=backend, **options)
        except bowshot.Error as error:
            with pytest.raises(type(error)):
                bowshot.read_sql(sql, con, return_type="modin", dtype_backend=backend, **options)
