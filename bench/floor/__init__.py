"""The floors: what the database itself costs, with nothing done to the values."""
