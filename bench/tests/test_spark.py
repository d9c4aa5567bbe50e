"""Spark's benchmark: its bars and page, its data, its workers, and a run with a few thousand rows."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bench import cpu, server, tpch
from bench.bars import Bar
from bench.gateway.figures import Figure
from bench.spark import __main__ as benchmark
from bench.spark import data
from bench.spark.bars import bars
from bench.spark.case import BOWSHOT, COMET, DROP_IN, POSTGRES, POSTGRES_EXTENSION, SPARK, TABLES
from bench.spark.cases import BATCH_SIZES, BATCHES, CASES, COMET_SCANS, DATABASE, DATABASE_EXTENSION, SCANS
from bench.spark.engine import Engine
from bench.spark.measure import NAME, measure, summarise
from bench.spark.report import report
from bench.tpch_arrow import arrow_stream

ROWS = 6005
URI = "postgresql://app:pw@127.0.0.1:5433/tpch"
# Answers with twice the number that it is asked for; dies, fails or sleeps when it is told to.
WORKER = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked == {"verb": "die"}:
        sys.exit("no memory left")
    if asked == {"verb": "sleep"}:
        time.sleep(60)
    print(json.dumps({"error": "it failed"} if "number" not in asked else {"twice": 2 * asked["number"]}), flush=True)
"""
# Works for a while, has a child that does and a grandchild that does, and waits.
BUSY = """
import subprocess, sys, time
depth = int(sys.argv[1])
child = subprocess.Popen([sys.executable, "-c", sys.argv[2], str(depth - 1), sys.argv[2]]) if depth else None
while time.process_time() < 0.3:
    pass
time.sleep(60)
"""


def taken(row: str, *seconds: float, wall: float = 1.0) -> list[Figure]:
    values = ({"CPU s": each, "wall s": wall, "rows": 6, "sum": 21} for each in seconds)
    return [Figure(NAME, row, each) for each in values]


def judged(*figures: list[Figure]) -> dict[str, Bar]:
    return {bar.what: bar for bar in bars(summarise([figure for row in figures for figure in row]))}


def result(figures: list[Figure]) -> dict[str, Any]:
    return {
        "command": "python -m bench.spark",
        "date": "2026-11-27",
        "machine": {"cpu": "A CPU", "cores": "2", "memory": "24 GiB", "kernel": "Linux 6"},
        "versions": {"python": "3.11"},
        "spark": {"spark": "4.3.0", "memory": "4g"},
        "size": {"numbers": 32_000_000, "wide": 800_000, "scale": 1, "postgres_scale": 0.2},
        "warm ups": 3,
        "figures": [figure.as_json() for figure in figures],
    }


def test_the_least_seconds_are_judged_and_the_medians_told() -> None:
    ours = taken("scan/numbers/bowshot", 1.0, 1.5, 2.0)
    bar = judged(taken("scan/numbers/spark", 1.3, 3.0, 4.5), ours)["scan/numbers, CPU"]
    assert (bar.measured, bar.passed) == ("1.30 × (1.30 s against 1.00 s; medians 2.00 ×)", True)
    assert judged(taken("scan/numbers/spark", 1.29, 9.0), ours)["scan/numbers, CPU"].passed is False
    assert judged(ours)["scan/numbers, CPU"].passed is None


def test_a_bar_of_one_is_met_by_as_much() -> None:
    both = [taken(f"query/Q1/{engine}", 2.0) for engine in ("spark", "bowshot")]
    assert judged(*both)["query/Q1, CPU"].passed is True


@pytest.mark.parametrize(("default", "passed"), [(1.05, True), (1.06, False)])
def test_the_default_size_of_batches_is_near_the_best(default: float, passed: bool) -> None:
    rows = [taken(f"batch/numbers/{name}", default if name == "1 MiB" else 1.0) for name in BATCHES]
    assert judged(*rows)["batches of 1 MiB, CPU"].passed is passed
    assert judged(*rows[:-1])["batches of 1 MiB, CPU"].passed is None, "one size was not measured"


