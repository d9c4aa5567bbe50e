//! Any Arrow Flight SQL server as a source of Arrow batches, all endpoints in parallel.
