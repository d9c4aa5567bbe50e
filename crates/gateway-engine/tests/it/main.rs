//! The engine over real files and real databases.

#[cfg(test)]
mod common;
#[cfg(test)]
mod decimals;
#[cfg(test)]
mod files;
#[cfg(test)]
mod joins;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod pushed;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod statements;
