"""TPC-H's table `lineitem` as an Arrow stream in the cache, with the types and NOT NULLs of the specification."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv

from bench import tpch
from bench.paths import cache_folder, scale_name

ROWS_A_BATCH = 65_536
MONEY = pa.decimal128(15, 2)
TYPES = {
    "l_orderkey": pa.int32(),
    "l_partkey": pa.int32(),
    "l_suppkey": pa.int32(),
    "l_linenumber": pa.int32(),
    "l_quantity": MONEY,
    "l_extendedprice": MONEY,
    "l_discount": MONEY,
    "l_tax": MONEY,
    "l_shipdate": pa.date32(),
    "l_commitdate": pa.date32(),
    "l_receiptdate": pa.date32(),
}


def arrow_stream(scale: float) -> Path:
    """Returns the table as an Arrow stream, made where it is not in the cache."""
    file = cache_folder("tpch") / f"lineitem-{scale_name(scale)}.arrows"
    if not file.exists():
        convert = pa_csv.ConvertOptions(column_types=TYPES)
        table = pa_csv.read_csv(tpch.generate(scale), convert_options=convert)
        schema = pa.schema([field.with_nullable(False) for field in table.schema])
        partial = file.with_suffix(".partial")
        with pa.ipc.new_stream(partial, schema) as writer:
            writer.write_table(table.cast(schema), max_chunksize=ROWS_A_BATCH)
        partial.rename(file)
    return file
