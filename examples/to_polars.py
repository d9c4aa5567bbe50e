"""Reads a query into a Polars dataframe: python examples/to_polars.py sqlite:///tpch.sqlite"""

import sys

import bowshot

df = bowshot.read_sql("SELECT * FROM lineitem", sys.argv[1], return_type="polars")
print(df)
