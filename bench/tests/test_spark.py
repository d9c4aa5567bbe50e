"""Spark's benchmark: its cases, data, workers and engines, and a run with a few thousand rows."""

import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bench import cpu, server, tpch
from bench.record import write
from bench.spark import __main__ as benchmark
from bench.spark import data, engines, scaling
from bench.spark.case import FILES, POSTGRES, TABLES, Group
from bench.spark.cases import BATCH_SIZES, CASES, COMET_SCANS, DATABASE, DATABASE_EXTENSION, SCANS
from bench.spark.engine import Engine
from bench.spark.measure import measure, summarise
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


def test_every_case_has_data_and_a_bar() -> None:
    every = [*CASES, *scaling.SCALING]
    assert {case.data for case in every} == {*data.FILES, *TABLES}
    assert all(case.bar for case in (*SCANS, *COMET_SCANS))
    databases = [DATABASE, DATABASE_EXTENSION]
    assert [case for case in CASES if case not in SCANS] == [BATCH_SIZES, *databases, *COMET_SCANS]
    assert {way.engine for case in every for way in case.ways} == engines.KINDS.keys()


def test_the_engines_of_a_group_end_before_the_next_group_starts() -> None:
    every = [*CASES, *scaling.SCALING]
    groups = [group for group, _ in groupby(every, key=lambda case: case.group)]
    assert len(groups) == len(set(groups)) == 4, "no group starts twice"
    for group in groups:
        names = {way.engine for case in every if case.group == group for way in case.ways}
        # On a cluster, what is large are the executors: one a worker.
        assert len(names) * (group.workers or 2) <= 6, "at 4 GB, or 2 GB an executor, 12 GB of heap"


def test_a_case_that_needs_comet_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "cache_folder", lambda name: tmp_path / name)
    assert engines.missing(SCANS[0]) == ""
    assert engines.missing(COMET_SCANS[0]) == "there is no jar of comet: dev/comet_setup.sh"
    (tmp_path / "spark-jars").mkdir()
    (tmp_path / "spark-jars" / "comet-spark-1.jar").touch()
    assert engines.missing(COMET_SCANS[0]).endswith("python is missing: dev/spark_setup.sh 4.1.3")


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


def test_sizes_of_scaling_are_links_to_one_file(tmp_path: Path) -> None:
    for gigabytes in (0.5, 4):
        data.FILES[scaling.folder(gigabytes)](tmp_path / scaling.folder(gigabytes), data.QUICK)
    half, four = (sorted((tmp_path / scaling.folder(gigabytes)).iterdir()) for gigabytes in (0.5, 4))
    assert (len(half), len(four)) == (2, 16)
    assert len({file.stat().st_ino for file in (*half, *four)}) == 1
    assert pq.read_table(half[0].parent).num_rows == 2 * data.QUICK.quarter
    assert data.Size().quarter * 4 * 8 == 250_000_000


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


def test_a_group_that_does_not_start_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in CASES if case.name == "scan/numbers")
    (tmp_path / case.data).write_bytes(b"")
    monkeypatch.setitem(engines.KINDS, "spark", engines.Kind(jars=()))
    monkeypatch.setitem(engines.KINDS, "bowshot", engines.Kind(jars=()))
    cases = [replace(case, group=Group("broken", workers=1)), replace(case, group=FILES)]
    found = list(benchmark._measured(cases, data.Prepared(tmp_path, {}, data.QUICK), Path("/bin/false"), {}, 1, 1))
    assert len(found) == 4
    assert all(figure.error for figure in found)


def test_every_engine_reads_the_same_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written: list[Path] = []

    def keep(result: Any, page: str, kind: str, _folder: Path) -> Path:
        written.append(write(result, page, kind, tmp_path))
        return written[0]

    monkeypatch.setattr(benchmark, "write", keep)
    # JVMs that live for seconds lose more to the second compiler than they gain.
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")
    # Each way on a cluster takes two JVMs more.
    clusters = [replace(case, ways=case.ways[1:]) for case in scaling.SCALING]
    monkeypatch.setattr(benchmark, "SCALING", clusters)
    only = "csv|Q1|postgres|^codec/snappy|1 worker/0.5"
    monkeypatch.setattr(sys, "argv", ["bench.spark", "--quick", "--repeat", "1", "--only", only])
    # A private server, apart from the benchmark's own.
    with tempfile.TemporaryDirectory(prefix="bowshot-bench-") as name:
        Path(name).chmod(0o755)
        monkeypatch.setattr(server, "server_folder", lambda _: Path(name) / "server")
        assert benchmark.main() == 0
    result = json.loads(written[0].with_suffix(".json").read_text())
    found = {figure["row"]: figure["values"]["rows"] for figure in result["figures"]}
    expected = {
        "codec/snappy": ROWS,
        "csv/lineitem": ROWS,
        "query/Q1": 4,
        DATABASE.name: ROWS,
        DATABASE_EXTENSION.name: ROWS,
        scaling.name(1, 0.5): 2 * data.QUICK.quarter,
    }
    # A server that has the extension is not needed.
    assert result["left out"].keys() <= {DATABASE_EXTENSION.name}
    for name in result["left out"]:
        del expected[name]
    cases = [case for case in (*CASES, *clusters) if case.name in expected]
    assert found == {f"{case.name}/{way.name}": expected[case.name] for case in cases for way in case.ways}
    assert all(figure["values"]["CPU s"] > 0 for figure in result["figures"])
    picture = written[0].with_suffix(".svg")
    assert f"]({picture.name})" in written[0].read_text()
    assert ET.fromstring(picture.read_bytes()).tag.endswith("svg")
