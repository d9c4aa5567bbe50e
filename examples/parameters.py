"""Passes values to a query apart from its text: python examples/parameters.py sqlite:///tpch.sqlite"""

import sys

import bowshot

uri = sys.argv[1]
# PostgreSQL numbers its placeholders, SQLite counts question marks; both know named ones.
positional = (
    "l_quantity > $1 AND l_shipmode = $2" if uri.startswith("postgres") else "l_quantity > ? AND l_shipmode = ?"
)
df = bowshot.read_sql(f"SELECT * FROM lineitem WHERE {positional}", uri, params=[49, "AIR"])
print(f"{len(df)} rows by position")

named = "SELECT * FROM lineitem WHERE l_quantity > :least AND l_shipmode = :mode"
df = bowshot.read_sql(named, uri, params={"least": 49, "mode": "AIR"})
print(f"{len(df)} rows by name")
