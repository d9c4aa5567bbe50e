//! What waits to be fetched: the endpoints of planned queries, each handed out once.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use bowshot_core::{Cancel, Error, ErrorKind, Plan, Result};
use parking_lot::Mutex;

use crate::again::{Again, Whole};
use crate::divide::Division;
use crate::first_error::FirstError;
use crate::work::Work;

/// Names a result; random, so that nobody guesses another one.
pub type Id = [u8; 16];

/// The results that were planned and not fetched to their end yet.
///
/// A result belongs to one user. Its plan holds a snapshot in the database, so that what nobody fetches is dropped when
/// its time is over.
#[derive(Default)]
pub struct Results(Mutex<HashMap<Id, Entry>>);

/// A result as it is offered.
pub(crate) struct Offered {
    pub(crate) division: Division,
    /// What ends it.
    pub(crate) cancel: Cancel,
    /// What it holds while it lasts.
    pub(crate) work: Option<Arc<Work>>,
    /// The plan before it was divided, where its endpoints could be fetched again.
    pub(crate) whole: Option<Whole>,
}

struct Entry {
    user: String,
    endpoints: Vec<Option<Plan>>,
    /// Where the partitions of each endpoint end among those of the whole plan.
    ends: Vec<usize>,
    whole: Option<Whole>,
    /// Holds the snapshot, so that endpoints are not used up.
    again: Option<Arc<Again>>,
    connections: usize,
    cancel: Cancel,
    work: Option<Arc<Work>>,
    first_error: Arc<FirstError>,
    expires: Instant,
    /// Endpoints that are being read.
    reading: usize,
}

/// An endpoint that somebody reads. Dropping it says that the reading has ended.
pub struct Claimed {
    /// What ends the whole result.
    pub cancel: Cancel,
    /// How many connections of the source read for it.
    pub(crate) connections: usize,
    pub(crate) first_error: Arc<FirstError>,
    pub(crate) work: Option<Arc<Work>>,
    results: Arc<Results>,
    id: Id,
}

impl Results {
    /// Keeps the endpoints of a result for `user`, until `expires`.
    pub(crate) fn add(&self, id: Id, user: &str, offered: Offered, expires: Instant) {
        let Offered { division: Division { endpoints, connections, is_cut }, cancel, work, whole } = offered;
        let (user, first_error) = (user.to_owned(), Arc::default());
        let mut end = 0;
        let ends = endpoints.iter().map(|plan| plan.partitions.len()).map(move |count| {
            end += count;
            end
        });
        let ends = ends.collect();
        let (endpoints, whole) = (endpoints.into_iter().map(Some).collect(), whole.filter(|_| is_cut));
        let (again, reading) = (None, 0);
        let entry =
            Entry { user, endpoints, ends, whole, again, connections, cancel, work, first_error, expires, reading };
        self.0.lock().insert(id, entry);
    }

    /// Hands out an endpoint: its part of the plan, once, or as often as it is asked for where the result is [held](Results::keep).
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where the result is gone, is another user's, or the endpoint was handed out.
    pub fn claim(self: &Arc<Self>, id: Id, endpoint: usize, user: &str, now: Instant) -> Result<(Plan, Claimed)> {
        let mut entries = self.0.lock();
        // Somebody else's result is none at all.
        let entry = entries.get_mut(&id).filter(|entry| entry.user == user && entry.expires > now).ok_or_else(gone)?;
        let slot = entry.endpoints.get_mut(endpoint).ok_or_else(gone)?;
        if let (Some(again), Some(plan)) = (&entry.again, &slot) {
            let start = endpoint.checked_sub(1).and_then(|before| entry.ends.get(before)).copied().unwrap_or_default();
            let end = entry.ends.get(endpoint).copied().unwrap_or_default();
            let plan = again.plan(plan, start..end)?;
            entry.reading += 1;
            // Who reads once more ends nothing for the others.
            let (cancel, first_error) = (entry.cancel.part(), Arc::default());
            let (connections, work) = (1, entry.work.clone());
            return Ok((plan, Claimed { cancel, connections, first_error, work, results: Arc::clone(self), id }));
        }
        let plan = slot.take().ok_or_else(|| {
            Error::new(ErrorKind::Config, format!("endpoint {endpoint} of this result is read already"))
                .with_hint("each endpoint is read once: run the query again for another reading")
        })?;
        entry.reading += 1;
        // Its connection reads from now on, and can hold nothing for others.
        let whole = entry.whole.take();
        let (cancel, first_error) = (entry.cancel.clone(), Arc::clone(&entry.first_error));
        let (connections, work) = (entry.connections, entry.work.clone());
        drop(entries);
        drop(whole);
        Ok((plan, Claimed { cancel, connections, first_error, work, results: Arc::clone(self), id }))
    }

