"""A query as a Modin dataframe, whose partitions are read in the workers of its engine."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._require import require
from .._tell import Telling
from ..exceptions import UnsupportedError
from ..frame_parts import Part, dtypes_of_all, fitted, look, settled_dates
from ..pandas import FrameOptions, empty_frame, read_frame
from .piece import Piece, pieces

if TYPE_CHECKING:
    import pandas as pd

    from .._plan import Plan


def read_modin(plan: Plan, options: FrameOptions) -> Any:
    """The partitions of a plan as a `modin.pandas.DataFrame`; the plan is closed when all of them are read."""
    require("modin", "modin")
    require("pandas", "modin")
    require("pyarrow", "modin")
    import modin.pandas
    from modin.distributed.dataframe.pandas import from_partitions

    options = dataclasses.replace(options, part=True, is_table=plan._plan.is_table)
    later, options = _categories(options)
    workers = _workers()
    with contextlib.closing(plan):
        read = ReadPart(dataclasses.replace(options, index_col=None, dtype=None, parse_dates=None))
        kept = pieces(plan)
        sent = [workers.deploy(read, f_args=(piece,), num_returns=2) for piece in kept]
        parts: list[Part] = list(workers.materialize([part for _, part in sent]))
        names, types = plan.schema.names, plan.schema.types
        if not any(part.rows for part in parts):
            whole = dataclasses.replace(options, part=False)
            frame = modin.pandas.DataFrame(empty_frame(plan._plan, whole))
            return frame.astype(later) if later else frame
        options = settled_dates(options, names, parts)
        dtypes = dtypes_of_all(parts, types)
        starts = itertools.accumulate((part.rows for part in parts), initial=0)
        filled = [
            (frame, start, part.rows) for (frame, _), start, part in zip(sent, starts, parts, strict=False) if part.rows
        ]
        made = [workers.deploy(fitted, f_args=(frame, dtypes, start, options)) for frame, start, _ in filled]
        # What goes wrong there is told here, and a worker that is lost until then is not missed.
        workers.materialize([workers.deploy(len, f_args=(frame,)) for frame in made])
    frame = from_partitions(made, axis=0, row_lengths=[rows for *_, rows in filled])
    return frame.astype(later) if later else frame


class ReadPart:
    """Reads a partition in a worker into a frame, and says what is to be known of it."""

    def __init__(self, options: FrameOptions) -> None:
        """With the options that all partitions have."""
        self._options = options

    def __call__(self, piece: Piece) -> tuple[pd.DataFrame, Part]:
        """The frame, which stays in the worker, and the facts."""
        plan = piece.partition._unread()
        with Telling(plan):
            frame = read_frame(plan, self._options)
        return frame, look(frame)


def _categories(options: FrameOptions) -> tuple[dict[Any, Any], FrameOptions]:
    """The columns that become categories, which only the whole knows, and the options without them."""
    dtype = options.dtype
    if not isinstance(dtype, Mapping):
        if not _open(dtype):
            return {}, options
        raise UnsupportedError(
            'dtype="category" makes categories of all columns, which no partition knows alone; make them of the frame:'
            ' read_sql(…, return_type="modin").astype("category")'
        )
    later = {name: value for name, value in dtype.items() if _open(value)}
    now = {name: value for name, value in dtype.items() if name not in later}
    return later, dataclasses.replace(options, dtype=now or None)


def _open(dtype: Any) -> bool:
    import pandas as pd

    return (
        dtype == "category"
        if isinstance(dtype, str)
        else dtype is pd.CategoricalDtype or (isinstance(dtype, pd.CategoricalDtype) and dtype.categories is None)
    )


def _workers() -> Any:
    """What runs functions in the workers of the engine that Modin is set to."""
    import modin.config
    from modin.core.execution.dispatching.factories.dispatcher import FactoryDispatcher

    engine = modin.config.Engine.get()
    factory = FactoryDispatcher.get_factory()
    frames = getattr(factory.io_cls, "frame_cls", None)
    workers = getattr(getattr(frames, "_partition_mgr_cls", None), "_execution_wrapper", None)
    if workers is None:
        raise UnsupportedError(
            f'return_type="modin" reads in the workers of Modin\'s engine, and "{engine}" has none; choose another'
            " one, as by MODIN_ENGINE=ray or MODIN_ENGINE=dask, or take a pandas frame:"
            " modin.pandas.DataFrame(bowshot.read_sql(…))"
        )
    return workers
