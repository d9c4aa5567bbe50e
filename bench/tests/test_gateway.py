"""The gateway's benchmark: from figures to bars and tables, and what it says on the wire."""

from typing import Any

from bench.bars import Bar
from bench.gateway.calls import statement
from bench.gateway.figures import Figure, disagreements, rows
from bench.gateway.network.link import LAN, WAN
from bench.gateway.parts import PARTS
from bench.gateway.report import report
from bench.gateway.tables import acs, numbers, ontime, texts


def load(part: str, row: str, wall: float, **values: float) -> Figure:
    return Figure(part, row, {"wall s": wall, "rows": 6, "sum": 21, **values})


def result(figures: list[Figure]) -> dict[str, Any]:
    machine = {"cpu": "A CPU", "cores": "2", "memory": "24 GiB", "kernel": "Linux 6"}
    return {
        "size": "TPC-H at scale 1",
        "command": "python -m bench.gateway",
        "date": "2026-11-22",
        "machine": machine,
    } | {
        "congestion control": "bbr",
        "versions": {"gateway": "0.1.0"},
        "figures": [figure.as_json() for figure in figures],
    }


def judged(part: str, figures: list[Figure]) -> dict[str, Bar]:
    return {bar.what: bar for bar in PARTS[part].bars(rows(figures, part))}


def test_the_way_through_the_gateway_may_cost_a_quarter() -> None:
    what = "PostgreSQL to Arrow through the gateway, 2 endpoints, bowshot"
    for wall, passed in ((4.9, True), (5.1, False)):
        figures = [
            load("straight", "lineitem/bowshot straight", 4.0),
            load("straight", "lineitem/gateway, bowshot", wall),
        ]
        assert judged("straight", figures)[what].passed is passed


def test_an_endpoint_has_the_time_of_its_share_of_the_bytes() -> None:
    figures = [
        Figure("files", "memcpy/one core", {"wall s": 0.4}),
        load("files", "lineitem/gateway, bowshot, 1 endpoint", 0.9),
        load("files", "lineitem/gateway, bowshot, 2 endpoints", 0.6),
        load("files", "lineitem/roapi, adbc", 0.7),
    ]
    bars = judged("files", figures)
    assert bars["Parquet through the gateway, 1 of them"].passed is True
    assert bars["Parquet through the gateway, 2 of them"].passed is False
    assert bars["Parquet through the gateway, against roapi"].passed is True
    assert bars["Parquet through the gateway, against sail"].passed is None


def test_the_chosen_codec_is_judged_by_the_best_fixed_one() -> None:
    cell = "wan/acs/gateway on postgresql"
    figures = [
        load("network", f"{cell}, {codec}", wall) for codec, wall in (("none", 9.0), ("lz4", 5.0), ("zstd", 3.0))
    ]
    for wall, passed in ((3.2, True), (3.4, False)):
        bars = judged("network", [*figures, load("network", f"{cell}, auto", wall)])
        assert bars["wan/acs: chosen codec"].passed is passed
        assert bars["lan/acs: chosen codec"].passed is None


def test_the_fastest_of_a_databases_own_clients_counts() -> None:
    # Bowshot straight from the database is no program of the database.
    own = [("mariadb", 6.0), ("mariadb, compressed", 4.0), ("bowshot straight, 1 connection", 1.0)]
    figures = [load("network", f"lan/ontime/mariadb, {who}", wall) for who, wall in own]
    figures.append(load("network", "lan/ontime/gateway on mariadb, auto", 5.0))
    bar = judged("network", figures)["lan/ontime: the gateway on mariadb against its own protocol"]
    assert (bar.passed, bar.measured) == (False, "0.8 × (5.00 s against 4.00 s)")


def test_pyodbc_has_a_bar_of_its_own() -> None:
    figures = [load("rows", "20 numbers/postgresql/gateway, adbc", 1.0)]
    figures += [load("rows", f"20 numbers/postgresql/{peer}", 14.0) for peer in ("psycopg2", "pyodbc")]
    bars = judged("rows", figures)
    gateway = "20 numbers to pandas, the gateway on"
    assert bars[f"{gateway} postgresql against pyodbc on postgresql"].passed is True
    assert bars[f"{gateway} postgresql against psycopg2 on postgresql"].passed is False
    assert bars[f"{gateway} Parquet files against psycopg2 on postgresql"].passed is None


def test_memory_and_the_first_batch_have_limits() -> None:
    stalled = [Figure("stalled", "10 GB/64 readers", {"peak MB": 1086.0})]
    assert judged("stalled", stalled)["peak memory of the gateway, 10 GB/64 readers"].passed is False
    first = [Figure("first", "lineitem/postgresql", {"first batch median ms": 40.0, "first batch slowest ms": 140.0})]
    assert [bar.passed for bar in judged("first", first).values()] == [True, False]


def test_a_failure_leaves_its_bar_open_and_stands_in_the_table() -> None:
    figures = [Figure("first", "lineitem/postgresql", error="no | answer")]
    page = report(result(figures))
    assert "| lineitem/postgresql | failed: no \\| answer" in page
    assert "| first batch of lineitem after GetFlightInfo, median | < 100 ms | not run | – |" in page


def test_a_result_that_differs_from_the_others_is_told() -> None:
    figures = [
        load("rows", "20 texts/mariadb/pymysql", 1.0),
        load("rows", "20 texts/mariadb/gateway, adbc", 1.0, sum=20),
    ]
    other = load("rows", "20 texts/postgresql/psycopg2", 1.0, rows=7)
    assert len(disagreements([*figures, other])) == 1
    assert "**Wrong result:** rows/20 texts/mariadb/gateway, adbc returned 6" in report(result(figures))


def test_a_page_names_the_links_and_the_congestion_control() -> None:
    page = report(result([load("straight", "lineitem/gateway, adbc", 1.234, **{"gateway CPU s": 0.5})]))
    assert LAN.described in page
    assert "1% of the packets lost. TCP's congestion control is bbr" in page
    assert "| lineitem/gateway, adbc | 1.23 | 0.50 |" in page


def test_the_made_tables_have_the_columns_of_the_papers() -> None:
    made = {table.__name__: [name for name, _, _ in table()] for table in (numbers, texts, acs, ontime)}
    assert {name: len(columns) for name, columns in made.items()} == {
        "numbers": 20,
        "texts": 21,  # the key, too
        "acs": 274,
        "ontime": 109,
    }
    assert all(len(set(columns)) == len(columns) and columns[0] == "id" for columns in made.values())


def test_a_long_query_is_a_command_of_protobuf() -> None:
    query = b"SELECT '" + b"x" * 300 + b"'"
    url = b"type.googleapis.com/arrow.flight.protocol.sql.CommandStatementQuery"
    # Fields 1 and 2, each with its length in groups of seven bits: 67, then 312, and 309 inside.
    assert statement(query.decode()) == b"\x0a\x43" + url + b"\x12\xb8\x02" + b"\x0a\xb5\x02" + query


def test_losses_are_the_wide_area_networks() -> None:
    assert (LAN.loss, WAN.loss) == (0.0, 0.01)
