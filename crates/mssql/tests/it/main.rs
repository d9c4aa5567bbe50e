//! The source against a server that plays bytes of the protocol, built by hand after [MS-TDS]: no real SQL Server runs
//! where these tests do.

#[cfg(test)]
mod cancel;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod login;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod mock;
mod notices;
#[cfg(test)]
mod parameters;
#[cfg(test)]
mod partitions;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tokens;
#[cfg(test)]
mod types;
