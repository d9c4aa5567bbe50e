//! What is let through, tried on real databases.

#[cfg(test)]
mod common;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod sqlite;
