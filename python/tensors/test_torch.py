"""`bowshot.torch`: each worker of a DataLoader reads its partitions, on one state of the database."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path
from typing import Any

import bowshot
import bowshot.torch
import pyarrow as pa
import pytest
import torch
from tests.test_guides import GUIDES, OF_TORCH, lineitem, run
from tests.test_tickets import ROWS, sessions, until
from torch.utils.data import DataLoader, IterableDataset

__all__ = ["lineitem"]

SQL = "SELECT id, balance FROM accounts"


def lazy(postgres: str, sql: Any = SQL, **options: Any) -> Any:
    return bowshot.torch.read_sql(sql, postgres, connections=4, **options)


def loaded(dataset: Any, workers: int, start: str | None = None) -> list[Any]:
    return list(DataLoader(dataset, batch_size=None, num_workers=workers, multiprocessing_context=start))


@pytest.mark.usefixtures("writers")
@pytest.mark.parametrize(("workers", "start"), [(0, None), (2, "fork"), (2, "spawn"), (9, "fork")])
def test_one_state_while_writers_write(postgres: str, workers: int, start: str | None) -> None:
    dataset = lazy(postgres)
    assert isinstance(dataset, IterableDataset)
    for _ in range(2):
        batches = loaded(dataset, workers, start)
        ids = torch.cat([batch["id"] for batch in batches])
        assert sorted(ids.tolist()) == list(range(1, ROWS + 1))
        assert sum(int(batch["balance"].sum()) for batch in batches) == 0


@pytest.mark.usefixtures("accounts")
def test_each_worker_reads_its_own_partitions(postgres: str) -> None:
    dataset = lazy(postgres, form="arrow")
    parts = [set(batch["id"].to_pylist()) for batch in loaded(dataset, 2, "fork")]
    assert sum(map(len, parts)) == ROWS == len(set.union(*parts))


@pytest.mark.usefixtures("accounts")
def test_batches_have_exactly_the_rows_asked_for(postgres: str) -> None:
    for rows in (1000, 7, 50_000, ROWS, ROWS + 1):
        sizes = [len(batch["id"]) for batch in lazy(postgres, batch_size=rows)]
        assert sizes == [rows] * (ROWS // rows) + ([ROWS % rows] if ROWS % rows else [])
    # Each worker's last one may have fewer, and the workers' batches come in turn.
    sizes = [len(batch["id"]) for batch in loaded(lazy(postgres, batch_size=1024), 2, "fork")]
    assert sum(sizes) == ROWS
    assert sum(size != 1024 for size in sizes) <= 2
    alike = [list(lazy(postgres, batch_size=rows, form="arrow")) for rows in (100, 33_333)]
    assert pa.Table.from_batches(alike[0]).combine_chunks() == pa.Table.from_batches(alike[1]).combine_chunks()


@pytest.mark.usefixtures("accounts")
def test_the_session_ends_with_the_dataset(postgres: str) -> None:
    before = sessions(postgres)
    dataset = lazy(postgres)
    assert sessions(postgres) == before + 1
    for _ in DataLoader(dataset, batch_size=None, num_workers=2):
        break
    assert len(loaded(dataset, 1)) > 0
    assert sessions(postgres) == before + 1
    del dataset, _
    gc.collect()
    until(lambda: sessions(postgres) <= before, "the holder's session stays")
    short = lazy(postgres, lease=0.3)
    until(lambda: sessions(postgres) <= before, "the lease never ends")
    with pytest.raises(bowshot.SnapshotGoneError, match="plan the query again"):
        next(iter(short))


@pytest.mark.usefixtures("accounts")
def test_a_worker_that_is_killed_is_an_error(postgres: str) -> None:
    loader = iter(DataLoader(lazy(postgres, batch_size=10), batch_size=None, num_workers=1))
    next(loader)
    os.kill(loader._workers[0].pid, signal.SIGKILL)
    # What torch says of it depends on what the worker was about.
    with pytest.raises((RuntimeError, OSError, EOFError)):
        list(loader)
    del loader
    gc.collect()


def test_every_type_of_number(postgres: str) -> None:
    columns: dict[str, tuple[str, list[Any], torch.dtype]] = {
        "int16": ("int2", [-32768, 32767], torch.int16),
        "int32": ("int4", [-(2**31), 2**31 - 1], torch.int32),
        "int64": ("int8", [-(2**63), 2**63 - 1], torch.int64),
        "float32": ("float4", [1.5, float("inf")], torch.float32),
        "float64": ("float8", [5e-324, -0.0], torch.float64),
        "bool": ("bool", [True, False], torch.bool),
        "uint8": ("int4", [0, 255], torch.uint8),
        "uint16": ("int4", [0, 65535], torch.int32),
        "uint32": ("int8", [0, 2**32 - 1], torch.int64),
        "uint64": ("int8", [0, 2**63 - 1], torch.int64),
        "int8": ("int4", [-128, 127], torch.int8),
    }
    names = ", ".join(f"{name}_" for name in columns)
    rows = ["(" + ", ".join(f"'{v[row]}'::{kind}" for kind, v, _ in columns.values()) + ")" for row in (0, 1)]
    types: Any = {f"{name}_": name for name in columns}
    sql = f"SELECT * FROM (VALUES {', '.join(rows)}) AS t ({names})"
    (batch,) = list(bowshot.torch.read_sql(sql, postgres, types=types))
    for name, (_, values, dtype) in columns.items():
        assert batch[f"{name}_"].dtype == dtype, name
        assert batch[f"{name}_"].tolist() == values, name
    batch["int16_"] += 1


def test_what_no_tensor_holds(postgres: str) -> None:
    read = bowshot.torch.read_sql
    with pytest.raises(bowshot.UnsupportedError, match=r'column "t" \(utf8\).*form="arrow"'):
        read("SELECT 1 AS n, 'a' AS t", postgres)
    with pytest.raises(bowshot.UnsupportedError, match=r'column "price" \(decimal128.*types='):
        read("SELECT 1.5::numeric(10, 2) AS price", postgres)
    (priced,) = list(read("SELECT 1.5::numeric(10, 2) AS price", postgres, types={"price": "float64"}))
    assert priced["price"].tolist() == [1.5]
    with pytest.raises(bowshot.DataError, match=r'column "n" \(int32\) has NULLs.*coalesce'):
        list(read("SELECT 1 AS n UNION ALL SELECT NULL", postgres))
    with pytest.raises(bowshot.DataError, match=r"18446744073709551615.*beyond int64"):
        list(read("SELECT 18446744073709551615 AS n", postgres, types={"n": "uint64"}))
    with pytest.raises(bowshot.ConfigError, match="two columns"):
        read("SELECT 1 AS n, 2 AS n", postgres)
    (arrow,) = list(read("SELECT 'a' AS t, NULL::int4 AS n, 2 AS n", postgres, form="arrow"))
    assert arrow.schema.names == ["t", "n", "n"]
    assert list(read("SELECT 1 AS n WHERE false", postgres)) == []
    mistakes: list[dict[str, Any]] = [{"form": "rows"}, {"batch_size": 0}]
    for wrong in mistakes:
        with pytest.raises(bowshot.ConfigError, match=next(iter(wrong))):
            read("SELECT 1 AS n", postgres, **wrong)


def test_a_file(shop: Path) -> None:
    batches = loaded(bowshot.torch.read_sql("SELECT id, large FROM items", shop, batch_size=30), 2, "fork")
    assert sorted(torch.cat([batch["id"] for batch in batches]).tolist()) == list(range(1, 101))


@pytest.mark.parametrize("guide", [path for path in GUIDES if path.name in OF_TORCH], ids=lambda path: path.name)
def test_the_guide_of_torch_runs(guide: Path, lineitem: str) -> None:
    run(guide, lineitem)
