"""Every case: a query, the data that it reads, and the ways to read them, each in the JVM of its engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field

SPARK = "spark"
BOWSHOT = "bowshot"
# Where a way has no file to read, but a table of PostgreSQL.
POSTGRES = "postgres"

LINEITEM_SCHEMA = (
    "l_orderkey int, l_partkey int, l_suppkey int, l_linenumber int, l_quantity decimal(15,2),"
    " l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2), l_returnflag string,"
    " l_linestatus string, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct string,"
    " l_shipmode string, l_comment string"
)
ALL = "SELECT * FROM data"
Q1 = """SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
    sum(l_extendedprice * (1 - l_discount)), avg(l_quantity), avg(l_discount), count(*)
FROM data WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus"""
Q6 = """SELECT sum(l_extendedprice * l_discount) FROM data
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
    AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"""

KIBIBYTE = 1024
BATCHES = {
    "16 KiB": 16 * KIBIBYTE,
    "64 KiB": 64 * KIBIBYTE,
    "256 KiB": 256 * KIBIBYTE,
    "1 MiB": 1024 * KIBIBYTE,
    "4 MiB": 4096 * KIBIBYTE,
    "16 MiB": 16_384 * KIBIBYTE,
}
DEFAULT_BATCH = "1 MiB"


@dataclass(frozen=True)
class Way:
    """A way to read a case's data: the JVM that does it, and what Spark's `read` is told."""

    name: str
    engine: str
    format: str
    options: Mapping[str, str] = field(default_factory=dict)
    schema: str = ""


@dataclass(frozen=True)
class Case:
    """A query over the view `data`.

    `data` names a file of `data.FILES`, or `POSTGRES`. What takes less than a second is read several times a
    measurement, since CPU time is counted in hundredths. `bar` is how many times Bowshot's CPU seconds Spark's own
    reader must take, where both have one way.
    """

    name: str
    data: str
    sql: str
    ways: tuple[Way, ...]
    bar: float | None = None
    reads: int = 1


def _parquet(name: str, data: str, bar: float, sql: str = ALL, reads: int = 1) -> Case:
    ways = (Way(SPARK, SPARK, "parquet"), Way(BOWSHOT, BOWSHOT, "bowshot"))
    return Case(name, f"{data}.parquet", sql, ways, bar, reads)


def _first(columns: int) -> str:
    return f"SELECT {', '.join(f'c{number}' for number in range(columns))} FROM data"


SCANS = [
    _parquet("scan/numbers", "numbers", 1.3),
    *(_parquet(f"codec/{codec}", f"lineitem-{codec}", 1.1) for codec in ("none", "gzip", "zstd")),
    _parquet("codec/snappy", "lineitem-snappy", 1.4),
    Case(
        "csv/lineitem",
        "lineitem.csv",
        ALL,
        (
            Way(SPARK, SPARK, "csv", {"header": "true"}, LINEITEM_SCHEMA),
            Way(BOWSHOT, BOWSHOT, "bowshot", {}, LINEITEM_SCHEMA),
        ),
        bar=4,
    ),
    _parquet("columns/1 of 100", "wide", 2.5, _first(1), reads=10),
    _parquet("columns/10 of 100", "wide", 2, _first(10), reads=3),
    _parquet("columns/100 of 100", "wide", 1.05),
    _parquet("query/Q1", "lineitem-snappy", 1.0, Q1),
    _parquet("query/Q6", "lineitem-snappy", 1.8, Q6, reads=3),
]
BATCH_SIZES = Case(
    "batch/numbers",
    "numbers.parquet",
    ALL,
    tuple(Way(name, BOWSHOT, "bowshot", {"batch_bytes": str(size)}) for name, size in BATCHES.items()),
)
JDBC = "spark"
JDBC_PARTITIONED = "spark, 4 partitions"
DATABASE = Case(
    "postgres/lineitem",
    POSTGRES,
    ALL,
    (
        Way(JDBC, SPARK, "jdbc"),
        # Its bounds depend on the scale: see `data.Prepared`.
        Way(
            JDBC_PARTITIONED,
            SPARK,
            "jdbc",
            {"partitionColumn": "l_orderkey", "numPartitions": "4", "fetchsize": "10000"},
        ),
        Way(BOWSHOT, BOWSHOT, "bowshot"),
    ),
)
CASES = [*SCANS, BATCH_SIZES, DATABASE]
