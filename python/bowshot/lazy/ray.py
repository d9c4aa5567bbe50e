"""A query as a dataset of Ray Data, a read task a partition."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from .._require import require
from .piece import Piece, pieces, refuse_duplicates

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from .._plan import Plan


BATCH_BYTES = 16 << 20
"""How large the batches are that blocks are put together of: Ray writes down each array of a block by itself."""


def read_ray(plan: Plan, how: dict[str, Any]) -> Any:
    """The partitions of a plan as a `ray.data.Dataset`; `how` is for `ray.data.read_datasource`."""
    require("ray", "ray")
    require("pyarrow", "ray")
    import pyarrow
    import ray.data

    refuse_duplicates(plan.schema.names, "Ray Data")
    source = _datasource()(plan, pyarrow.schema(plan.schema))
    # Ray would cut what tasks read into 200 blocks or more, and have a task of a few rows for each of them then.
    return ray.data.read_datasource(source, **{"override_num_blocks": max(1, len(plan.partitions)), **how})


class ReadBlocks:
    """Reads a partition in a worker, as blocks of Arrow that have the schema of the result."""

    __name__ = "bowshot"
    """What Ray calls the function."""

    def __init__(self, piece: Piece | None, schema: pa.Schema) -> None:
        """Without a piece: a result that has none."""
        self._piece, self._schema = piece, schema

    def __call__(self) -> Iterator[pa.Table]:
        """The blocks; at least one, since the schema travels with them."""
        import pyarrow

        batches = iter(()) if self._piece is None else self._piece.partition.batches()
        empty = True
        for batch in batches:
            empty = False
            yield pyarrow.Table.from_batches([batch], self._schema)
        if empty:
            yield self._schema.empty_table()


@functools.cache
def _datasource() -> Any:
    """The class, made when Ray is there."""
    from ray.data import Datasource, ReadTask
    from ray.data.block import BlockMetadata

    class BowshotDatasource(Datasource):  # type: ignore[misc]
        """The partitions of a plan, which is kept while a dataset has this."""

        def __init__(self, plan: Plan, schema: pa.Schema) -> None:
            """Writes the tickets, which shows whether the partitions travel before anything is read."""
            super().__init__()
            self._pieces, self._schema = pieces(plan), schema
            self._sizes = _sizes(plan)

        def get_name(self) -> str:
            """What Ray's progress bars and statistics say."""
            return "Bowshot"

        def estimate_inmemory_data_size(self) -> int | None:
            """About how many bytes, if the database has an idea."""
            return sum(size for size in self._sizes if size is not None) or None

        def get_read_tasks(
            self,
            parallelism: int,  # noqa: ARG002 - Ray's signature
            per_task_row_limit: int | None = None,
            data_context: Any = None,  # noqa: ARG002 - Ray's signature
        ) -> list[Any]:
            """A task a partition: how many there are was settled when the snapshot was taken."""
            return [
                ReadTask(
                    ReadBlocks(piece, self._schema),
                    # Ray takes a number of rows for exact, and would answer `count()` with it.
                    BlockMetadata(num_rows=None, size_bytes=size, exec_stats=None, input_files=None),
                    schema=self._schema,
                    per_task_row_limit=per_task_row_limit,
                )
                for piece, size in zip(self._pieces or [None], self._sizes or [None], strict=True)
            ]

    return BowshotDatasource


def _sizes(plan: Plan) -> list[int | None]:
    """About how many bytes each partition has; not 0, which Ray takes for a dataset without rows."""
    parts, rows, size = plan.partitions, plan.rows, plan.bytes
    if not size:
        return [None] * len(parts)
    if not rows or any(part.rows is None for part in parts):
        return [max(1, size // len(parts)) for _ in parts]
    return [max(1, size * (part.rows or 0) // rows) for part in parts]
