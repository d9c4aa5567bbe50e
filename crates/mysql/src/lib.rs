//! MySQL and MariaDB as a source of Arrow batches: packets decoded straight into arrays, split by key on one snapshot.
