//! Which sources answer, remembered for a while.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Options, Query, Request, Result, Source};
use bowshot_gateway_catalog::Dialect;
use bowshot_gateway_console::SourceStatus;
use parking_lot::{Condvar, Mutex};

use crate::gateway::Named;
use crate::kind::Kind;

/// How long an answer is good. Of one that took long it is longer: asking should cost a source little.
const GOOD_FOR: Duration = Duration::from_secs(10);
const GOOD_FOR_TIMES: u32 = 20;

/// How long somebody waits for sources that have never answered.
const WAIT: Duration = Duration::from_secs(1);

/// After how long without an answer a source counts as not reachable.
const SILENT: Duration = Duration::from_secs(5);

/// The sources, each with its last answer. One that hangs holds up nothing but a thread of its own.
pub(crate) struct Reach(Vec<Arc<Probed>>);

struct Probed {
    name: String,
    kind: String,
    source: Arc<dyn Source>,
    sql: &'static str,
    known: Mutex<Known>,
    answered: Condvar,
}

#[derive(Default)]
struct Known {
    /// Since when it is being asked.
    asked: Option<Instant>,
    /// When it answered last: after how long, or why not.
    answer: Option<(Instant, Result<Duration, String>)>,
    /// How long the last answer is good.
    good_for: Duration,
}

impl Reach {
    /// Of these sources nothing is known yet.
    pub(crate) fn new(sources: &[Named]) -> Reach {
        let probed = |named: &Named| {
            let (kind, sql) = (kind_name(named.kind, &named.address.to_string()), named.kind.smallest_query());
            Probed::new(&named.name, kind, Arc::clone(&named.source), sql)
        };
        Reach(sources.iter().map(|named| Arc::new(probed(named))).collect())
    }

    /// What is known of the sources that are `visible`; those whose answer is old are asked again, for the next time.
    pub(crate) fn look(&self, visible: impl Fn(&str) -> bool) -> Vec<SourceStatus> {
        let probed: Vec<_> = self.0.iter().filter(|probed| visible(&probed.name)).collect();
        for probed in &probed {
            probed.ask(Instant::now());
        }
        let until = Instant::now() + WAIT;
        probed.into_iter().map(|probed| probed.status(until)).collect()
    }
}

impl Probed {
    fn new(name: &str, kind: String, source: Arc<dyn Source>, sql: &'static str) -> Probed {
        let (known, answered) = (Mutex::default(), Condvar::new());
        Probed { name: name.to_owned(), kind, source, sql, known, answered }
    }

    /// Asks in a thread, unless it is being asked or the last answer is still good.
    fn ask(self: &Arc<Self>, now: Instant) {
        {
            let mut known = self.known.lock();
            let good_for = known.good_for;
            let is_good = known.answer.as_ref().is_some_and(|(at, _)| now.saturating_duration_since(*at) < good_for);
            if known.asked.is_some() || is_good {
                return;
            }
            known.asked = Some(now);
        }
        let probed = Arc::clone(self);
        thread::spawn(move || {
            let request = Request::new(Query::new(probed.sql), Options::default());
            let planned = probed.source.plan(&request, &Cancel::new());
            let took = now.elapsed();
            let answer = planned.map(|_| took).map_err(|error| error.to_string());
            let mut known = probed.known.lock();
            known.asked = None;
            known.answer = Some((Instant::now(), answer));
            known.good_for = GOOD_FOR.max(took.saturating_mul(GOOD_FOR_TIMES));
            probed.answered.notify_all();
        });
    }

