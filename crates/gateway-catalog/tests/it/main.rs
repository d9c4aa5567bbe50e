//! What clients of Flight SQL are told of real databases, cell by cell.

#[cfg(test)]
mod common;
#[cfg(test)]
mod mysql;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod several;
#[cfg(test)]
mod sqlite;
