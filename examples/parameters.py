"""Passes values to a query apart from its text: python examples/parameters.py sqlite:///tpch.sqlite"""

import sys

import bowshot

# By position: $1, ? or %s, whatever the database itself calls them.
sql = "SELECT * FROM lineitem WHERE l_quantity > $1 AND l_shipmode = $2"
df = bowshot.read_sql(sql, sys.argv[1], params=[49, "AIR"])
print(f"{len(df)} rows by position")

# By name: :name or %(name)s.
sql = "SELECT * FROM lineitem WHERE l_quantity > :least AND l_shipmode = :mode"
df = bowshot.read_sql(sql, sys.argv[1], params={"least": 49, "mode": "AIR"})
print(f"{len(df)} rows by name")
