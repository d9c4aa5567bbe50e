"""Plans of queries for Spark: read in types that are Spark's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._query import query
from ..lazy.piece import refuse_duplicates
from ._types import conversions, spark_schema

if TYPE_CHECKING:
    import pyarrow as pa

    from .._query import Query


def planned(sql: Any, con: Any, **options: Any) -> tuple[Query, pa.Schema]:
    """A query with a plan that nobody has read, and its columns as Spark's own Arrow schema has them."""
    import pyarrow

    found = query(sql, con, **options)
    asked = dict(options.get("types") or {})
    schema = pyarrow.schema(found.schema)
    refuse_duplicates(schema.names, "Spark")
    # What the user asks for stays: the values that it refuses are to be refused.
    types = {name: kind for name, kind in conversions(schema).items() if name not in asked}
    if types:
        found.plan.close()
        found = query(sql, con, **{**options, "types": {**asked, **types}})
        schema = pyarrow.schema(found.schema)
    return found, spark_schema(schema)
