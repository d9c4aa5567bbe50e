//! Who runs and who waits, as plain data.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Who runs, and the line of those who wait; `T` is what calls one who waits.
///
/// Within a user the line is first come, first served; users take turns. So he who sends a thousand statements at once makes
/// another one's wait for one of his, not for a thousand. A user who runs as many as he may is passed over.
///
/// At any time nobody waits who may run: there is a place for an arrival only where there is none who waited for it.
pub(crate) struct Line<T> {
    most_running: usize,
    most_waiting: usize,
    most_of_one: usize,
    running: usize,
    waiting: usize,
    /// Those who run or wait.
    users: HashMap<Arc<str>, User<T>>,
    /// Users who wait, the next one first.
    turns: VecDeque<Arc<str>>,
    /// The number of the next one who waits.
    next: u64,
}

struct User<T> {
    running: usize,
    waiting: VecDeque<(u64, T)>,
}

/// What becomes of an arrival.
pub(crate) enum Arrival<T> {
    /// It runs.
    Runs,
    /// It waits under this number; one of another user may have had to go for it.
    Waits(u64, Option<T>),
    /// There is no room to wait.
    Refused,
}

impl<T> Line<T> {
    pub(crate) fn new(running: usize, waiting: usize, running_of_one: usize) -> Self {
        Line {
            most_running: running,
            most_waiting: waiting,
            most_of_one: running_of_one,
            running: 0,
            waiting: 0,
            users: HashMap::new(),
            turns: VecDeque::new(),
            next: 0,
        }
    }

    /// How many run.
    pub(crate) fn running(&self) -> usize {
        self.running
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// A statement of `user` arrives, who would be called by `call`.
    pub(crate) fn arrive(&mut self, user: &Arc<str>, call: T) -> Arrival<T> {
        let (running, waiting) = self.users.get(user).map_or((0, 0), |entry| (entry.running, entry.waiting.len()));
        if self.running < self.most_running && running < self.most_of_one {
            self.running += 1;
            self.user(user).running += 1;
            return Arrival::Runs;
        }
        let mut gave_way = None;
        if self.waiting >= self.most_waiting {
            gave_way = self.make_way(waiting);
            if gave_way.is_none() {
                return Arrival::Refused;
            }
        }
        let number = self.next;
        self.next += 1;
        self.waiting += 1;
        let entry = self.user(user);
        entry.waiting.push_back((number, call));
        if entry.waiting.len() == 1 {
            self.turns.push_back(Arc::clone(user));
        }
        Arrival::Waits(number, gave_way)
    }

    /// The next one who may run, from now on running.
    pub(crate) fn call(&mut self) -> Option<(Arc<str>, T)> {
        if self.running >= self.most_running {
            return None;
        }
        let may_run = |user: &Arc<str>| self.users.get(user).is_some_and(|entry| entry.running < self.most_of_one);
        let turn = self.turns.iter().position(may_run)?;
        let user = self.turns.remove(turn)?;
        let entry = self.users.get_mut(&user)?;
        let (_, call) = entry.waiting.pop_front()?;
        entry.running += 1;
        if !entry.waiting.is_empty() {
            self.turns.push_back(Arc::clone(&user));
        }
        self.running += 1;
        self.waiting -= 1;
        Some((user, call))
    }

    /// A statement of `user` that ran has ended.
    pub(crate) fn leave(&mut self, user: &Arc<str>) {
        self.running = self.running.saturating_sub(1);
        if let Some(entry) = self.users.get_mut(user) {
            entry.running = entry.running.saturating_sub(1);
        }
        self.forget(user);
    }

    /// One who waited gives up; nothing where it was called meanwhile.
    pub(crate) fn give_up(&mut self, user: &Arc<str>, number: u64) {
        let Some(entry) = self.users.get_mut(user) else { return };
        let Some(index) = entry.waiting.iter().position(|(waiting, _)| *waiting == number) else { return };
        entry.waiting.remove(index);
        self.waiting -= 1;
        self.forget(user);
    }

    /// Where a user has two more waiting than one who arrives with `waiting`, the last of these goes: so a user
    /// who fills the line does not keep the others out of it. (Fair queues drop from the longest one, see
    /// [RFC 970](https://www.rfc-editor.org/rfc/rfc970) for the turns and McKenney's Stochastic Fairness Queueing, 1990, for the drop.)
    fn make_way(&mut self, waiting: usize) -> Option<T> {
        let (user, entry) = self.users.iter_mut().max_by_key(|(_, entry)| entry.waiting.len())?;
        if entry.waiting.len() < waiting + 2 {
            return None;
        }
        let (user, (_, call)) = (Arc::clone(user), entry.waiting.pop_back()?);
        self.waiting -= 1;
        self.forget(&user);
        Some(call)
    }

    fn user(&mut self, user: &Arc<str>) -> &mut User<T> {
        self.users.entry(Arc::clone(user)).or_insert_with(|| User { running: 0, waiting: VecDeque::new() })
    }

    /// Drops what says nothing any more.
    fn forget(&mut self, user: &Arc<str>) {
        let Some(entry) = self.users.get(user) else { return };
        if entry.waiting.is_empty() {
            self.turns.retain(|turn| turn != user);
            if entry.running == 0 {
                self.users.remove(user);
            }
        }
    }
}

#[cfg(test)]
mod tests;
