"""A query as a Polars LazyFrame: what means the same in the database goes into its SQL, the rest stays in Polars.

`predicate` reads Polars' expressions, `alike` says which comparisons a database makes as Polars does, `statement`
writes the SQL, `settled` says what the columns are, and `source` reads when Polars calls it. `explain` says what a
frame would ask.
"""

from ._scan_sql import scan_sql
from .explain import explain_scan

__all__ = ["explain_scan", "scan_sql"]