    /// Moves the end of a result that is still known to `expires`; false where there is none.
    pub fn renew(&self, id: Id, user: &str, now: Instant, expires: Instant) -> bool {
        let mut entries = self.0.lock();
        let entry = entries.get_mut(&id).filter(|entry| entry.user == user && entry.expires > now);
        entry.map(|entry| entry.expires = entry.expires.max(expires)).is_some()
    }

    /// The plan of a result that nobody has begun to fetch, if its endpoints could be fetched again: to be [kept](Results::keep).
    pub(crate) fn whole(&self, id: Id, user: &str) -> Option<(Whole, Cancel)> {
        let mut entries = self.0.lock();
        let entry = entries.get_mut(&id).filter(|entry| entry.user == user)?;
        Some((entry.whole.take()?, entry.cancel.clone()))
    }

    /// Notes that the snapshot of a result is held: from now on each of its endpoints can be fetched again.
    pub(crate) fn keep(&self, id: Id, again: Again) {
        if let Some(entry) = self.0.lock().get_mut(&id) {
            entry.again = Some(Arc::new(again));
        }
    }

    /// Whether a result has something left to be fetched.
    pub fn is_known(&self, id: Id) -> bool {
        self.0.lock().contains_key(&id)
    }

    /// Ends a result, whoever reads it; false where there is none.
    pub fn cancel(&self, id: Id, user: &str) -> bool {
        let mut entries = self.0.lock();
        if entries.get(&id).is_none_or(|entry| entry.user != user) {
            return false;
        }
        let ended = entries.remove(&id);
        // Outside of the lock: to cancel, and to close connections, may take a while.
        drop(entries);
        if let Some(entry) = &ended {
            entry.cancel.cancel();
        }
        ended.is_some()
    }

    /// Ends every result, whosever it is; how many they were.
    pub fn end_all(&self) -> usize {
        let ended = std::mem::take(&mut *self.0.lock());
        // Outside of the lock, as above.
        ended.values().for_each(|entry| entry.cancel.cancel());
        ended.len()
    }

    /// Drops what nobody fetched in time; how many results that were. What is being read goes on.
    pub fn expire(&self, now: Instant) -> usize {
        let mut dropped = Vec::new();
        self.0.lock().retain(|_, entry| {
            if entry.expires > now {
                return true;
            }
            dropped.extend(entry.endpoints.iter_mut().filter_map(Option::take));
            entry.reading > 0
        });
        dropped.len()
    }

    /// Ends the results that took longer than they may; how many those were.
    pub(crate) fn end_late(&self, now: Instant) -> usize {
        let is_late = |work: &Arc<Work>| work.budget.deadline().is_some_and(|deadline| deadline < now);
        let late: Vec<_> = {
            let entries = self.0.lock();
            let late = entries.values().filter(|entry| entry.work.as_ref().is_some_and(is_late));
            late.map(|entry| (entry.work.clone(), Arc::clone(&entry.first_error), entry.cancel.clone())).collect()
        };
        for (work, first_error, cancel) in &late {
            if let Some(Err(error)) = work.as_ref().map(|work| work.budget.spend(0, now)) {
                first_error.status(&error);
            }
            cancel.cancel();
        }
        late.len()
    }

