"""Queries as datasets of Ray Data, whose workers read the database: docs/guide/ray.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._bowshot import PARTITION_BYTES_OF_TASKS
from ._plan import held
from ._query import query
from ._require import require
from .lazy.ray import BATCH_BYTES, read_ray

if TYPE_CHECKING:
    import ray.data
    from typing_extensions import Unpack

    from ._arguments import Connection, Sql
    from ._options import PlanOptions

__all__ = ["read_sql"]


def read_sql(
    sql: Sql,
    con: Connection,
    *,
    lease: float | None = None,
    concurrency: int | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    memory: float | None = None,
    resources: dict[str, float] | None = None,
    override_num_blocks: int | None = None,
    **options: Unpack[PlanOptions],
) -> ray.data.Dataset:
    """A query as a lazy `ray.data.Dataset`: a read task a partition, all of them on one state of the database.

    Blocks are Arrow tables with the exact schema of the result, which `schema()` knows before anything is read.
    `docs/guide/ray.md` has examples.

    Parameters
    ----------
    sql, con
        As in `bowshot.read_sql`.
    lease
        After how many seconds without a read the snapshot is let go of, though the dataset lives; never without it.
    concurrency, num_cpus, num_gpus, memory, resources, override_num_blocks
        As in `ray.data.read_datasource`: how many read tasks run at once, and what each of them needs.
    **options
        Those of `bowshot.plan`, which mean the same in `bowshot.read_sql`: `params`, `types`, `partition_bytes` (64
        MiB), `partition_on`, …

    Raises
    ------
    bowshot.Error
        In one of its kinds. An `UnsupportedError` where partitions of this database cannot share a state; it names the
        ways out.
    """
    require("ray", "ray")
    how: dict[str, Any] = {
        "concurrency": concurrency,
        "num_cpus": num_cpus,
        "num_gpus": num_gpus,
        "memory": memory,
        "resources": resources,
        "override_num_blocks": override_num_blocks,
    }
    # What nobody asked for is not said: earlier versions of Ray know fewer of them.
    given = {name: value for name, value in how.items() if value is not None}
    sized: PlanOptions = {"partition_bytes": PARTITION_BYTES_OF_TASKS, **options}
    return read_ray(query(sql, con, lease=held(lease), batch_bytes=BATCH_BYTES, **sized).plan, given)