def test_a_database_is_compared_with_each_of_sparks_ways() -> None:
    figures = [
        taken("postgres/lineitem/spark", 4.0, wall=4.4),
        taken("postgres/lineitem/spark, 4 partitions", 3.8, wall=2.6),
        taken("postgres/lineitem/bowshot", 2.0, wall=2.0),
    ]
    passed = {what: bar.passed for what, bar in judged(*figures).items() if what.startswith("PostgreSQL")}
    assert passed == {
        "PostgreSQL against JDBC untuned, wall": True,
        "PostgreSQL against JDBC in 4 partitions, wall": False,
        "PostgreSQL against the cheaper of both, CPU": False,
    }


def test_a_page_tells_what_failed_and_what_is_wrong() -> None:
    failed = Figure(NAME, "csv/lineitem/spark", error="no | answer")
    wrong = Figure(NAME, "codec/none/spark", {"CPU s": 1.0, "wall s": 1.0, "rows": 6, "sum": 22})
    before = taken("csv/lineitem/spark", 1.0)
    page = report(result([*before, failed, *taken("codec/none/bowshot", 0.5), wrong]))
    assert "| csv/lineitem/spark | 0 | failed: no \\| answer |" in page
    assert "**Wrong result:** spark/codec/none/spark returned 6 rows with a sum of 22" in page
    assert "| codec/none/bowshot | 1 | 0.500 | 0.500 | 1.000 | 1.000 | 2.00 | 1.00 |" in page
    assert "| csv/lineitem, CPU | ≥ 4 × | not run | – |" in page


def test_every_case_has_data_and_a_bar() -> None:
    assert {case.data for case in CASES} == {*data.FILES, POSTGRES}
    assert all(case.bar for case in SCANS)
    assert [case for case in CASES if case not in SCANS] == [BATCH_SIZES, DATABASE]


def test_rounds_take_turns_and_a_way_that_fails_does_not_end_them(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == "scan/numbers")
    (tmp_path / case.data).write_bytes(b"")
    asked: list[str] = []

    def ask(engine: str, question: Any) -> dict[str, Any]:
        asked.append(f"{engine} {question['verb']}")
        if asked[-1] == "bowshot run" and asked.count("bowshot run") == 3:
            raise RuntimeError("it failed")
        if question["verb"] == "check":
            return {"rows": 2, "sum": 3}
        return {"CPU s": 1.0, "wall s": 1.0, "others cores": 0.0}

    figures = list(measure(case, data.Prepared(tmp_path, {}, data.QUICK), ask, warm_ups=1, rounds=3))
    checks = ["spark check", "spark run", "bowshot check", "bowshot run"]
    rounds = ["spark run", "bowshot run", "spark run", "bowshot run", "spark run"]
    assert asked == checks + rounds
    assert [figure.error for figure in figures] == [None, None, None, "it failed", None]
    assert list(summarise(figures)) == ["scan/numbers/spark"]
    assert figures[0].values == {"CPU s": 1.0, "wall s": 1.0, "others cores": 0.0, "rows": 2, "sum": 3}


def test_jdbc_is_told_the_bounds_of_its_partitions(tmp_path: Path) -> None:
    prepared = data.Prepared(tmp_path, {POSTGRES: URI}, data.Size(postgres_scale=0.5))
    untuned, partitioned, bowshot = (prepared.read(DATABASE, way) for way in DATABASE.ways)
    login = {"driver": data.DRIVER, "url": "jdbc:postgresql://127.0.0.1:5433/tpch", "user": "app", "password": "pw"}
    assert untuned["options"] == login | {"dbtable": "lineitem"}
    assert partitioned["options"] == login | {
        "dbtable": "lineitem",
        "partitionColumn": "l_orderkey",
        "lowerBound": "1",
        "upperBound": "3000000",
        "numPartitions": "4",
        "fetchsize": "10000",
    }
    assert (bowshot["path"], bowshot["options"]) == (URI, {"dbtable": "lineitem"})


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd"])
def test_lineitem_is_the_same_with_each_codec(codec: str, tmp_path: Path) -> None:
    file = tmp_path / "lineitem.parquet"
    data.FILES[f"lineitem-{codec}.parquet"](file, data.QUICK)
    with pa.memory_map(str(arrow_stream(data.QUICK.scale))) as stream:
        expected = pa.ipc.open_stream(stream).read_all()
        assert pq.read_table(file).equals(expected)
    assert expected.num_rows == ROWS
    named = {"none": "UNCOMPRESSED"}.get(codec, codec.upper())
    assert pq.ParquetFile(file).metadata.row_group(0).column(0).compression == named


