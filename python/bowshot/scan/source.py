"""What Polars calls to read: the SQL with all that may go into it, and the rest on each batch that arrives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _bowshot
from .._tell import Telling, tell
from ..exceptions import ConfigError, DataError, SqlError, UnsupportedError
from .alike import Column
from .predicate import LOG, Divided, divide
from .statement import Statement, Wish

if TYPE_CHECKING:
    import polars as pl

    from .._arguments import Target
    from .._params import Params

# What a database may say to SQL that is written around the user's; the query as it is may still be right.
REFUSALS = (ConfigError, DataError, SqlError, UnsupportedError)


@dataclass(frozen=True)
class Read:
    """How one read of a scan is done."""

    plan: _bowshot.Plan
    sql: str
    """What the database runs."""
    conditions: Sequence[str]
    """What of the predicate went into the SQL."""
    left: Sequence[str]
    """What Polars alone decides."""
    note: str = ""
    """Why the query is read as it is, where more was wished for."""

    def __str__(self) -> str:
        """As people read it: the SQL, and a line for each part of the predicate."""
        lines = [self.sql, *(f"  filtered in the database: {condition}" for condition in self.conditions)]
        lines += [f"  filtered in Polars alone: {part}" for part in self.left]
        return "\n".join([*lines, f"  {self.note}"] if self.note else lines)


@dataclass(frozen=True, eq=False, repr=False)
class Scan:
    """A query on a database, of which Polars asks for parts."""

    target: Target
    params: Params
    named: bool
    options: Mapping[str, Any]
    progress: Any
    statement: Statement | None
    """`None`: it is read as it is."""
    schema: pl.Schema
    types: Mapping[str, str]
    """The columns' Arrow types."""
    comparable: Mapping[str, Column]

    def __call__(
        self, with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, _batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        """The rows as Polars' plugins hand them out: the first `n_rows`, of those the ones that the predicate keeps."""
        import polars as pl

        chosen = list(self.schema) if with_columns is None else with_columns
        empty = pl.DataFrame(schema={name: self.schema[name] for name in chosen})
        yield empty
        if n_rows == 0:
            return
        read = self.start(with_columns, predicate, n_rows)
        LOG.info("%s", read)
        with Telling(read.plan):
            for frame in _frames(read.plan, n_rows, self.progress):
                kept = frame if predicate is None else frame.filter(predicate)
                yield kept.select(chosen)

    def start(self, with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None) -> Read:
        """Plans the read; `n_rows` are the first ones, before the predicate."""
        columns = self._needed(with_columns, predicate)
        divided = self._divided(predicate if n_rows is None else None)
        left = divided.left if n_rows is None or predicate is None else [str(predicate)]
        # Each partition would have its own first rows.
        rows = None if self.options["partition_on"] is not None else n_rows
        wish = Wish(columns, divided.conditions, rows)
        note = ""
        if self.statement is not None and wish != Wish():
            sql = self.statement.with_wish(wish)
            if sql is not None:
                try:
                    plan = self._plan_written(sql, columns or list(self.schema))
                except REFUSALS as error:
                    note = f"read as it is, since the database refused it as a subquery: {error}"
                else:
                    if plan is not None:
                        return Read(plan, sql, divided.conditions, left)
                    note = "read as it is, since its columns have other types as a subquery"
        if predicate is not None:
            left = [str(predicate)]
        return Read(self._plan_as_it_is(), "; ".join(self.target.queries), (), left, note)

    def _needed(self, with_columns: list[str] | None, predicate: pl.Expr | None) -> list[str] | None:
        """The columns to read, in the query's order; `None`: all."""
        if with_columns is None:
            return None
        needed = {*with_columns, *(predicate.meta.root_names() if predicate is not None else ())}
        if self.options["partition_on"] is not None:
            needed.add(self.options["partition_on"])
        # A frame without columns has no rows to count.
        columns = [name for name in self.schema if name in needed] or list(self.schema)[:1]
        return None if len(columns) == len(self.schema) else columns

    def _divided(self, predicate: pl.Expr | None) -> Divided:
        if predicate is None:
            return Divided((), ())
        if self.statement is None or self.statement.scheme == "file":
            return Divided((), (str(predicate),))
        try:
            return divide(predicate, self.comparable, self.schema)
        except Exception as error:
            # Whatever a version of Polars makes of its expressions, it can apply them.
            LOG.debug("the predicate stays in Polars: %s", error)
            return Divided((), (str(predicate),))

    def _plan_written(self, sql: str, columns: Sequence[str]) -> _bowshot.Plan | None:
        """The plan of SQL that was written around the query, in the query's own types; `None` where it cannot be."""
        given = {name: kind for name, kind in self.options["types"] if name in columns}
        plan = self._plan([sql], given)
        expected = [(name, self.types[name]) for name in columns]
        found = list(zip(plan.schema.names, plan.schema.types, strict=True))
        if found == expected:
            return plan
        plan.close()
        if plan.schema.names != list(columns):
            return None
        # Types that a database tells by looking at the values, or that are proven by the query's own text.
        turned = {name: self.types[name] for name, kind in found if kind != self.types[name]}
        plan = self._plan([sql], {**turned, **given})
        if list(zip(plan.schema.names, plan.schema.types, strict=True)) == expected:
            return plan
        plan.close()
        return None

    def _plan(self, queries: list[str], types: Mapping[str, str]) -> _bowshot.Plan:
        options = {**self.options, "types": list(types.items())}
        plan = _bowshot.plan(self.target.uri, queries, None, self.params, self.named, options)
        tell(plan)
        return plan

    def _plan_as_it_is(self) -> _bowshot.Plan:
        uri, queries, columns = self.target
        plan = _bowshot.plan(uri, queries, columns, self.params, self.named, dict(self.options))
        tell(plan)
        return plan


def _frames(plan: _bowshot.Plan, rows: int | None, progress: Any) -> Iterator[pl.DataFrame]:
    """The first rows of a plan, batch by batch; the database stops where the reader does."""
    import polars as pl

    stream = plan.read(progress, "polars")
    left = rows
    try:
        while (left is None or left > 0) and (batch := stream.next_batch()) is not None:
            frame = pl.DataFrame(batch.for_polars())
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            yield frame
    finally:
        stream.close()
