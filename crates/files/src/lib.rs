//! Files and folders of Parquet, CSV and Arrow IPC, local or remote, as a source of Arrow batches.