def test_numbers_are_the_same_in_every_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "ROWS_A_GROUP", 700)
    files = [tmp_path / "first", tmp_path / "second"]
    for file in files:
        data.FILES["numbers.parquet"](file, data.Size(numbers=2000))
    tables = [pq.read_table(file) for file in files]
    assert tables[0].equals(tables[1])
    metadata = pq.ParquetFile(files[0]).metadata
    assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [700, 700, 600]
    assert tables[0].schema.types == [pa.int64()] * 4


@pytest.mark.parametrize("most", [1_000, 100_000_000])
def test_a_csv_file_ends_with_a_whole_line(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "CSV_BYTES", most)
    file = tmp_path / "lineitem.csv"
    data.write_csv(file, data.QUICK)
    written, whole = file.read_bytes(), tpch.generate(data.QUICK.scale).read_bytes()
    assert whole.startswith(written)
    assert written.endswith(b"\n")
    assert most <= len(written) < most + 200 or written == whole


def test_a_worker_answers_fails_and_comes_back() -> None:
    with Engine("test-worker", [sys.executable, "-c", WORKER], seconds=20) as engine:
        assert engine.ask({"number": 4}) == {"twice": 8}
        with pytest.raises(RuntimeError, match=r"^it failed$"):
            engine.ask({"verb": "fail"})
        with pytest.raises(RuntimeError, match=r"^the worker died: no memory left$"):
            engine.ask({"verb": "die"})
        assert engine.ask({"number": 5}) == {"twice": 10}


def test_a_worker_that_hangs_is_ended() -> None:
    engine = Engine("test-worker", [sys.executable, "-c", WORKER], seconds=1)
    with engine, pytest.raises(RuntimeError, match="no answer within 1 s"):
        engine.ask({"verb": "sleep"})


def test_the_cpu_time_of_grandchildren_is_counted() -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY, "2", BUSY], start_new_session=True) as process:
        try:
            deadline = time.monotonic() + 30
            while cpu.tree_seconds(process.pid) < 0.85 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert cpu.tree_seconds(process.pid) >= 0.85, "three times 0.3 s, counted in hundredths"
        finally:
            os.killpg(process.pid, 9)


def test_both_engines_read_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Mapping[str, Any]] = []
    monkeypatch.setattr(benchmark, "write", lambda result, *_: written.append(result))
    monkeypatch.setattr(sys, "argv", ["bench.spark", "--quick", "--repeat", "1", "--only", "csv|Q1|postgres"])
    # A private server, apart from the benchmark's own.
    with tempfile.TemporaryDirectory(prefix="bowshot-bench-") as name:
        Path(name).chmod(0o755)
        monkeypatch.setattr(server, "server_folder", lambda _: Path(name) / "server")
        assert benchmark.main() == 0
    figures = written[0]["figures"]
    found = {figure["row"]: figure["values"]["rows"] for figure in figures}
    expected = {"csv/lineitem": ROWS, "query/Q1": 4, "postgres/lineitem": ROWS}
    assert found == {
        f"{case.name}/{way.name}": expected[case.name] for case in CASES if case.name in expected for way in case.ways
    }
    assert all(figure["values"]["CPU s"] > 0 for figure in figures)
