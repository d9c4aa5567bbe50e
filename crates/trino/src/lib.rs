//! Trino as a source of Arrow batches.
