//! Any ODBC data source as a source of Arrow batches.
