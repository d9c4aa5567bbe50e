"""Queries as datasets of PyTorch, whose workers read the database: docs/guide/torch.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._bowshot import PARTITION_BYTES_OF_TASKS
from ._plan import held
from ._query import plan
from ._require import require
from .lazy.torch import Form, read_torch

if TYPE_CHECKING:
    import torch.utils.data
    from typing_extensions import Unpack

    from ._arguments import Connection, Sql
    from ._options import PlanOptions

__all__ = ["read_sql"]


def read_sql(
    sql: Sql,
    con: Connection,
    *,
    batch_size: int | None = None,
    form: Form = "tensors",
    lease: float | None = None,
    **options: Unpack[PlanOptions],
) -> torch.utils.data.IterableDataset[Any]:
    """A query as a `torch.utils.data.IterableDataset` of batches, for `DataLoader(dataset, batch_size=None)`.

    Each worker of the loader reads its partitions of the result; all of them, in every epoch, see one state of the
    database. `docs/guide/torch.md` has examples.

    Parameters
    ----------
    sql, con
        As in `bowshot.read_sql`.
    batch_size
        Rows of a batch, fewer in a worker's last one; without it, as many as arrive together.
    form
        `"tensors"`: each batch is a dict of a tensor a column, which must be of numbers or booleans without NULLs.
        `"arrow"`: each batch is a `pyarrow.RecordBatch`, of any types.
    lease
        After how many seconds without a read the snapshot is let go of, though the dataset lives; never without it.
    **options
        Those of `bowshot.plan`, which mean the same in `bowshot.read_sql`: `params`, `types`, `partition_bytes` (64
        MiB), `partition_on`, …

    Raises
    ------
    bowshot.Error
        In one of its kinds. An `UnsupportedError` names a column that no tensor holds, or says that partitions of this
        database cannot share a state, with the ways out.
    """
    require("torch", "torch")
    sized: PlanOptions = {"partition_bytes": PARTITION_BYTES_OF_TASKS, **options}
    return read_torch(plan(sql, con, lease=held(lease), **sized), batch_size, form)
