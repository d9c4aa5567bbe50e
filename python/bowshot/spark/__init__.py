"""Queries as DataFrames of Apache Spark, read by Python in Spark's workers, without a jar: docs/guide/spark.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._bowshot import PARTITION_BYTES_OF_TASKS
from .._plan import held
from .._require import require
from ..lazy.piece import pieces
from ._held import Held, name_for
from ._jar import jar
from ._plans import closed_by_errors, planned
from ._source import FORMAT, require_sources, source_of_options, source_of_pieces

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

    from .._arguments import Connection, Sql
    from .._options import PlanOptions

__all__ = ["close", "jar", "read_sql", "register"]


def read_sql(
    spark: SparkSession, sql: Sql, con: Connection, *, lease: float | None = None, **options: Unpack[PlanOptions]
) -> DataFrame:
    """A query as a lazy DataFrame of Spark: a task a partition, all of them on one state of the database.

    Each action sees the state of this call, and so does each DataFrame that is derived from this one. This process
    keeps a session of the database open for that, until Spark's JVM has thrown away all of them, or `close`.
    `docs/guide/spark.md` has examples.

    Parameters
    ----------
    spark
        The session; it needs Spark 4.0 or later, with pyarrow, and Bowshot on all workers.
    sql, con
        As in `bowshot.read_sql`.
    lease
        After how many seconds without a read the snapshot is let go of, though the DataFrame lives; never without it.
    **options
        Those of `bowshot.plan`, which mean the same in `bowshot.read_sql`: `params`, `types`, `partition_bytes` (64
        MiB), `partition_on`, …

    Raises
    ------
    bowshot.Error
        In one of its kinds. An `UnsupportedError` where partitions of this database cannot share a state, or where
        Spark has no equal of a column's type; it names the ways out.
    """
    _require()
    sized: PlanOptions = {"partition_bytes": PARTITION_BYTES_OF_TASKS, **options}
    query, schema = planned(sql, con, lease=held(lease), **sized)
    with closed_by_errors(query):
        keeps = Held(pieces(query.plan), name_for(FORMAT))
        spark.dataSource.register(source_of_pieces(keeps.name, list(keeps.pieces), schema))
        df = spark.read.format(keeps.name).load()
        keeps.tie(df)
    df._bowshot = keeps
    return df


def close(df: DataFrame) -> None:
    """Ends the session that the database keeps for a DataFrame of `read_sql`, and for all that are derived from it.

    Whatever is read of them afterwards is a `bowshot.SnapshotGoneError`. Without this, the session ends some time after
    the last of them, when the JVM collects its garbage.
    """
    keeps = getattr(df, "_bowshot", None)
    if keeps is None:
        raise TypeError("this is no DataFrame that bowshot.spark.read_sql returned")
    keeps.close()


def register(spark: SparkSession) -> None:
    """Lets `spark.read.format("bowshot-python")` and `CREATE VIEW … USING` read queries, each in a single task.

    The options are `url` and `query`, and those of `bowshot.plan` by their names; `params` and `types` are JSON. Each
    action sees the database as it is then. To read in several tasks, use `read_sql`.
    """
    _require()
    spark.dataSource.register(source_of_options())


def _require() -> None:
    require("pyspark", "spark")
    require("pyarrow", "spark")
    require_sources()
