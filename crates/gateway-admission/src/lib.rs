//! How much may run at once, and how much one result may cost.
//!
//! [`Admission`] lets so many statements run, in all and for one user; others wait in a line of bounded length, for a bounded time,
//! and who cannot wait is told when to come back. A [`Budget`] bounds the bytes and the time of one result, over all
//! of its endpoints.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! use std::time::{Duration, Instant};
//! use bowshot_gateway_admission::{Admission, AdmissionLimits, Budget, BudgetLimits};
//!
//! let limits = AdmissionLimits { running: 1, queued: 0, queued_for: Duration::from_secs(10), per_user_running: 1 };
//! let admission = Admission::new(limits)?;
//! let permit = admission.enter("ann").await?;
//! let busy = admission.enter("bob").await.unwrap_err();
//! assert!(busy.retry_after_seconds() >= 1);
//! drop(permit); // the statement has ended
//! let _permit = admission.enter("bob").await?;
//!
//! let now = Instant::now();
//! let budget = Budget::new(BudgetLimits { bytes: Some(1 << 20), time: None }, now);
//! budget.spend(1 << 20, now)?;
//! assert!(budget.spend(1, now).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod admission;
mod budget;
mod busy;
mod limits;
mod line;
mod pace;
mod permit;

pub use admission::{Admission, Counts};
pub use budget::{Budget, BudgetLimits};
pub use busy::{Busy, BusyReason};
pub use limits::AdmissionLimits;
pub use permit::Permit;
