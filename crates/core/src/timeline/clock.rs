//! What the system knows of a thread's time.

use std::time::{Duration, Instant};

/// An instant of a thread, with what it had used by then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) now: Instant,
    /// Its CPU time; zero where the system does not say.
    pub(super) cpu: Duration,
    /// Time in which it was ready to run while no core was free; zero where the system does not say.
    pub(super) starved: Duration,
}

/// How much CPU time this thread has used; zero where the system does not say.
///
/// One system call, of some hundred nanoseconds.
#[cfg(unix)]
pub(super) fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

#[cfg(not(unix))]
pub(super) fn cpu() -> Duration {
    Duration::ZERO
}

/// What Linux counts of a thread, for others to look at.
#[derive(Debug)]
pub(super) struct Scheduling(#[cfg(target_os = "linux")] Option<std::fs::File>);

/// How long a thread had the CPU, and how long it had to wait for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Scheduled {
    /// Time on a CPU, by the clock of [`cpu`], though up to some milliseconds behind it.
    ran: Duration,
    /// Time in which it was ready to run while no core was free.
    starved: Duration,
}

impl Scheduling {
    /// Of this thread.
    #[cfg(target_os = "linux")]
    pub(super) fn of_this_thread() -> Self {
        Scheduling(std::fs::File::open("/proc/thread-self/schedstat").ok())
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn of_this_thread() -> Self {
        Scheduling()
    }

    /// This thread now. Reading a file of the system takes about a microsecond.
    pub(super) fn mark(&self) -> Mark {
        let starved = self.look().map(|seen| seen.starved).unwrap_or_default();
        Mark { now: Instant::now(), cpu: cpu(), starved }
    }

    /// The thread at `now`, asked by another one, after `last`.
    pub(super) fn mark_from_afar(&self, now: Instant, last: Mark) -> Mark {
        match self.look() {
            Some(seen) => Mark { now, cpu: seen.ran, starved: seen.starved },
            None => Mark { now, ..last },
        }
    }

    /// What was counted; `None` once the thread has ended, and where nothing is counted.
    #[cfg(target_os = "linux")]
    fn look(&self) -> Option<Scheduled> {
        use std::os::unix::fs::FileExt;
        let mut text = [0; 96];
        let length = self.0.as_ref()?.read_at(&mut text, 0).ok()?;
        parse(std::str::from_utf8(text.get(..length)?).ok()?)
    }

    #[cfg(not(target_os = "linux"))]
    fn look(&self) -> Option<Scheduled> {
        None
    }
}

/// Nanoseconds on a CPU, nanoseconds without one, how often it had one. A kernel that does not count says zero.
#[cfg(any(target_os = "linux", test))]
fn parse(text: &str) -> Option<Scheduled> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse);
    let (ran, starved) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    (ran > 0).then(|| Scheduled { ran: Duration::from_nanos(ran), starved: Duration::from_nanos(starved) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_writes_is_read() {
        let read = Scheduled { ran: Duration::from_nanos(103_293), starved: Duration::from_nanos(58_117) };
        assert_eq!(parse("103293 58117 2\n"), Some(read));
        for nothing in ["", "0 0 0\n", "12", "a b c", "-1 2 3"] {
            assert_eq!(parse(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_thread_that_sleeps_uses_no_cpu() {
        let before = cpu();
        std::thread::sleep(Duration::from_millis(30));
        assert!(cpu() - before < Duration::from_millis(10));
        let before = cpu();
        let started = Instant::now();
        while cpu() - before < Duration::from_millis(10) {
            assert!(started.elapsed() < Duration::from_secs(60), "the clock of the thread stands still");
        }
    }
}