    /// How many results are known.
    pub fn len(&self) -> usize {
        self.0.lock().len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn gone() -> Error {
    Error::new(
        ErrorKind::Config,
        "there is no such result: it was fetched to its end, cancelled, or not fetched in time",
    )
    .with_hint("run the query again, and fetch its endpoints soon")
}

impl Claimed {
    /// Ends the whole result because of an error, which the readers of its other endpoints are told.
    pub(crate) fn end_with(&self, error: &Error) {
        self.first_error.status(error);
        self.cancel.cancel();
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        let mut entries = self.results.0.lock();
        let Some(entry) = entries.get_mut(&self.id) else { return };
        entry.reading -= 1;
        if entry.reading == 0 && entry.endpoints.iter().all(Option::is_none) {
            entries.remove(&self.id);
        }
    }
}

impl fmt::Debug for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Results({})", self.len())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bowshot_core::testing::Numbers;
    use bowshot_core::{Options, Query, Request, Source};

    use super::*;
    use crate::endpoints::cut;

    const ID: Id = [7; 16];
    const MINUTE: Duration = Duration::from_secs(60);

    fn with_one(now: Instant) -> (Arc<Results>, Cancel) {
        let request = Request::new(Query::new("numbers"), Options::default());
        let plan = Numbers { partitions: 4, rows: 5 }.plan(&request, &Cancel::new()).unwrap();
        let (results, cancel) = (Arc::<Results>::default(), Cancel::new());
        let division = Division { endpoints: cut(plan, 2), connections: 1, is_cut: true };
        let offered = Offered { division, cancel: cancel.clone(), work: None, whole: None };
        results.add(ID, "ann", offered, now + MINUTE);
        (results, cancel)
    }

    #[test]
    fn an_endpoint_is_handed_out_once_to_its_user() {
        let now = Instant::now();
        let (results, _) = with_one(now);
        assert!(results.claim(ID, 0, "bob", now).is_err(), "another user");
        assert!(results.claim([8; 16], 0, "ann", now).is_err(), "another result");
        assert!(results.claim(ID, 2, "ann", now).is_err(), "no such endpoint");
        let (plan, first) = results.claim(ID, 0, "ann", now).unwrap();
        assert_eq!(plan.partitions.len(), 2);
        let error = results.claim(ID, 0, "ann", now).err().unwrap();
        assert!(error.to_string().contains("endpoint 0 of this result is read already"), "{error}");
        drop(first);
        assert_eq!(results.len(), 1, "the other endpoint waits");
        drop(results.claim(ID, 1, "ann", now).unwrap());
        assert!(results.is_empty());
    }

    #[test]
    fn what_nobody_fetches_is_dropped_in_time() {
        let now = Instant::now();
        let (results, _) = with_one(now);
        assert_eq!(results.expire(now + MINUTE / 2), 0);
        assert!(results.renew(ID, "ann", now, now + 2 * MINUTE) && !results.renew(ID, "bob", now, now + 9 * MINUTE));
        assert_eq!(results.expire(now + MINUTE), 0);
        let (_, reading) = results.claim(ID, 0, "ann", now + MINUTE).unwrap();
        assert_eq!(results.expire(now + 2 * MINUTE), 1, "the other endpoint");
        assert!(results.claim(ID, 1, "ann", now + 2 * MINUTE).is_err());
        assert_eq!(results.len(), 1, "one is being read");
        drop(reading);
        assert!(results.is_empty());
    }

    #[test]
    fn a_cancel_ends_all_that_is_read() {
        let now = Instant::now();
        let (results, cancel) = with_one(now);
        let (_, reading) = results.claim(ID, 0, "ann", now).unwrap();
        assert!(!results.cancel(ID, "bob") && !cancel.is_cancelled());
        assert!(results.cancel(ID, "ann") && cancel.is_cancelled() && reading.cancel.is_cancelled());
        assert!(results.is_empty() && !results.cancel(ID, "ann"));
        drop(reading);
    }
}
