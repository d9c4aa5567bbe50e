"""Python data sources of Spark: what its planner asks for, and what its tasks read."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ..exceptions import DataError, UnsupportedError
from ._nested import fit
from ._options import arguments
from ._plans import planned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from ..lazy.piece import Piece

FORMAT = "bowshot-python"
"""The name for `spark.read.format`. The jar has the name without `-python`."""


@functools.cache
def source_of_options() -> type:
    """The data source that options describe: it plans when Spark asks for its columns, and reads in one task.

    Nobody would keep a snapshot for several tasks: Spark plans in processes that end at any time. The one task reads
    over as many connections as `connections` says.
    """
    require_sources()
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    class OptionsReader(DataSourceReader):  # type: ignore[misc]
        def __init__(self, options: dict[str, str], columns: Any) -> None:
            self._options, self._columns = options, columns

        def partitions(self) -> Sequence[Any]:
            return [InputPartition(0)]

        def read(self, partition: Any) -> Iterator[pa.RecordBatch]:  # noqa: ARG002 - Spark's signature
            sql, con, options = arguments(self._options)
            found, schema = planned(sql, con, **options)
            if spark_type(schema) != self._columns:
                raise DataError(
                    "the columns of the query are others than when Spark planned it; load the DataFrame again"
                )
            for batch in found.batches():
                yield fit(batch, schema)

    class OptionsSource(DataSource):  # type: ignore[misc]
        def __init__(self, options: Any) -> None:
            self._options = dict(options)

        @classmethod
        def name(cls) -> str:
            return FORMAT

        def schema(self) -> Any:
            sql, con, options = arguments(self._options)
            found, schema = planned(sql, con, **options)
            found.plan.close()
            return spark_type(schema)

        def reader(self, schema: Any) -> Any:
            return OptionsReader(self._options, schema)

    return OptionsSource


def source_of_pieces(name: str, pieces: list[Piece], schema: pa.Schema) -> type:
    """The data source of a plan that is kept elsewhere: a task a partition."""
    planned_source, columns = _planned_source(), spark_type(schema)

    class PiecesSource(planned_source):  # type: ignore[misc, valid-type]
        @classmethod
        def name(cls) -> str:
            return name

        # Spark makes an instance of this class. It is of the other one: each task gets the instance, and with it its
        # class, which must not hold the pieces of all others.
        def __new__(cls, options: Any) -> Any:  # noqa: ARG004 - Spark's signature
            return planned_source(name, pieces, schema, columns)

    return PiecesSource


@functools.cache
def _planned_source() -> type:
    require_sources()
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    class PiecesReader(DataSourceReader):  # type: ignore[misc]
        def __init__(self, pieces: list[Piece], schema: pa.Schema) -> None:
            self._pieces, self._schema = pieces, schema

        def __getstate__(self) -> dict[str, Any]:
            # For tasks, of which each gets its own piece.
            return {"_pieces": [], "_schema": self._schema}

        def partitions(self) -> Sequence[Any]:
            return [InputPartition(piece) for piece in self._pieces]

        def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
            # Spark has a task for a result without partitions, too.
            if partition.value is not None:
                for batch in partition.value.partition.batches():
                    yield fit(batch, self._schema)

    class PlannedSource(DataSource):  # type: ignore[misc]
        def __init__(self, name: str, pieces: list[Piece], schema: pa.Schema, columns: Any) -> None:
            self._name, self._pieces, self._schema, self._columns = name, pieces, schema, columns

        def name(self) -> str:
            return self._name

        def schema(self) -> Any:
            return self._columns

        def reader(self, schema: Any) -> Any:  # noqa: ARG002 - Spark's signature
            pieces, self._pieces = self._pieces, []
            return PiecesReader(pieces, self._schema)

    return PlannedSource


def spark_type(schema: pa.Schema) -> Any:
    """The columns as Spark's `StructType`; `schema` is one of `spark_schema`."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema, prefer_timestamp_ntz=True)


def require_sources() -> None:
    """Says what to do where Spark has no Python data sources."""
    try:
        import pyspark.sql.datasource
    except ModuleNotFoundError as missing:
        if missing.name == "pyspark.sql.datasource":
            import pyspark

            raise UnsupportedError(
                "this needs Spark 4.0 or later, whose data sources may be of Python, and this is"
                f" {pyspark.__version__}; with the jar, earlier versions read databases too:"
                ' spark.read.format("bowshot")'
            ) from None
        raise
