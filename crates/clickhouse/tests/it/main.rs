//! ClickHouse as a source, against a real server and against false ones.

mod common;
mod failures;
mod false_server;
mod modern;
mod reading;
