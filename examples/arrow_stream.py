"""Streams a query batch by batch into a library that speaks Arrow, here nanoarrow; pyarrow need not be installed.

python examples/arrow_stream.py sqlite:///tpch.sqlite
"""

import sys

import bowshot
import nanoarrow

# The query is handed over as it is: it offers the Arrow PyCapsule interface, and is read as the batches are asked for.
query = bowshot.query("SELECT l_orderkey, l_shipmode FROM lineitem", sys.argv[1])
rows = 0
for batch in nanoarrow.ArrayStream(query):
    rows += len(batch)
print(f"{rows} rows")
