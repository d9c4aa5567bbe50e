"""A query as a Dask dataframe, a task a partition."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._require import require
from .._tell import Telling
from ..exceptions import ConfigError, DataError
from ..pandas import FrameOptions, empty_frame, read_frame
from .piece import Piece, pieces, refuse_duplicates

if TYPE_CHECKING:
    import dask.dataframe as dd
    import pandas as pd

    from .._plan import Plan


def read_dask(plan: Plan, options: FrameOptions, sorted_on: str | None) -> dd.DataFrame:
    """The partitions of a plan as a lazy dataframe; `sorted_on` is the column by whose given ranges it was split."""
    require("dask", "dask")
    require("pandas", "dask")
    require("pyarrow", "dask")
    import dask.dataframe as dd

    options = dataclasses.replace(options, settled=True, is_table=plan._plan.is_table, index_col=_index(options))
    refuse_duplicates(plan.schema.names, "a Dask dataframe")
    meta = _meta(plan, options)
    divisions = _divisions(plan, meta) if sorted_on is not None and sorted_on == options.index_col else None
    parts = pieces(plan)
    if not parts:
        return dd.from_pandas(meta, npartitions=1)
    read = ReadPiece(meta, options, in_order=divisions is not None)
    # Expressions keep the exact types that were read; Dask would make its own of texts that are objects.
    import dask

    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_map(read, parts, meta=meta, divisions=divisions, label="bowshot")


class ReadPiece:
    """Reads a partition into a frame that has exactly the dtypes of all others."""

    def __init__(self, meta: pd.DataFrame, options: FrameOptions, *, in_order: bool) -> None:
        """With the empty frame `meta` of all partitions; `in_order`: sorted by the index."""
        self._meta, self._options, self._in_order = meta, options, in_order

    def __call__(self, piece: Piece, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The frame of one partition, of all its columns or those that Dask needs."""
        meta, options = self._meta, self._options
        if columns is not None:
            meta = meta[list(columns)]
            index = [] if options.index_col is None else [options.index_col]
            options = dataclasses.replace(options, only=(*columns, *index))  # type: ignore[arg-type]
        plan = piece.partition._unread()
        with Telling(plan):
            frame = read_frame(plan, options)
        if columns is not None:
            frame = frame[list(columns)]
        frame = _fit(frame, meta, piece)
        return frame.sort_index(kind="stable") if self._in_order else frame


def _index(options: FrameOptions) -> str | None:
    index = options.index_col
    if index is None or isinstance(index, str):
        return index
    if len(index) == 1:
        return index[0]
    raise ConfigError(
        f"index_col names {len(index)} columns, but a Dask dataframe has an index of one; name one of them, or none"
    )


def _meta(plan: Plan, options: FrameOptions) -> pd.DataFrame:
    """The empty frame whose dtypes every partition has."""
    import pandas as pd
    from dask.dataframe.utils import clear_known_categories

    meta = empty_frame(plan._plan, dataclasses.replace(options, index_col=None))
    if isinstance(options.index_col, str):
        # `set_index` forgets the size of integers where there are no rows.
        labels = pd.Index(meta[options.index_col])
        meta = meta.set_index(options.index_col).set_axis(labels)
    parsed: Any = options.parse_dates
    if parsed is None or isinstance(parsed, bool):
        parsed = ()
    wanted: list[str] = [parsed] if isinstance(parsed, str) else list(parsed)
    for name in wanted:
        # Of no text at all, pandas makes seconds; of most texts, microseconds.
        if name in meta.columns and getattr(meta[name].dtype, "kind", "") == "M" and meta[name].dt.unit == "s":
            meta[name] = meta[name].dt.as_unit("us")
    index = meta.index
    if isinstance(index, pd.DatetimeIndex) and index.name in wanted and index.unit == "s":
        meta.index = index.as_unit("us")
    named = [name for name, dtype in meta.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)]
    cleared: pd.DataFrame = clear_known_categories(meta, cols=named) if named else meta
    return cleared


def _divisions(plan: Plan, meta: pd.DataFrame) -> tuple[int, ...] | None:
    """Where the ranges of a column of numbers begin, and the end of the last, if these are what the plan has."""
    if getattr(meta.index.dtype, "kind", "O") not in "iuf":
        return None
    ranges = [re.fullmatch(r".* from (-?\d+) to (-?\d+)", partition.label) for partition in plan.partitions]
    ends = [(int(found[1]), int(found[2])) for found in ranges if found is not None]
    if not ends or len(ends) < len(ranges):
        return None
    together = all(first[1] + 1 == second[0] for first, second in itertools.pairwise(ends))
    return (*(low for low, _ in ends), ends[-1][1]) if together else None


def _fit(frame: pd.DataFrame, meta: pd.DataFrame, piece: Piece) -> pd.DataFrame:
    for name, dtype in meta.dtypes.items():
        if frame[name].dtype != dtype:
            frame[name] = _exactly(frame[name], dtype, str(name), piece)
    if frame.index.dtype != meta.index.dtype:
        index = _exactly(frame.index.to_series(), meta.index.dtype, str(meta.index.name), piece)
        frame.index = type(meta.index)(index.array, name=meta.index.name)
    return frame


def _exactly(values: pd.Series[Any], dtype: Any, name: str, piece: Piece) -> pd.Series[Any]:
    """A column with the dtype that all partitions have, if no value changes by that."""
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype) and isinstance(values.dtype, pd.CategoricalDtype):
        # Dask unites what is known of categories where it has to.
        return values
    problem = "that would change values"
    if getattr(values.dtype, "kind", "") == getattr(dtype, "kind", "") == "M":
        try:
            changed = values.astype(dtype)
            if changed.astype(values.dtype).equals(values):
                return changed
        except (ValueError, TypeError) as error:
            problem = str(error)
    raise DataError(
        f'column "{name}" became {values.dtype} in one partition ({piece.partition.label}) and is {dtype} in the'
        f" others: {problem}; a Dask dataframe has one dtype a column, so read it without parse_dates and dtype, and"
        " convert it by map_partitions",
        column=name,
    )
