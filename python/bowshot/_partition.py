"""A slice of a result that any process can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _bowshot
from ._address import Address
from ._arguments import target
from ._reads import Reads
from ._tell import tell

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._arguments import Connection
    from ._plan import Plan


class Partition(Reads):
    """A slice of a result that is read alone: `to_arrow()`, `to_pandas()`, `to_polars()`, `batches()`, …

    It can be pickled, and then be read in any process on any machine that reaches the database: on the plan's snapshot,
    or it is refused with a `SnapshotGoneError`. It can be read again and again, with the same rows, as long as the plan
    lives; in the plan's own process it keeps the plan alive. Where the database cannot do that, `plan.reason` says why.

    A pickle holds the address of the database, with its password: write `${NAME}` in the address to have each process
    look that up in its own environment.
    """

    def __init__(self, address: Address, index: int, label: str, rows: int | None, source: Plan | bytes) -> None:
        """Made by `Plan.partitions` and by `bowshot.join`; `source` is the plan, or what its ticket says."""
        self._address, self._index, self._label, self._rows = address, index, label, rows
        self._source = source
        self._joined: _bowshot.Plan | None = None

    @property
    def index(self) -> int:
        """Its place among the plan's partitions, from 0."""
        return self._index

    @property
    def label(self) -> str:
        """What it holds, for people: `pages 0 to 1023 of lineitem`."""
        return self._label

    @property
    def rows(self) -> int | None:
        """About how many rows it has, if the database has an idea."""
        return self._rows

    @property
    def ticket(self) -> bytes:
        """The partition written down, for `bowshot.join`: without the address, which whoever reads it brings."""
        return self._source if isinstance(self._source, bytes) else self._source.ticket(self._index)

    @property
    def schema(self) -> _bowshot.Schema:
        """The columns of the result."""
        if not isinstance(self._source, bytes):
            return self._source.schema
        if self._joined is None:
            self._joined = self._join(whole=False)
        return self._joined.schema

    def _unread(self, *, whole: bool = False) -> _bowshot.Plan:
        joined, self._joined = self._joined, None
        if joined is not None and joined.unread and not whole:
            return joined
        return self._join(whole=whole)

    def _join(self, *, whole: bool) -> _bowshot.Plan:
        plan = _bowshot.join(self._address.reveal(), self.ticket, whole)
        if not isinstance(self._source, bytes):
            self._source.renew()
        tell(plan)
        return plan

    def __reduce__(self) -> tuple[Callable[..., Partition], tuple[object, ...]]:
        return Partition, (self._address, self._index, self._label, self._rows, self.ticket)

    def __repr__(self) -> str:
        rows = "" if self._rows is None else f", about {self._rows} rows"
        return f"<bowshot.Partition {self._index}: {self._label}{rows}>"


def join(ticket: bytes, con: Connection) -> Partition:
    """The partition that a ticket names, for processes that get `partition.ticket` in another way than by a pickle.

    `con` is the address that the query was planned with, as this process reaches the database. A ticket is to be
    trusted as SQL is: its query is checked as any other, and what its plan ran before all else (`pre_execution_query`)
    runs again.

    >>> import bowshot, sqlite3, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow')")
    >>> plan = bowshot.plan("SELECT name FROM items", path)
    >>> bowshot.join(plan.partitions[0].ticket, path).to_arrow().to_pylist()
    [{'name': 'bow'}]
    """
    index, _, label, rows = _bowshot.look_at_ticket(ticket)
    return Partition(Address(target("SELECT 1", con).uri), index, label, rows, bytes(ticket))
