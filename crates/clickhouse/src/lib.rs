//! ClickHouse as a source of Arrow batches.
