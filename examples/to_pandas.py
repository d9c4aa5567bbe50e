"""Reads a query into a pandas dataframe: python examples/to_pandas.py sqlite:///tpch.sqlite"""

import sys

import bowshot

df = bowshot.read_sql("SELECT * FROM lineitem", sys.argv[1])
print(df.dtypes)
print(df.head())
