"""The bars of the frames' benchmark, and its rows."""

from bench.frames.__main__ import NAME, ROWS, bars
from bench.gateway.figures import Figure, rows


def test_bars_compare_with_a_library_s_own_reader() -> None:
    walls = {
        "dask/bowshot": 2.0,
        "dask/read_sql_table": 9.0,
        "ray/bowshot": 2.0,
        "ray/read_sql, shards": 7.0,
        "arrow/read_sql": 1.0,
        "arrow/ADBC driver": 1.02,
    }
    figures = [Figure(NAME, name, {"wall s": wall, "rows": 1, "sum": 1}) for name, wall in walls.items()]
    memory = Figure(NAME, "dask/bowshot", {"wall s": 2.0, "worker MB": 290, "partition MB": 100})
    judged = {bar.what: bar for bar in bars(rows([memory, *figures[1:]], NAME))}
    assert judged["Dask, len() and a group-by"].passed
    assert judged["Dask, memory of a worker above its start"].passed
    assert judged["Ray, the whole table"].passed is False, "3.5 times"
    assert judged["the ADBC driver, to Arrow"].passed
    assert judged["Modin, a group-by"].passed is None


def test_what_belongs_together_is_compared() -> None:
    groups = {row.name.partition("/")[0] for row in ROWS}
    assert all(sum(row.name.startswith(f"{group}/") for row in ROWS) > 1 for group in groups)
