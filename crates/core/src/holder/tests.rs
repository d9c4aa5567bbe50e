use std::sync::atomic::AtomicBool;

use super::*;
use crate::testing::Numbers;
use crate::{Connection, Query, Source};

/// A scan whose snapshot is held by what notes its end.
#[derive(Clone, Default)]
struct Noted {
    looks: Arc<AtomicUsize>,
    dropped: Arc<AtomicBool>,
    /// Somebody reads elsewhere.
    busy: Arc<AtomicBool>,
    lost: Arc<AtomicBool>,
    /// Its state is found by its own marks.
    marked: bool,
}

impl Scan for Noted {
    fn connect(&self, _: &Cancel) -> Result<Box<dyn Connection>> {
        Err(Error::new(ErrorKind::Internal, "nobody connects here"))
    }

    fn obstacle(&self) -> Option<String> {
        None
    }

    fn needs_holder(&self) -> bool {
        !self.marked
    }

    fn hold(&self, _: u128, _: &Cancel) -> Result<Box<dyn Hold>> {
        Ok(Box::new(NotedHold(self.clone())))
    }
}

struct NotedHold(Noted);

impl Hold for NotedHold {
    fn kind(&self) -> &'static str {
        "noted"
    }

    fn state(&self, index: usize) -> Result<Vec<u8>> {
        crate::write_state(&index)
    }

    fn look(&mut self) -> Result<bool> {
        self.0.looks.fetch_add(1, Ordering::SeqCst);
        if self.0.lost.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::ConnectionLost, "the server went away"));
        }
        Ok(self.0.busy.load(Ordering::SeqCst))
    }
}

impl Drop for NotedHold {
    fn drop(&mut self) {
        self.0.dropped.store(true, Ordering::SeqCst);
    }
}

fn held(noted: &Noted, lease: Duration) -> Result<Holder> {
    let request = Request::new(Query::new("numbers"), Options::default());
    let mut plan = Numbers { partitions: 2, rows: 10 }.plan(&request, &Cancel::new())?;
    plan.scan = Arc::new(noted.clone());
    Holder::new(&plan, &request, Lease(lease), &Cancel::new())
}

fn wait(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_lease_that_ends_lets_the_snapshot_go_and_says_so() {
    let noted = Noted::default();
    let holder = held(&noted, Duration::from_millis(120)).unwrap();
    assert_eq!(holder.tickets().unwrap().len(), 2);
    wait("the lease never ended", || noted.dropped.load(Ordering::SeqCst));
    let error = holder.ticket(0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SnapshotGone);
    assert!(error.message().ends_with("its lease of 120 ms ended"), "{error}");
    assert!(!holder.is_alive());
}

#[test]
fn readers_here_and_elsewhere_renew_the_lease() {
    for elsewhere in [true, false] {
        let noted = Noted::default();
        noted.busy.store(elsewhere, Ordering::SeqCst);
        let holder = held(&noted, Duration::from_millis(200)).unwrap();
        let end = Instant::now() + Duration::from_millis(600);
        while Instant::now() < end {
            if !elsewhere {
                holder.read();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(holder.is_alive(), "elsewhere: {elsewhere}");
    }
}

#[test]
fn a_lost_snapshot_is_told_at_the_next_ticket() {
    let noted = Noted::default();
    let holder = held(&noted, Duration::from_millis(400)).unwrap();
    noted.lost.store(true, Ordering::SeqCst);
    wait("nobody looked", || !holder.is_alive());
    let error = holder.ticket(1).unwrap_err();
    assert!(error.message().ends_with("it was lost: the server went away"), "{error}");
}

#[test]
fn closing_ends_it_at_once_however_long_the_lease() {
    let noted = Noted::default();
    let mut holder = held(&noted, Duration::from_secs(3600)).unwrap();
    let started = Instant::now();
    holder.close();
    assert!(noted.dropped.load(Ordering::SeqCst) && started.elapsed() < Duration::from_secs(5));
    assert!(holder.ticket(0).unwrap_err().message().ends_with("it was closed"));
    holder.close();
}

#[test]
fn a_process_has_only_so_many_and_forgets_none() {
    let noted = Noted::default();
    let mut holders = Vec::new();
    let refused = loop {
        match held(&noted, Duration::from_secs(3600)) {
            Ok(holder) => holders.push(holder),
            Err(error) => break error,
        }
        assert!(holders.len() <= MOST_HOLDERS);
    };
    assert_eq!(refused.kind(), ErrorKind::ConnectionLimit);
    holders.pop();
    // Other tests have holders, too: their places come and go.
    wait("a place stays taken", || held(&noted, Duration::from_secs(3600)).is_ok());
}

#[test]
fn what_needs_no_holder_takes_no_place_and_knows_no_lease() {
    let noted = Noted { marked: true, ..Noted::default() };
    let mut holders: Vec<Holder> = (0..3 * MOST_HOLDERS).map(|_| held(&noted, Duration::ZERO).unwrap()).collect();
    assert!(holders.iter().all(|holder| holder.is_alive() && holder.ticket(1).unwrap().has_snapshot()));
    assert_eq!(noted.looks.load(Ordering::SeqCst), 0);
    holders[0].close();
    assert_eq!(holders[0].ticket(0).unwrap_err().kind(), ErrorKind::SnapshotGone);
}

#[test]
fn what_cannot_travel_says_why_and_what_to_do() {
    struct Bound;
    impl Scan for Bound {
        fn connect(&self, _: &Cancel) -> Result<Box<dyn Connection>> {
            Err(Error::new(ErrorKind::Internal, "nobody connects here"))
        }
    }
    let request = Request::new(Query::new("numbers"), Options::default());
    let mut plan = Numbers { partitions: 2, rows: 10 }.plan(&request, &Cancel::new()).unwrap();
    plan.scan = Arc::new(Bound);
    let error = plan.travels(&request.options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.hint().is_some_and(|hint| hint.contains("bowshot serve") && hint.contains("one_snapshot")));
    // Without its SQL, a partition is not read alone, whatever the user allows.
    assert!(plan.travels(&Options { one_snapshot: false, ..Options::default() }).is_err());
    plan.partitions.truncate(1);
    assert_eq!(plan.travels(&request.options).unwrap(), Travel::Whole);
    let holder = Holder::new(&plan, &request, Lease::default(), &Cancel::new()).unwrap();
    assert!(!holder.ticket(0).unwrap().has_snapshot());
    assert_eq!(holder.ticket(1).unwrap_err().kind(), ErrorKind::Config);
}

#[test]
fn a_forked_child_never_waits_for_the_holders_thread() {
    let mut holder = held(&Noted::default(), Duration::from_secs(60)).unwrap();
    let (here, shared) = (holder.process, Arc::clone(&holder.shared));
    // As a child finds it that was forked while the thread had the lock.
    let locked = shared.state.lock();
    holder.process = here.wrapping_add(1);
    holder.read();
    assert!(!holder.is_alive());
    assert!(holder.ticket(1).unwrap().has_snapshot());
    holder.process = here;
    drop(locked);
    assert!(holder.is_alive() && !shared.state.lock().read);
}
