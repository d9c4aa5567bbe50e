//! The source against a server of our own that speaks Oracle's protocol, and against ones that only pretend to.

mod answers;
mod hostile;
mod login;
mod partitions;
mod reach;
mod rows;
mod server;
mod ttc;
mod values;
