"""Prints how far a long read has come: python examples/progress.py sqlite:///tpch.sqlite"""

import sys

import bowshot


def show(progress: bowshot.Progress) -> None:
    """Is called while the read goes on."""
    print(f"\r{progress.rows:,} rows, {progress.partitions_done} of {progress.partitions} partitions", end="")


df = bowshot.read_sql("SELECT * FROM lineitem", sys.argv[1], progress=show)
print(f"\n{len(df):,} rows in the dataframe")
