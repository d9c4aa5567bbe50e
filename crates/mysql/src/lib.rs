//! MySQL and MariaDB, read from the packets straight into arrays.

mod cancel;
mod connect;
mod error;
mod login;
mod packet;
mod plan;
mod result;
mod snapshot;
mod split;
mod uri;
