"""The benchmark of the extension inside PostgreSQL: COPY … (FORMAT arrow) against the row protocol."""
