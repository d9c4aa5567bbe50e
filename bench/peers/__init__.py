"""One module a peer, one function a way to load: `(source, sql, …) -> dataframe`.

`source` is a PostgreSQL URI or the absolute path of a SQLite file. A module imports at its top all that its loads need,
so that the time of imports is not measured.
"""
