//! ClickHouse as a source, against a real server and against false ones.

#[cfg(test)]
mod common;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod false_server;
#[cfg(test)]
mod modern;
#[cfg(test)]
mod reading;
