"""The options of a read, which `read_sql`, `query` and `plan` share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._params import Params
from .exceptions import ConfigError


class PlanOptions(TypedDict, total=False):
    """What says how a query is planned: the keywords of `plan`, but for `lease`."""

    params: Params
    types: Mapping[str, Any] | None
    infinity: Literal["error", "null"]
    zero_dates: Literal["error", "null"]
    one_snapshot: bool
    protocol: str | None
    partition_on: str | None
    partition_range: tuple[int, int] | None
    partition_num: int | None
    partition_bytes: int | None
    pre_execution_query: str | Sequence[str] | None
    connections: int | None


def keywords(
    *,
    protocol: str | None = None,
    partition_on: str | None = None,
    partition_range: tuple[int, int] | None = None,
    partition_num: int | None = None,
    partition_bytes: int | None = None,
    pre_execution_query: str | Sequence[str] | None = None,
    types: Mapping[str, Any] | None = None,
    infinity: str = "error",
    zero_dates: str = "error",
    one_snapshot: bool = True,
    connections: int | None = None,
    several: bool = False,
    batch_bytes: int | None = None,
    buffer_bytes: int | None = None,
) -> dict[str, Any]:
    """The options as the compiled half takes them; `several`: there is more than one query.

    >>> keywords(partition_on="id")
    Traceback (most recent call last):
    bowshot.exceptions.ConfigError: partition_on needs partition_num: how many partitions to make
    """
    if partition_on is not None and several:
        raise ConfigError("a list of queries is split already; leave partition_on out")
    if partition_on is not None and partition_num is None:
        raise ConfigError("partition_on needs partition_num: how many partitions to make")
    if partition_range is not None and partition_on is None:
        raise ConfigError("partition_range needs partition_on: the column that it is of")
    _positive("partition_num", partition_num)
    _positive("partition_bytes", partition_bytes)
    _positive("connections", connections)
    _positive("batch_bytes", batch_bytes)
    _positive("buffer_bytes", buffer_bytes)
    # Without a column, Bowshot splits by itself; the number then says how many connections may read at once.
    if partition_on is None and connections is None:
        connections = partition_num
    before = [pre_execution_query] if isinstance(pre_execution_query, str) else list(pre_execution_query or ())
    return {
        "connections": connections,
        "protocol": protocol,
        "partition_on": partition_on,
        "partition_num": partition_num,
        "partition_range": None if partition_range is None else tuple(map(int, partition_range)),
        "partition_bytes": partition_bytes,
        "types": [(column, str(name)) for column, name in (types or {}).items()],
        "infinity": infinity,
        "zero_dates": zero_dates,
        "one_snapshot": one_snapshot,
        "before": before,
        "batch_bytes": batch_bytes,
        "buffer_bytes": buffer_bytes,
    }


def _positive(name: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise ConfigError(f"{name} must be at least 1, not {value}")


def seconds(name: str, value: float) -> float:
    """A time in seconds.

    >>> seconds("lease", -1)
    Traceback (most recent call last):
    bowshot.exceptions.ConfigError: lease must be a number of seconds above 0, not -1
    """
    if not 0 < value < math.inf:
        raise ConfigError(f"{name} must be a number of seconds above 0, not {value}")
    return float(value)
