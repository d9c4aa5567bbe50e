"""What a LazyFrame would ask of the databases that it scans, without reading a row.

Polars shows the plan of a frame to the engines that execute it, not in a public form. Where a version of Polars has
another one, `explain_scan` says so; the reads themselves do not depend on it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .._require import require
from ..exceptions import Error, UnsupportedError
from .source import Scan

if TYPE_CHECKING:
    import polars as pl

BINARY: Mapping[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "And": operator.and_,
    "Or": operator.or_,
    "Eq": lambda left, right: left.eq(right),
    "NotEq": lambda left, right: left.ne(right),
    "Lt": lambda left, right: left.lt(right),
    "LtEq": lambda left, right: left.le(right),
    "Gt": lambda left, right: left.gt(right),
    "GtEq": lambda left, right: left.ge(right),
    "EqValidity": lambda left, right: left.eq_missing(right),
}
FUNCTIONS: Mapping[str, Callable[..., pl.Expr]] = {
    "IsNull": lambda inner: inner.is_null(),
    "IsNotNull": lambda inner: inner.is_not_null(),
    "Not": lambda inner: inner.not_(),
    "IsIn": lambda inner, values, nulls_equal: inner.is_in(values, nulls_equal=nulls_equal),
    "IsBetween": lambda inner, low, high, closed: inner.is_between(low, high, closed=closed),
}

# How Polars writes the struct that stands for what is not shown.
_OTHER = re.compile(r'as_struct\((.*?)\)\.alias\("other"\)')


def explain_scan(frame: pl.LazyFrame) -> str:
    """What each `scan_sql` of a frame would have its database run, and what stays in Polars.

    The databases are asked to plan the SQL, as they are before each read, but for no rows. Predicates in Polars' other
    functions are shown as `other(…)` of their columns; `frame.explain()` has them in full.

    Raises
    ------
    bowshot.UnsupportedError
        If this version of Polars does not show its plan. The logger `bowshot.scan` then still says it of each read.

    Examples
    --------
    >>> import bowshot, polars, sqlite3, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "shop.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    >>> items = bowshot.scan_sql("items", path)
    >>> print(bowshot.explain_scan(items.filter(polars.col("name").is_null()).select("id")))
    SELECT * FROM "items" bowshot WHERE bowshot."name" IS NULL
      filtered in the database: bowshot."name" IS NULL
    """
    require("polars", "polars")
    try:
        found = list(_scans(frame._ldf.visit()))  # type: ignore[attr-defined, unused-ignore]
    except Exception as error:
        raise UnsupportedError(
            f"this version of Polars does not show the plan of a frame ({error}); the logger bowshot.scan says at level"
            " INFO what each read asks of its database"
        ) from error
    return "\n".join(_explained(scan, *wish) for scan, wish in found)


def _explained(scan: Scan, columns: list[str] | None, predicate: pl.Expr | None, rows: int | None) -> str:
    try:
        read = scan.start(columns, predicate, rows)
    except Error as error:
        return f"{'; '.join(scan.target.queries)}\n  fails: {error}"
    read.plan.close()
    return _OTHER.sub(r"other(\1)", str(read))


def _scans(plan: Any) -> Iterator[tuple[Scan, tuple[list[str] | None, pl.Expr | None, int | None]]]:
    """The scans below a node of the plan, with what Polars would ask of them."""
    node = plan.view_current_node()
    if type(node).__name__ == "PythonScan":
        function, columns, _, (_, predicate), rows, *_ = _padded(node.options)
        scan = getattr(function, "io_source", None)
        if isinstance(scan, Scan):
            yield scan, (columns, None if predicate is None else _expression(plan, predicate), rows)
    for inner in plan.get_inputs():
        plan.set_node(inner)
        yield from _scans(plan)


def _padded(options: tuple[Any, ...]) -> tuple[Any, ...]:
    """The five options of a scan; its predicate is a pair, or nothing."""
    function, columns, kind, predicate, rows = options
    return function, columns, kind, predicate if isinstance(predicate, tuple) else (None, None), rows


def _expression(plan: Any, number: int) -> pl.Expr:
    """An expression of the plan, as Polars hands it to the scan."""
    import polars as pl

    node = plan.view_expression(number)
    kind = type(node).__name__
    if kind == "Column":
        return pl.col(node.name)
    if kind == "Literal":
        return pl.lit(node.value, dtype=node.dtype)
    if kind == "BinaryExpr" and (binary := BINARY.get(_name(node.op))):
        return binary(_expression(plan, node.left), _expression(plan, node.right))
    if kind == "Function" and (function := FUNCTIONS.get(_name(node.function_data[0]))):
        return function(*(_expression(plan, inner) for inner in node.input), *node.function_data[1:])
    if kind == "Alias":
        return _expression(plan, node.expr if hasattr(node, "expr") else node.input)
    # No condition is known for it, whatever it is.
    return pl.struct(sorted(_columns(plan, number))).alias("other")


def _name(variant: Any) -> str:
    """`Eq` of `Operator.Eq`."""
    return str(variant).rpartition(".")[2]


def _columns(plan: Any, number: int) -> set[str]:
    node = plan.view_expression(number)
    if type(node).__name__ == "Column":
        return {node.name}
    inputs = getattr(node, "input", None)
    inner = inputs if isinstance(inputs, list) else [inputs]
    numbers = [
        *inner,
        *(getattr(node, side, None) for side in ("left", "right", "expr", "predicate", "truthy", "falsy")),
    ]
    return {name for other in numbers if isinstance(other, int) for name in _columns(plan, other)}
