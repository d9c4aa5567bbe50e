//! Exact values from their text: what a database's text protocol, a text file and a user's `types=` have in common.

pub mod decimal;
pub mod number;
pub mod temporal;
