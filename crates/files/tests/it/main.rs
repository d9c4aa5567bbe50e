//! Files as users have them: written here by the formats' own writers, read through the source, compared cell by cell.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "columns of every type are made of small row numbers"
)]

#[cfg(test)]
mod arrow;
#[cfg(test)]
mod csv;
#[cfg(test)]
mod damaged;
#[cfg(test)]
mod direct;
#[cfg(test)]
mod excerpts;
#[cfg(test)]
mod folders;
#[cfg(test)]
mod int96;
#[cfg(test)]
mod intervals;
#[cfg(test)]
mod json;
#[cfg(test)]
mod json_unfit;
#[cfg(test)]
mod parquet;
#[cfg(test)]
mod pruned;
#[cfg(feature = "remote")]
#[cfg(test)]
mod remote;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tickets;
#[cfg(test)]
mod unknown;
