//! Any ADBC driver as a source of Arrow batches, passed on without a copy; DuckDB among them.
