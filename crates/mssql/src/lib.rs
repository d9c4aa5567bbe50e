//! SQL Server and Azure SQL as a source of Arrow batches.
