"""Spark's own way to PostgreSQL, to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_jdbc(spark: SparkSession, sql: str, uri: str, **options: Any) -> DataFrame:
    """A query by Spark's JDBC source, with the driver that dev/spark_setup.sh brings; `uri` is one of the testkit's."""
    address = urlsplit(uri)
    reader = spark.read.format("jdbc").option("driver", "org.postgresql.Driver").option("query", sql)
    reader = reader.option("url", f"jdbc:postgresql://{address.hostname}:{address.port}{address.path}")
    reader = reader.option("user", unquote(address.username or "")).option("password", unquote(address.password or ""))
    return reader.options(**options).load()
