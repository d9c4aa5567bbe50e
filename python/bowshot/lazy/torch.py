"""A query as a dataset of PyTorch, whose workers each read their partitions."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal

from .._require import require
from ..exceptions import ConfigError, DataError, UnsupportedError
from .piece import Pieces, pieces, refuse_duplicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from .._plan import Plan

Form = Literal["tensors", "arrow"]
# What holds every value: before 2.3, torch has no unsigned integers but those of 8 bits.
_HELD = {
    "bool": "bool",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
    "uint8": "uint8",
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "int64",
    "float16": "float16",
    "float32": "float32",
    "float64": "float64",
}


def read_torch(plan: Plan, batch_size: int | None, form: Form) -> Any:
    """The partitions of a plan as a `torch.utils.data.IterableDataset`."""
    require("torch", "torch")
    require("pyarrow", "torch")
    if form not in ("tensors", "arrow"):
        raise ConfigError(f'form must be "tensors" or "arrow", not {form!r}')
    if batch_size is not None and batch_size < 1:
        raise ConfigError(f"batch_size must be at least 1, not {batch_size}")
    if form == "tensors":
        refuse_duplicates(plan.schema.names, "a dict of tensors")
        for name, kind in zip(plan.schema.names, plan.schema.types, strict=True):
            if kind not in _HELD:
                raise UnsupportedError(
                    f'column "{name}" ({kind}) is neither of numbers nor of booleans, and tensors hold nothing else;'
                    " leave it out of the query, make a number of it there or, of a decimal, by"
                    f' types={{"{name}": "float64"}}, or take Arrow batches: form="arrow"',
                    column=name,
                )
    return dataset(pieces(plan), plan.schema.types, batch_size, form)


def dataset(parts: Pieces, types: Sequence[str], batch_size: int | None, form: Form) -> Any:
    """The dataset of these partitions; it is how one comes out of a pickle."""
    return _dataset_class()(parts, types, batch_size, form)


@functools.cache
def _dataset_class() -> Any:
    """The class, made when torch is there."""
    from torch.utils.data import IterableDataset, get_worker_info

    class SqlDataset(IterableDataset):  # type: ignore[misc]
        """The partitions of a plan, which is kept while the process that planned it has this."""

        def __init__(self, parts: Pieces, types: Sequence[str], batch_size: int | None, form: Form) -> None:
            """Without `batch_size`, batches are as large as they arrive."""
            super().__init__()
            self._parts, self._types, self._batch_size, self._form = parts, types, batch_size, form

        def __iter__(self) -> Iterator[Any]:
            """The batches of this worker's partitions, or of all where there are no workers."""
            worker = get_worker_info()
            first, every = (0, 1) if worker is None else (worker.id, worker.num_workers)
            batches: Iterator[Any] = (
                batch for piece in self._parts[first::every] for batch in piece.partition.batches()
            )
            if self._batch_size is not None:
                batches = _resized(batches, self._batch_size)
            return batches if self._form == "arrow" else (_tensors(batch, self._types) for batch in batches)

        def __reduce__(self) -> tuple[Any, ...]:
            """For workers, without what keeps the plan."""
            return dataset, (self._parts, self._types, self._batch_size, self._form)

    return SqlDataset


def _resized(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Batches of exactly that many rows, the last one fewer."""
    import pyarrow

    waiting: list[pa.RecordBatch] = []
    held = 0
    for batch in batches:
        waiting.append(batch)
        held += batch.num_rows
        if held >= rows:
            whole = pyarrow.Table.from_batches(waiting).combine_chunks().to_batches()[0]
            full = held - held % rows
            for start in range(0, full, rows):
                yield whole.slice(start, rows)
            waiting, held = [whole.slice(full)], held - full
    if held:
        yield pyarrow.Table.from_batches(waiting).combine_chunks().to_batches()[0]


def _tensors(batch: pa.RecordBatch, types: Sequence[str]) -> dict[str, Any]:
    names = batch.schema.names
    columns = zip(names, batch.columns, types, strict=True)
    return {name: _tensor(column, name, kind) for name, column, kind in columns}


def _tensor(column: Any, name: str, kind: str) -> Any:
    import numpy as np
    import torch

    if column.null_count:
        raise DataError(
            f'column "{name}" ({kind}) has NULLs, which tensors cannot hold; replace them in the query, as by'
            f' coalesce("{name}", 0), or take Arrow batches: form="arrow"',
            column=name,
        )
    values = column.to_numpy(zero_copy_only=False)
    if kind == "uint64" and len(values) and int(values.max()) > np.iinfo(np.int64).max:
        raise DataError(
            f'column "{name}" (uint64) holds {int(values.max())}, which is beyond int64, as the tensor would be; make'
            ' another number of it in the query, or take Arrow batches: form="arrow"',
            column=name,
        )
    # A copy: tensors are written to, and Arrow memory is not.
    return torch.from_numpy(np.array(values, dtype=_HELD[kind]))
