//! The source against a server of our own that speaks Oracle's protocol, and against ones that only pretend to.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod login;
#[cfg(test)]
mod partitions;
#[cfg(test)]
mod reach;
#[cfg(test)]
mod rows;
#[cfg(test)]
mod server;
mod tickets;
#[cfg(test)]
mod ttc;
#[cfg(test)]
mod values;
