"""What a load returned: its size, and a value by which the results of all peers are compared."""

from dataclasses import dataclass
from typing import Any

# The column whose sum every result must agree on.
CHECKED_COLUMN = "l_orderkey"


@dataclass(frozen=True)
class Discarded:
    """The result of a floor: nothing is kept, nothing can be checked."""


@dataclass(frozen=True)
class Streamed:
    """The result of reading batch by batch: what was counted on the way, and the CPU seconds that the counting took."""

    rows: int
    key_sum: int
    size: int
    checking: float


@dataclass(frozen=True)
class Content:
    """The rows, the sum of the checked column, and the bytes that the result occupies; None where nothing was kept."""

    rows: int | None
    key_sum: int | None
    size: int | None


def content(result: Any, column: str = CHECKED_COLUMN) -> Content:
    """Measures a result: a pyarrow table, a pandas or a Polars dataframe, `Streamed` or `Discarded`.

    Raises `TypeError` for anything else.
    """
    library = type(result).__module__.partition(".")[0]
    if isinstance(result, Discarded):
        return Content(None, None, None)
    if isinstance(result, Streamed):
        return Content(result.rows, result.key_sum, result.size)
    if library == "pyarrow":
        import pyarrow.compute

        return Content(result.num_rows, pyarrow.compute.sum(result[column]).as_py(), result.nbytes)
    if library == "pandas":
        size = int(result.memory_usage(index=True, deep=True).sum())
        return Content(len(result), int(result[column].sum()), size)
    if library == "polars":
        import polars

        key_sum = result[column].cast(polars.Int64).sum()
        return Content(result.height, int(key_sum), int(result.estimated_size()))
    raise TypeError(f"a load returned {type(result).__module__}.{type(result).__name__}, which cannot be measured")
