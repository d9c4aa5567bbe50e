"""From measurements to summaries, bars and tables."""

from typing import Any

import pytest

from bench.bars import Bar, bars, best
from bench.cases import CASES, POSTGRES_FLOOR_1, POSTGRES_FLOOR_2, find
from bench.measure import Measurement
from bench.readme import readme_table, replace_section
from bench.report import report
from bench.summary import disagreements, summarise


def load(case: str, wall: float, **others: Any) -> Measurement:
    floors = {POSTGRES_FLOOR_1: 10.0, POSTGRES_FLOOR_2: 6.0}
    return Measurement(case, wall=wall, **{"floors": floors, "rows": 6, "key_sum": 21, "size": 1000, **others})


def result(measurements: list[Measurement]) -> dict[str, Any]:
    machine = {"cpu": "A CPU", "cores": "2", "memory": "24 GiB", "kernel": "Linux 6"}
    lines = [measurement.as_json() for measurement in measurements]
    return {"scale": 1.0, "repeat": 3, "command": "python -m bench", "date": "2026-11-21", "machine": machine} | {
        "versions": {"python": "3.11"},
        "measurements": lines,
    }


def bar(judged: list[Bar], what: str) -> Bar:
    return next(bar for bar in judged if bar.what == what)


def test_a_summary_holds_medians_and_the_highest_peak() -> None:
    rounds = [load("postgres/arrow/duckdb", wall, rss_peak=int(wall)) for wall in (9.0, 30.0, 12.0)]
    summary = summarise(rounds)["postgres/arrow/duckdb"]
    assert (summary.wall_min, summary.wall, summary.rss_peak, summary.rounds) == (9.0, 12.0, 30, 3)
    assert summary.ratios == {POSTGRES_FLOOR_1: 1.2, POSTGRES_FLOOR_2: 2.0}


def test_a_bar_is_missed_just_above_its_limit() -> None:
    what = "PostgreSQL to Arrow, 2 connections"
    for wall, passed in ((6.71, True), (6.73, False)):
        assert bar(bars(summarise([load("postgres/arrow/bowshot-2", wall)])), what).passed is passed


def test_the_client_cpu_is_a_part_of_the_servers_in_the_same_read() -> None:
    for client, passed in ((1.2, True), (1.3, False)):
        measured = summarise([load("postgres/arrow/bowshot-1", 10, client_cpu=client, server_cpu=10.0)])
        assert bar(bars(measured), "PostgreSQL to Arrow, client CPU, 1 connection").passed is passed


def test_a_peer_counts_with_its_best_setting() -> None:
    loads = [load(f"postgres/arrow/connectorx-{n}", wall) for n, wall in ((1, 30.0), (2, 14.0), (4, 15.0))]
    summaries = summarise([*loads, load("postgres/arrow/bowshot-2", 7.5)])
    fastest = best(summaries, "postgres/arrow", "connectorx")
    assert fastest is not None
    assert fastest.case == "postgres/arrow/connectorx-2"
    judged = bar(bars(summaries), "PostgreSQL to Arrow, against connectorx")
    assert (judged.limit, judged.passed) == ("≥ 2 × as fast", False)


def test_memory_is_judged_by_the_case_that_needs_most() -> None:
    lean = load("postgres/arrow/bowshot-1", 10, rss_start=100, rss_peak=1150)
    hungry = load("postgres/arrow/bowshot-2", 6, rss_start=100, rss_peak=1300)
    what = "PostgreSQL to Arrow, peak above start"
    assert bar(bars(summarise([lean])), what).passed is True
    assert bar(bars(summarise([lean, hungry])), what).passed is False


def test_what_failed_or_was_not_run_passes_no_bar() -> None:
    failed = Measurement("postgres/arrow/bowshot-2", error="no such host")
    assert {judged.passed for judged in bars(summarise([failed]))} == {None}
    assert "failed: no such host" in report(result([failed]))


def test_a_result_with_other_rows_is_named() -> None:
    loads = [load("postgres/arrow/adbc", 1), load("postgres/arrow/duckdb", 1, key_sum=20)]
    assert disagreements(loads) == [
        "postgres/arrow/duckdb returned 6 rows with a sum of keys of 20; postgres/arrow/adbc returned 6 and 21"
    ]
    assert "**Wrong result:** postgres/arrow/duckdb" in report(result(loads))


def test_a_busy_machine_is_said_in_the_report() -> None:
    assert "Not a quiet machine" in report(result([load("postgres/arrow/adbc", 1, other_cores=0.9)]))
    assert "Not a quiet machine" not in report(result([load("postgres/arrow/adbc", 1, other_cores=0.1)]))


def test_the_readmes_table_shows_the_best_of_each_peer() -> None:
    loads = [load("postgres/arrow/bowshot-2", 6.5), load("postgres/arrow/adbc", 30.0)]
    lines = readme_table(result(loads)).splitlines()
    assert lines[2] == "| PostgreSQL to Arrow | 6.5 (0.0 s, 0 MB) | – | 30.0 (0.0 s, 0 MB) | – | – | – | – | – |"


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="bench:start"):
        replace_section("no markers", "table")


def test_every_case_has_a_name_of_its_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert find("sqlite/arrow/duckdb").workload == "sqlite/arrow"
