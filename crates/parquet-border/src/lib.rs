//! The [Parquet writer](bowshot_parquet_writer) as C functions, under the names that the JVM looks for as well.
//!
//! A file is [opened](bowshot_parquet_open) for a handle, takes [arrays](bowshot_parquet_write) by Arrow's C data interface, and ends by
//! exactly one of [`bowshot_parquet_finish`] and [`bowshot_parquet_abort`]. Requests and answers are those of [`bowshot_border`].
//! Arrays are checked before they are believed: offsets, keys, and texts that must be UTF-8.

mod check;
mod foreign;
mod functions;
mod views;

pub use functions::{
    abort, bowshot_parquet_abort, bowshot_parquet_finish, bowshot_parquet_free, bowshot_parquet_open,
    bowshot_parquet_write, finish, open, write,
};
