"""The SQL of a read: the user's query with the columns, conditions and rows that Polars asks for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from .. import _bowshot

# Databases whose SQL is written here; what is known of their comparisons is in `alike`.
WRITTEN = ("postgresql", "mysql", "sqlite")

# What may be called in a subquery of a database that may evaluate it once for a condition and once more for the result:
# functions that are the same each time, and words that only look like calls.
# fmt: off
STEADY = frozenset({
    "abs", "all", "any", "as", "avg", "bigint", "case", "cast", "ceil", "ceiling", "char", "character",
    "coalesce", "concat", "count", "decimal", "dense_rank", "exists", "extract", "floor", "greatest", "if",
    "ifnull", "iif", "in", "int", "integer", "least", "left", "length", "lower", "lpad", "ltrim", "max", "min",
    "mod", "not", "nullif", "numeric", "on", "or", "over", "and", "power", "rank", "replace", "right", "round",
    "row_number", "rpad", "rtrim", "select", "sign", "sqrt", "substr", "substring", "sum", "total", "trim",
    "upper", "using", "values", "varchar", "when", "where",
})
# fmt: on

# What the query is called in the SQL around it.
ALIAS = "bowshot"

_NAME = r'(?:[A-Za-z_][A-Za-z0-9_]*|"(?:[^"]|"")+"|`(?:[^`]|``)+`)'
_WHOLE_TABLE = re.compile(rf"\s*SELECT\s+\*\s+FROM\s+({_NAME}(?:\.{_NAME})*)\s*", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Wish:
    """What Polars needs of a query's result."""

    columns: Sequence[str] | None = None
    """Which columns, in which order; `None`: all."""
    conditions: Sequence[str] = ()
    """What the database can leave out rows by."""
    rows: int | None = None
    """The first rows, before any condition."""


@dataclass(frozen=True)
class Statement:
    """A query that more may be written around."""

    scheme: str
    sql: str
    quotes: tuple[str, str]
    table: str | None
    """The table, where the query is no more than all of its columns and rows."""
    splits: bool
    """Whether the query itself is read in partitions, which it is no more as a subquery."""

    def quote(self, name: str) -> str:
        """The name in the database's quotes."""
        opening, closing = self.quotes
        return opening + name.replace(closing, closing * 2) + closing

    def column(self, name: str) -> str:
        """A column of the query, as it stands in the SQL around it."""
        return self._alias + self.quote(name)

    @property
    def _alias(self) -> str:
        # A name in quotes that SQLite does not know is a text to it, unless it stands behind a table's.
        return "" if self.table is not None and self.scheme != "sqlite" else f"{ALIAS}."

    def with_wish(self, wish: Wish) -> str | None:
        """The query with what is wished for; `None` where it is better read as it is."""
        if self.table is None and self.splits and not wish.conditions and wish.rows is None:
            return None
        chosen = "*" if wish.columns is None else ", ".join(map(self.column, wish.columns))
        # The line's end closes a comment at the end of the query.
        source = f"({self.sql}\n)" if self.table is None else self.table
        alias = f" {ALIAS}" if self._alias else ""
        where = f" WHERE {' AND '.join(wish.conditions)}" if wish.conditions else ""
        limit = "" if wish.rows is None else f" LIMIT {wish.rows}"
        return f"SELECT {chosen} FROM {source}{alias}{where}{limit}"


def statement(uri: str, sql: str, names: Sequence[str], *, params: bool, splits: bool) -> Statement | None:
    """The query as one that more may be written around; `None` where that could change what it means."""
    if _bowshot.scheme(uri) == "file":
        table = _WHOLE_TABLE.fullmatch(sql or "SELECT * FROM data")
        return Statement("file", sql, ('"', '"'), table[1], splits) if table else None
    inner = _bowshot.subquery(uri, sql)
    if inner is None or inner[0] not in WRITTEN or _alike(names) or (params and any("%" in name for name in names)):
        return None
    scheme, text, quotes, functions = inner
    # PostgreSQL itself keeps conditions away from what is not the same each time.
    if scheme != "postgresql" and not (STEADY.issuperset(functions) and "@" not in text):
        return None
    table = _WHOLE_TABLE.fullmatch(text)
    return Statement(scheme, text, quotes, table[1] if table else None, splits)


def _alike(names: Sequence[str]) -> bool:
    """Whether a database might take two of the names for one: some tell neither cases nor accents apart."""
    folded = {unicodedata.normalize("NFKD", name).casefold().encode("ascii", "ignore").strip() for name in names}
    return len(folded) < len(names) or b"" in folded
