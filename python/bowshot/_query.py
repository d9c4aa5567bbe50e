"""A query that is read when it is asked for its rows."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _bowshot
from ._address import Address
from ._arguments import Target, target
from ._options import keywords, seconds
from ._params import Params, plain_params
from ._plan import LEASE, Plan, profile_of
from ._reads import Reads
from ._task import current_read
from ._tell import tell
from .notices import DatabaseNotice
from .profile import Profile

if TYPE_CHECKING:
    from ._arguments import Connection, Sql

# Held for an instant; one for all queries, so that a query can be copied and pickled.
_claiming = threading.Lock()


class Query(Reads):
    """A query on a database; nothing is read before one of its methods asks for rows.

    Looking at `schema` or `plan` asks the database what the result looks like and keeps that snapshot for the next
    read. Each further read plans anew and sees the database as it is then.
    """

    def __init__(
        self, target: Target, params: Params, options: dict[str, Any], progress: Any, lease: float = LEASE
    ) -> None:
        """Made by `bowshot.query`."""
        self._lease = lease
        self._target = target
        self._params, self._named = plain_params(params)
        self._options = options
        self._wish = progress
        self._planned: _bowshot.Plan | None = None
        self._claimed: _bowshot.Plan | None = None

    def _plan(self, *, whole: bool = False) -> _bowshot.Plan:
        """The last plan, made if there is none.

        Who will keep the `whole` result in memory needs no bound on what waits for it: partitions may be larger, which
        costs the database less.
        """
        return self._planned or self._plan_anew(whole=whole, claim=False)

    def _plan_anew(self, *, whole: bool, claim: bool) -> _bowshot.Plan:
        """The last plan from now on; with `claim`, for the caller alone to read."""
        uri, queries, columns = self._target
        options = self._options
        if whole and options["buffer_bytes"] is None:
            options = {**options, "buffer_bytes": sys.maxsize}
        plan = _bowshot.plan(uri, queries, columns, self._params, self._named, options)
        if (read := current_read()) is not None and read.stopped:
            # Planning hears of no cancelled task; what it has opened is let go of here.
            plan.close()
            read.check()
        with _claiming:
            self._planned = plan
            if claim:
                self._claimed = plan
        tell(plan)
        return plan

    def _unread(self, *, whole: bool = False) -> _bowshot.Plan:
        """A plan that can be read, and that nobody else reads: several tasks may read one query side by side."""
        with _claiming:
            plan = self._planned
            if plan is not None and plan is not self._claimed and plan.unread:
                self._claimed = plan
                return plan
            self._planned = None
        return self._plan_anew(whole=whole, claim=True)

    @property
    def plan(self) -> Plan:
        """How it is read: partitions, snapshot, and why it was or was not split."""
        return Plan(self._plan(), Address(self._target.uri), self._lease)

    @property
    def schema(self) -> _bowshot.Schema:
        """The columns of the result."""
        return self._plan().schema

    @property
    def notices(self) -> Sequence[DatabaseNotice]:
        """What the database said of the last plan and its read, also what is not warned of; at first nothing."""
        return () if self._planned is None else tuple(self._planned.notices)

    @property
    def notices_left_out(self) -> int:
        """How many messages of the database found no room in `notices`."""
        return 0 if self._planned is None else self._planned.notices_left_out

    def profile(self) -> Profile:
        """Where the time of the last read went: a timeline of its partitions, to be printed, drawn, or looked at.

        Any read has one, whatever it returned: also one that goes on, one that an error ended, and one that was left
        early. `bowshot.query(…)` is the only way to it: `read_sql` keeps nothing that could be asked. A read by another
        process or through a Polars LazyFrame is not in it. docs/guide/profile.md says what the states mean.

        >>> import bowshot, sqlite3, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
        >>> with sqlite3.connect(path) as connection:
        ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
        ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow')")
        >>> items = bowshot.query("SELECT * FROM items", path)
        >>> _ = items.to_table()
        >>> items.profile().partitions[0].rows
        1
        """
        return profile_of(self._planned)

    def __repr__(self) -> str:
        queries = self._target.queries
        text = " ".join(queries[0].split())
        more = f" and {len(queries) - 1} more" if len(queries) > 1 else ""
        return f"<bowshot.Query {text if len(text) < 80 else text[:77] + '…'}{more}>"


def query(
    sql: Sql,
    con: Connection,
    *,
    params: Params = None,
    types: Mapping[str, Any] | None = None,
    infinity: str = "error",
    zero_dates: str = "error",
    one_snapshot: bool = True,
    protocol: str | None = None,
    partition_on: str | None = None,
    partition_range: tuple[int, int] | None = None,
    partition_num: int | None = None,
    partition_bytes: int | None = None,
    pre_execution_query: str | Sequence[str] | None = None,
    connections: int | None = None,
    batch_bytes: int | None = None,
    buffer_bytes: int | None = None,
    progress: Any = None,
    lease: float = LEASE,
) -> Query:
    """A query that is read when it is asked for its rows; the parameters are those of `read_sql`.

    `lease` is that of `plan`.

    >>> import bowshot, sqlite3, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow')")
    >>> items = bowshot.query("SELECT * FROM items WHERE id > ?", path, params=[3])
    >>> items.schema.names, items.schema.types
    (['id', 'name'], ['int64', 'utf8'])
    >>> items.to_arrow().to_pylist()
    [{'id': 7, 'name': 'bow'}]
    """
    what = target(sql, con)
    options = keywords(
        protocol=protocol,
        partition_on=partition_on,
        partition_range=partition_range,
        partition_num=partition_num,
        partition_bytes=partition_bytes,
        pre_execution_query=pre_execution_query,
        types=types,
        infinity=infinity,
        zero_dates=zero_dates,
        one_snapshot=one_snapshot,
        connections=connections,
        several=len(what.queries) > 1,
        batch_bytes=batch_bytes,
        buffer_bytes=buffer_bytes,
    )
    return Query(what, params, options, progress, seconds("lease", lease))


def plan(
    sql: Sql,
    con: Connection,
    *,
    params: Params = None,
    types: Mapping[str, Any] | None = None,
    infinity: str = "error",
    zero_dates: str = "error",
    one_snapshot: bool = True,
    protocol: str | None = None,
    partition_on: str | None = None,
    partition_range: tuple[int, int] | None = None,
    partition_num: int | None = None,
    partition_bytes: int | None = None,
    pre_execution_query: str | Sequence[str] | None = None,
    connections: int | None = None,
    lease: float = LEASE,
) -> Plan:
    """How a query would be read, without reading it; the parameters are those of `read_sql`.

    Its `partitions` can be read one by one, here or in other processes, all on the plan's snapshot. From then on the
    snapshot is kept until the plan is closed or dropped, its process ends, or nobody has begun to read for `lease`
    seconds.

    >>> import bowshot, sqlite3, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    ...     _ = connection.execute("INSERT INTO items VALUES (7, 'bow')")
    >>> with bowshot.plan("SELECT name FROM items", path) as plan:
    ...     for partition in plan.partitions:
    ...         print(partition.label, partition.to_arrow().to_pylist())
    the whole result [{'name': 'bow'}]
    """
    return query(
        sql,
        con,
        params=params,
        types=types,
        infinity=infinity,
        zero_dates=zero_dates,
        one_snapshot=one_snapshot,
        protocol=protocol,
        partition_on=partition_on,
        partition_range=partition_range,
        partition_num=partition_num,
        partition_bytes=partition_bytes,
        pre_execution_query=pre_execution_query,
        connections=connections,
        lease=lease,
    ).plan
