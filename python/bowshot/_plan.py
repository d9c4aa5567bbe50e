"""How a query will be read."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from . import _bowshot
from ._address import Address
from ._options import seconds
from ._partition import Partition
from .exceptions import ConfigError
from .notices import DatabaseNotice
from .profile import Profile

LEASE = 600.0
"""Seconds for which a snapshot is kept after the last read of one of its partitions began."""


FOR_EVER = 3.0e8
"""Seconds of a lease that whoever holds the plan ends."""


def held(lease: float | None) -> float:
    """The lease of a plan that a collection holds, which lets go of it: without end, unless the user says one."""
    return FOR_EVER if lease is None else seconds("lease", lease)


class Plan:
    """How a query will be read: its columns, its partitions, and the state of the database that they all see.

    A plan that nobody has read keeps its snapshot open in the database until it is closed or dropped.
    """

    def __init__(self, plan: _bowshot.Plan, address: Address, lease: float = LEASE) -> None:
        """Made by `bowshot.plan` and by `Query.plan`."""
        self._plan, self._address, self._lease = plan, address, lease

    @property
    def schema(self) -> _bowshot.Schema:
        """The columns of the result."""
        return self._plan.schema

    @property
    def partitions(self) -> Sequence[Partition]:
        """The slices of the result, in its order; together they are exactly the result.

        Each can be read alone, also in another process, if the plan `travels`.
        """
        slices = enumerate(self._plan.partitions)
        return tuple(Partition(self._address, index, label, rows, self) for index, (label, rows) in slices)

    @property
    def travels(self) -> bool:
        """Whether its partitions can be read one by one, here and in other processes; `reason` says why not."""
        return self._plan.obstacle is None

    def ticket(self, index: int) -> bytes:
        """A partition written down, for `bowshot.join`. From the first ticket on, the plan holds its snapshot.

        It does so until it is closed or dropped, its process ends, or nobody has begun to read for `lease` seconds. A
        read of less than a second in another process may pass unseen.
        """
        return self._plan.ticket(index, self._lease)

    def renew(self) -> None:
        """Begins the lease anew, as a read does."""
        self._plan.renew()

    @property
    def snapshot(self) -> str | None:
        """What names the state of the database that all partitions see; `None` where it has no name."""
        return self._plan.snapshot

    @property
    def reason(self) -> str:
        """Why the query was or was not split, as a sentence, and why its partitions do not travel if they do not."""
        obstacle = self._plan.obstacle
        return self._plan.reason if obstacle is None else f"{self._plan.reason}; {obstacle}"

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

    def profile(self) -> Profile:
        """Where the time went of the read of this plan, as far as it has come: `Query.profile` says more."""
        return profile_of(self._plan)

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


def profile_of(plan: _bowshot.Plan | None) -> Profile:
    """Where the time went of the read of a plan."""
    told = None if plan is None else plan.profile()
    if told is None:
        raise ConfigError(
            "there is no profile, since nothing was read yet; read a query first, then ask it:"
            " query = bowshot.query(…); query.to_pandas(); query.profile()"
        )
    return Profile._of(told)