    /// What is known of it; its first answer is waited for.
    fn status(&self, until: Instant) -> SourceStatus {
        let mut known = self.known.lock();
        let is_first =
            |known: &mut Known| known.answer.is_none() && known.asked.is_some_and(|since| since.elapsed() < SILENT);
        self.answered.wait_while_for(&mut known, is_first, until.saturating_duration_since(Instant::now()));
        let silent = known.asked.map(|since| since.elapsed()).filter(|silent| *silent >= SILENT);
        let (reachable, detail) = match (silent, &known.answer) {
            (Some(silent), _) => (Some(false), Some(format!("no answer for {} s", silent.as_secs()))),
            (None, Some((_, Ok(took)))) => (Some(true), Some(format!("answers after {} ms", took.as_millis()))),
            (None, Some((_, Err(error)))) => (Some(false), Some(error.clone())),
            (None, None) => (None, None),
        };
        SourceStatus { name: self.name.clone(), kind: self.kind.clone(), reachable, detail }
    }
}

/// What people call a kind of source.
fn kind_name(kind: Kind, address: &str) -> String {
    let Kind::Database(dialect) = kind else { return "files".to_owned() };
    match dialect {
        Dialect::Postgres => "PostgreSQL",
        Dialect::MySql => "MySQL",
        Dialect::Sqlite => "SQLite",
        Dialect::SqlServer => "SQL Server",
        Dialect::Oracle => "Oracle",
        Dialect::ClickHouse => "ClickHouse",
        Dialect::Trino => "Trino",
        Dialect::DuckDb => "DuckDB",
        // The scheme, such as odbc.
        Dialect::Other => address.split(':').next().unwrap_or("database"),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bowshot_core::testing::Numbers;
    use bowshot_core::{Error, ErrorKind, Plan};

    use super::*;

    /// Answers with numbers, with an error, or never, and counts how often it was asked.
    enum Behaviour {
        Well,
        Badly,
        Never,
    }

    struct Counting(Behaviour, AtomicUsize);

    impl Source for Counting {
        fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
            self.1.fetch_add(1, Ordering::SeqCst);
            match self.0 {
                Behaviour::Well => Numbers { partitions: 1, rows: 1 }.plan(request, cancel),
                Behaviour::Badly => Err(Error::new(ErrorKind::Connect, "nobody is there")),
                Behaviour::Never => loop {
                    thread::park();
                },
            }
        }
    }

    fn probed(behaviour: Behaviour) -> (Arc<Probed>, Arc<Counting>) {
        let source = Arc::new(Counting(behaviour, AtomicUsize::new(0)));
        let kind = kind_name(Kind::Database(Dialect::Sqlite), "");
        (Arc::new(Probed::new("shop", kind, Arc::clone(&source) as _, "SELECT 1")), source)
    }

    #[test]
    fn an_answer_is_remembered() {
        for (behaviour, reachable, words) in
            [(Behaviour::Well, true, "answers after"), (Behaviour::Badly, false, "nobody is there")]
        {
            let (probed, source) = probed(behaviour);
            let reach = Reach(vec![Arc::clone(&probed)]);
            for _ in 0..3 {
                let statuses = reach.look(|_| true);
                assert_eq!((statuses[0].kind.as_str(), statuses[0].reachable), ("SQLite", Some(reachable)));
                assert!(statuses[0].detail.as_ref().unwrap().contains(words));
            }
            assert_eq!(source.1.load(Ordering::SeqCst), 1);
            probed.ask(Instant::now() + 2 * GOOD_FOR);
            let started = Instant::now();
            while source.1.load(Ordering::SeqCst) < 2 {
                assert!(started.elapsed() < Duration::from_secs(60), "it is not asked again");
                thread::yield_now();
            }
            assert!(reach.look(|_| false).is_empty());
        }
    }

    #[test]
    fn a_source_that_hangs_is_asked_once_and_counts_as_gone() {
        let (probed, source) = probed(Behaviour::Never);
        let reach = Reach(vec![Arc::clone(&probed)]);
        assert_eq!(reach.look(|_| true)[0].reachable, None);
        let before = Instant::now().checked_sub(2 * SILENT).unwrap();
        probed.known.lock().asked = Some(before);
        let status = &reach.look(|_| true)[0];
        assert_eq!((status.reachable, source.1.load(Ordering::SeqCst)), (Some(false), 1));
        assert!(status.detail.as_ref().unwrap().starts_with("no answer for 1"));
    }
}
