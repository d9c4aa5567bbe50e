"""Partitions in task graphs, whose snapshot is kept for as long as somebody may read it."""

from __future__ import annotations

import contextlib
import pickle
import sys
import threading
import time
import uuid
import weakref
from typing import TYPE_CHECKING, Any

from ..exceptions import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._partition import Partition
    from .._plan import Plan

_LOOK_AGAIN = 0.05
"""Seconds between looks at futures that a plan waits for."""


class Kept:
    """Keeps a plan for the pieces of a graph: its snapshot goes when the last collection does that has them.

    Tasks that a cluster still works on, as after `persist()`, keep it until they are done.
    """

    def __init__(self, plan: Plan) -> None:
        """For a plan that nobody else closes."""
        # The registry of finalizers keeps the plan until then. When the process exits, the plan ends with it.
        weakref.finalize(self, _let_go, plan).atexit = False


class Piece:
    """A partition in a task. Its pickle holds a ticket, and is read in any process."""

    def __init__(self, partition: Partition, name: str) -> None:
        """`name` tells the pieces of one plan from those of all others."""
        self.partition, self._name = partition, name

    def __reduce__(self) -> tuple[Callable[..., Piece], tuple[object, ...]]:
        """For other processes, without what keeps the plan."""
        return Piece, (self.partition, self._name)

    def __dask_tokenize__(self) -> tuple[str, str, int]:
        """A name: each plan is another state of the database."""
        return "bowshot.Piece", self._name, self.partition.index

    def __repr__(self) -> str:
        """What it holds."""
        return f"<bowshot partition {self.partition.index}: {self.partition.label}>"


class Pieces(list[Piece]):
    """All partitions of a plan, which live as long as this list does: it stands in a collection, and never in a task.

    Schedulers keep tasks that are long done, in logs.
    """

    def __init__(self, pieces: Iterable[Piece], name: str, kept: Kept | None = None) -> None:
        """Without `kept` in other processes."""
        super().__init__(pieces)
        self._name, self._kept = name, kept

    def __reduce__(self) -> tuple[Callable[..., Pieces], tuple[object, ...]]:
        """For other processes, without what keeps the plan."""
        return Pieces, (list(self), self._name)

    def __dask_tokenize__(self) -> tuple[str, str, int]:
        """A name: each plan is another state of the database."""
        return "bowshot.Pieces", self._name, len(self)


def pieces(plan: Plan) -> Pieces:
    """All partitions of a plan, as their tickets, which show whether they travel before anything is computed."""
    name = uuid.uuid4().hex
    written = [pickle.loads(pickle.dumps(partition)) for partition in plan.partitions]
    return Pieces([Piece(partition, name) for partition in written], name, Kept(plan))


def refuse_duplicates(names: Sequence[str], collection: str) -> None:
    """An error for two columns of one name, if the library of `collection` takes them for one."""
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise ConfigError(
            f'the result has two columns "{twice}", which {collection} cannot tell apart; name them in the query:'
            f' SELECT a."{twice}" AS a_{twice}, …',
            column=twice,
        )


def _let_go(plan: Plan) -> None:
    unfinished = _unfinished()
    if unfinished:
        threading.Thread(target=_close_after, args=(plan, unfinished), name="bowshot-kept", daemon=True).start()
    else:
        plan.close()


def _close_after(plan: Plan, unfinished: list[Callable[[], bool]]) -> None:
    with contextlib.closing(plan):
        while any(still() for still in unfinished):
            time.sleep(_LOOK_AGAIN)


def _unfinished() -> list[Callable[[], bool]]:
    """What tells of each future of `distributed` in this process, that is not done yet, whether it still is not.

    A graph that was sent to a cluster is no longer needed here, but its tasks read the snapshot yet.
    """
    module: Any = sys.modules.get("distributed.client")
    if module is None:
        return []
    clients = list(getattr(module.Client, "_instances", ()))
    return [
        lambda client=client, key=key, state=state: (  # type: ignore[misc]
            client.status == "running" and client.futures.get(key) is state and state.status == "pending"
        )
        for client in clients
        for key, state in list(client.futures.items())
        if state.status == "pending"
    ]
