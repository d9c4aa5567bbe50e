"""How a query will be read."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple

from . import _bowshot
from .notices import DatabaseNotice


class Partition(NamedTuple):
    """A slice of a result that is read alone."""

    label: str
    """What it holds, for people: `pages 0 to 1023 of lineitem`."""
    rows: int | None
    """About how many rows it has, if the database has an idea."""


class Plan:
    """How a query will be read: its columns, its partitions, and the state of the database that they all see.

    A plan that nobody has read keeps its snapshot open in the database until it is closed or dropped.
    """

    def __init__(self, plan: _bowshot.Plan) -> None:
        self._plan = plan

    @property
    def schema(self) -> _bowshot.Schema:
        """The columns of the result."""
        return self._plan.schema

    @property
    def partitions(self) -> Sequence[Partition]:
        """The slices of the result, in its order; together they are exactly the result."""
        return tuple(Partition(label, rows) for label, rows in self._plan.partitions)

    @property
    def snapshot(self) -> str | None:
        """What names the state of the database that all partitions see; `None` where it has no name."""
        return self._plan.snapshot

    @property
    def reason(self) -> str:
        """Why the query was or was not split, as a sentence."""
        return self._plan.reason

    @property
    def rows(self) -> int | None:
        """About how many rows the result has, if the database has an idea."""
        return self._plan.rows

    @property
    def bytes(self) -> int | None:
        """About how many bytes the result has in the database or on the wire."""
        return self._plan.bytes

    @property
    def notices(self) -> Sequence[DatabaseNotice]:
        """What the database has said so far, also what is not warned of: at most 100 messages of either kind."""
        return tuple(self._plan.notices)

    @property
    def notices_left_out(self) -> int:
        """How many messages of the database found no room in `notices`."""
        return self._plan.notices_left_out

    def close(self) -> None:
        """Lets go of the snapshot and its connection."""
        self._plan.close()

    def __enter__(self) -> Plan:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __str__(self) -> str:
        return str(self._plan)

    def __repr__(self) -> str:
        count = len(self.partitions)
        return f"<bowshot.Plan: {count} partition{'' if count == 1 else 's'}, {len(self.schema)} columns>"
