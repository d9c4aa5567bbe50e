//! Oracle Database as a source of Arrow batches.
