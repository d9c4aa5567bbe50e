"""Plans of queries for Spark: read in types that are Spark's own."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from .._arguments import target
from .._bowshot import scheme
from .._query import query
from ..exceptions import SqlError, UnsupportedError
from ..lazy.piece import refuse_duplicates
from ._types import conversions, spark_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from .._query import Query


# Spark kills a Python worker whose job was cancelled, and PostgreSQL does not look whether somebody still waits for a
# query, unless it is told to (from version 14 on, and not on Windows).
_LOOK_EVERY_SECOND = """DO $$ BEGIN
PERFORM pg_catalog.set_config('client_connection_check_interval', '1000', false);
EXCEPTION WHEN OTHERS THEN NULL; END $$"""


def planned(sql: Any, con: Any, **options: Any) -> tuple[Query, pa.Schema]:
    """A query with a plan that nobody has read, and its columns as Spark's own Arrow schema has them."""
    if scheme(target(sql, con).uri) in ("postgres", "postgresql"):
        before = options.get("pre_execution_query") or []
        before = [before] if isinstance(before, str) else list(before)
        try:
            return _planned(sql, con, {**options, "pre_execution_query": [_LOOK_EVERY_SECOND, *before]})
        except (SqlError, UnsupportedError):
            # Other servers with the protocol may not know such statements; if it was not that, the error comes again.
            pass
    return _planned(sql, con, options)


def _planned(sql: Any, con: Any, options: dict[str, Any]) -> tuple[Query, pa.Schema]:
    asked = dict(options.get("types") or {})
    found = query(sql, con, **options)
    with closed_by_errors(found):
        # What the user asks for stays: the values that it refuses are to be refused.
        types = {name: kind for name, kind in conversions(_schema(found)).items() if name not in asked}
    if not types:
        with closed_by_errors(found):
            return found, spark_schema(_schema(found))
    found.plan.close()
    found = query(sql, con, **{**options, "types": {**asked, **types}})
    with closed_by_errors(found):
        return found, spark_schema(_schema(found))


def _schema(found: Query) -> pa.Schema:
    import pyarrow

    refuse_duplicates(found.schema.names, "Spark")
    return pyarrow.schema(found.schema)


@contextlib.contextmanager
def closed_by_errors(found: Query) -> Iterator[None]:
    """Lets go of a query's plan when an error ends this: the error's traceback would keep it, and its locks."""
    try:
        yield
    except BaseException:
        if found._planned is not None:
            found._planned.close()
        raise
