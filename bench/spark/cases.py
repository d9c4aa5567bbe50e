"""Every case that runs on one machine's cores; those of a cluster are in `scaling`."""

from bench.spark.case import (
    ALL,
    BOWSHOT,
    BOWSHOT_ON_4_1,
    COMET,
    DROP_IN,
    POSTGRES,
    POSTGRES_EXTENSION,
    SPARK,
    Case,
    Group,
    Way,
)

LINEITEM_SCHEMA = (
    "l_orderkey int, l_partkey int, l_suppkey int, l_linenumber int, l_quantity decimal(15,2),"
    " l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2), l_returnflag string,"
    " l_linestatus string, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct string,"
    " l_shipmode string, l_comment string"
)
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

PARQUET_WAYS = (Way(SPARK, SPARK, "parquet"), Way(BOWSHOT, BOWSHOT, "bowshot"))


def _parquet(name: str, data: str, bar: float, sql: str = ALL, reads: int = 1) -> Case:
    return Case(name, f"{data}.parquet", sql, PARQUET_WAYS, bar, reads)


def _first(columns: int) -> str:
    return f"SELECT {', '.join(f'c{number}' for number in range(columns))} FROM data"


# The third way: a program that stays as it is, and reads `parquet`.
DROPPED_IN = Case(
    "codec/snappy",
    "lineitem-snappy.parquet",
    ALL,
    (*PARQUET_WAYS, Way(DROP_IN, DROP_IN, "parquet", plan="Format: Bowshot Parquet")),
    bar=1.4,
)
PARQUET_SCANS = [
    _parquet("scan/numbers", "numbers", 1.3),
    *(_parquet(f"codec/{codec}", f"lineitem-{codec}", 1.1) for codec in ("none", "gzip", "zstd")),
    DROPPED_IN,
    _parquet("columns/1 of 100", "wide", 2.5, _first(1), reads=10),
    _parquet("columns/10 of 100", "wide", 2, _first(10), reads=3),
    _parquet("columns/100 of 100", "wide", 1.05),
]
CSV = Case(
    "csv/lineitem",
    "lineitem.csv",
    ALL,
    (
        Way(SPARK, SPARK, "csv", {"header": "true"}, LINEITEM_SCHEMA),
        Way(BOWSHOT, BOWSHOT, "bowshot", {}, LINEITEM_SCHEMA),
    ),
    bar=4,
)
SCANS = [
    *PARQUET_SCANS,
    CSV,
    _parquet("query/Q1", "lineitem-snappy", 1.0, Q1),
    _parquet("query/Q6", "lineitem-snappy", 1.8, Q6, reads=3),
]
BATCH_SIZES = Case(
    "batch/numbers",
    "numbers.parquet",
    ALL,
    tuple(Way(name, BOWSHOT, "bowshot", {"batch_bytes": str(size)}) for name, size in BATCHES.items()),
)
# Comet has no build for Spark 4.3: here both read with Spark 4.1.
COMET_GROUP = Group("comet")
COMET_WAYS = (
    Way(COMET, COMET, "parquet", plan="CometNativeScan"),
    Way(BOWSHOT, BOWSHOT_ON_4_1, "bowshot"),
)
COMET_SCANS = [
    Case(
        f"comet/{case.name}",
        case.data,
        case.sql,
        COMET_WAYS,
        bar=0.95,
        reads=case.reads,
        group=COMET_GROUP,
    )
    for case in PARQUET_SCANS
]
JDBC = "spark"
JDBC_PARTITIONED = "spark, 4 partitions"
DATABASE_WAYS = (
    Way(JDBC, SPARK, "jdbc"),
    # Its bounds depend on the scale: see `data.Prepared`.
    Way(
        JDBC_PARTITIONED,
        SPARK,
        "jdbc",
        {"partitionColumn": "l_orderkey", "numPartitions": "4", "fetchsize": "10000"},
    ),
    Way(BOWSHOT, BOWSHOT, "bowshot"),
)
DATABASE = Case("postgres/lineitem", POSTGRES, ALL, DATABASE_WAYS)
DATABASE_EXTENSION = Case(f"{DATABASE.name}, extension", POSTGRES_EXTENSION, ALL, DATABASE_WAYS)
CASES = [*SCANS, BATCH_SIZES, DATABASE, DATABASE_EXTENSION, *COMET_SCANS]
