//! One plan becomes n plans of one execution.

use std::sync::Arc;

use bowshot_core::{Cancel, Error, ErrorKind, Estimate, Options, Partition, Plan, Result};

use crate::limits::ShareLimits;
use crate::part::Part;
use crate::seat::Seat;
use crate::shared::Shared;

/// Makes `count` plans (at least one) of `plan`, whose readers are dealt its batches as they ask for them.
///
/// Each has one partition, which can be read once, on any thread, by a [`Stream`](bowshot_core::Stream) or another executor.
/// Together they are exactly the result; which part has which rows is decided while they are read.
///
/// The query begins when the first part is opened, is executed once, and ends with
/// - its last batch: a part that is opened only then is empty;
/// - an error of the source, which every part is told, also one that is opened later;
/// - `cancel`, likewise;
/// - a part that is dropped after it was given a batch and before it was told the end: the others get an error of kind
///   [`ConnectionLost`](ErrorKind::ConnectionLost). To see it and not just that all was cancelled, read each part under a
///   [`Cancel`] of its own, since a dropped stream cancels what it was given;
/// - the last part that could be read being dropped.
///
/// A part that is never opened has no rows that anybody could miss.
///
/// The order of the rows is that of the result within each part, and for one part alone; a result whose order matters has `count` 1.
/// Where the plan has several partitions and `options` allow several connections, these read half of
/// [`ShareLimits::memory_bytes`] ahead, and the other half waits for readers.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config) where the spill folder is none, and of kind [`Cancelled`](ErrorKind::Cancelled) where
/// `cancel` says so already. Nothing was executed then.
pub fn share(plan: Plan, options: &Options, count: usize, limits: &ShareLimits, cancel: Cancel) -> Result<Vec<Plan>> {
    cancel.check()?;
    check_folder(limits)?;
    let count = count.max(1);
    let is_parallel = plan.partitions.len() > 1 && options.workers() > 1;
    let ahead = if is_parallel { limits.memory_bytes / 2 } else { 0 };
    // At least one byte: a batch is read while the one before it finds its place.
    let reading = Options { buffer_bytes: ahead.max(1), ..options.clone() };
    let limits = ShareLimits { memory_bytes: limits.memory_bytes - ahead, ..limits.clone() };

    let (schema, snapshot) = (Arc::clone(&plan.schema), plan.snapshot.clone());
    let readers = if count == 1 { "reader" } else { "readers" };
    let reason = format!("the query is executed once, for {count} {readers}: {}", plan.reason);
    let estimate = if count == 1 { plan.estimate } else { Estimate::default() };
    let shared = Arc::new(Shared::new(plan, reading, count, &limits, cancel.part()));
    let ended = Arc::clone(&shared);
    let cancelled = Arc::new(cancel.on_cancel(move || ended.fail(Error::cancelled())));
    let part = |index| Plan {
        schema: Arc::clone(&schema),
        snapshot: snapshot.clone(),
        partitions: vec![Partition { label: format!("part {index} of {count}, dealt as it is read"), rows: None }],
        reason: reason.clone(),
        estimate,
        scan: Arc::new(Part::new(Seat::new(Arc::clone(&shared), index, Arc::clone(&cancelled)))),
    };
    Ok((0..count).map(part).collect())
}

/// A folder that is not there must be known before it is needed, in the middle of somebody's result.
fn check_folder(limits: &ShareLimits) -> Result<()> {
    if limits.spill_bytes == 0 || limits.spill_folder.is_dir() {
        return Ok(());
    }
    let message = format!("the spill folder {} is no folder", limits.spill_folder.display());
    Err(Error::new(ErrorKind::Config, message).with_hint("make it, name another one, or set its limit to 0 bytes"))
}

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod interleavings;
#[cfg(test)]
mod tests;
