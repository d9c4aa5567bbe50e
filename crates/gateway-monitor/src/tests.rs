//! What becomes of statements, seen from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use bowshot_core::{Cancel, Error, ErrorKind};

use super::*;

fn statement(user: &str, sql: &str) -> Statement {
    Statement { user: user.into(), client: "psql".into(), source: Some("shop".into()), sql: sql.into(), session: None }
}

fn begin(monitor: &Monitor) -> Running {
    monitor.begin(statement("ann", "SELECT 1"), Cancel::new())
}

fn all() -> Viewer {
    Viewer::all("root")
}

fn sent(rows: u64) -> Sent<'static> {
    Sent { rows, bytes: rows * 8, wire_bytes: rows * 4, waited: Duration::from_millis(5), codec: "zstd" }
}

/// The only statement that has ended.
fn ended(monitor: &Monitor) -> Arc<StatementView> {
    assert!(monitor.running(&all()).is_empty());
    let history = monitor.history(&all(), 10);
    assert_eq!(history.len(), 1);
    Arc::clone(&history[0])
}

#[test]
fn a_statement_goes_from_the_queue_to_its_end() {
    let monitor = Monitor::default();
    let running = begin(&monitor);
    let state = || monitor.running(&all())[0].state;
    assert_eq!(state(), State::Planning);
    running.queued();
    assert_eq!(state(), State::Queued);
    running.admitted();
    assert_eq!(state(), State::Planning);
    running.planned(2, "its pages were split", Some("00000003-1"));
    assert_eq!(state(), State::Waiting);
    let mut first = running.endpoint(0);
    first.opened();
    assert_eq!(state(), State::Reading);
    first.sent(&sent(10));
    first.done();
    let view = monitor.running(&all()).remove(0);
    assert_eq!((view.state, view.rows, view.endpoints), (State::Reading, 10, Some(2)));
    let states: Vec<_> = view.readings.iter().map(|reading| (reading.state, reading.rows)).collect();
    assert_eq!(states, [(EndpointState::Done, 10), (EndpointState::Waiting, 0)]);
    assert_eq!(view.readings[0].waited_ms, 5);
    let mut second = running.endpoint(1);
    second.opened();
    second.sent(&sent(5));
    second.done();
    let view = ended(&monitor);
    assert_eq!((view.state, view.rows, view.bytes, view.wire_bytes), (State::Finished, 15, 120, 60));
    assert!(view.queued_ms.is_some() && view.planned_ms.is_some() && view.first_batch_ms.is_some());
    assert_eq!((view.reason.as_deref(), view.snapshot.as_deref()), (Some("its pages were split"), Some("00000003-1")));
    assert!(view.readings.is_empty() && view.error.is_none());
}

#[test]
fn the_first_outcome_stays() {
    let monitor = Monitor::default();
    let running = begin(&monitor);
    running.failed(&Error::new(ErrorKind::Sql, "no such table").with_sqlstate("42P01"));
    running.cancelled("too late");
    running.finished();
    drop(running);
    let view = ended(&monitor);
    assert_eq!((view.state, view.error_kind), (State::Failed, Some("sql")));
    assert_eq!(view.error.as_deref(), Some("no such table (SQLSTATE 42P01)"));
}

#[test]
fn an_endpoint_that_fails_ends_its_statement() {
    let monitor = Monitor::default();
    let running = begin(&monitor);
    running.planned(2, "", None);
    let (mut one, mut other) = (running.endpoint(0), running.endpoint(1));
    one.opened();
    other.opened();
    one.failed(&Error::new(ErrorKind::ConnectionLost, "the server closed the connection"));
    other.sent(&sent(3));
    other.done();
    let view = ended(&monitor);
    assert_eq!((view.state, view.error_kind, view.rows), (State::Failed, Some("connection_lost"), 0));
}

#[test]
fn a_client_who_leaves_in_the_middle_cancels() {
    let monitor = Monitor::default();
    let running = begin(&monitor);
    running.planned(2, "", None);
    let mut one = running.endpoint(0);
    one.opened();
    drop(one);
    assert_eq!(monitor.running(&all())[0].readings[0].state, EndpointState::Left);
    let mut other = running.endpoint(1);
    other.opened();
    other.done();
    let view = ended(&monitor);
    assert_eq!((view.state, view.error.as_deref()), (State::Cancelled, Some("its client left before the end")));
}

#[test]
fn endpoints_that_nobody_fetches_expire_with_the_last_handle() {
    let monitor = Monitor::default();
    let running = begin(&monitor);
    running.planned(3, "", None);
    let mut one = running.endpoint(0);
    one.opened();
    drop(running);
    assert_eq!(monitor.running(&all()).len(), 1, "one is being read");
    one.done();
    let view = ended(&monitor);
    assert_eq!(
        (view.state, view.error.as_deref()),
        (State::Expired, Some("2 of 3 endpoints were not fetched in time"))
    );
}

#[test]
fn who_gives_up_before_the_plan_cancels() {
    let monitor = Monitor::default();
    drop(begin(&monitor));
    assert_eq!(ended(&monitor).state, State::Cancelled);
}

#[test]
fn a_reading_that_nobody_opened_leaves_its_endpoint_waiting() {
    let monitor = Monitor::default();
    let running = begin(&monitor);
    running.planned(1, "", None);
    drop(running.endpoint(0));
    assert_eq!(monitor.running(&all())[0].state, State::Waiting);
    running.endpoint(7).opened();
    assert_eq!(monitor.running(&all())[0].state, State::Waiting, "there is no endpoint 7");
    running.expired();
    assert_eq!(ended(&monitor).state, State::Expired);
}

#[test]
fn a_result_without_endpoints_is_finished_when_it_is_planned() {
    let monitor = Monitor::default();
    begin(&monitor).planned(0, "it is empty", None);
    assert_eq!(ended(&monitor).state, State::Finished);
}

#[test]
fn a_kill_cancels_and_says_who_did_it() {
    let monitor = Monitor::default();
    let told = Arc::new(AtomicBool::new(false));
    let cancel = Cancel::new();
    let hook = Arc::clone(&told);
    let _kept = cancel.on_cancel(move || hook.store(true, Ordering::SeqCst));
    let running = monitor.begin(statement("ann", "SELECT 1"), cancel);
    assert!(!monitor.kill(running.id() + 1, &all()), "no such statement");
    assert!(!monitor.kill(running.id(), &Viewer::own("bob")), "another user's");
    assert!(!told.load(Ordering::SeqCst));
    assert!(monitor.kill(running.id(), &Viewer::own("ann")));
    assert!(told.load(Ordering::SeqCst) && running.cancel().is_cancelled());
    running.failed(&Error::cancelled());
    let view = ended(&monitor);
    assert_eq!((view.state, view.error.as_deref()), (State::Cancelled, Some("killed by ann")));
    assert!(!monitor.kill(running.id(), &all()), "it has ended");
}

#[test]
fn a_user_sees_only_his_own_statements() {
    let monitor = Monitor::default();
    let ann = monitor.begin(statement("ann", "SELECT 1"), Cancel::new());
    monitor.begin(statement("bob", "SELECT 2"), Cancel::new()).finished();
    let users = |viewer: &Viewer| {
        let batch = monitor.queries_batch(viewer).unwrap();
        batch.column(1).as_string::<i32>().iter().flatten().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(users(&all()), ["bob", "ann"]);
    assert_eq!(users(&Viewer::own("ann")), ["ann"]);
    assert!(users(&Viewer::own("eve")).is_empty());
    assert!(monitor.history(&Viewer::own("ann"), 10).is_empty());
    drop(ann);
}

#[test]
fn the_table_has_what_was_measured() {
    let monitor = Monitor::default();
    let running = begin(&monitor);
    running.planned(1, "", None);
    let mut reading = running.endpoint(0);
    reading.opened();
    reading.sent(&sent(4));
    reading.failed(&Error::new(ErrorKind::Timeout, "it took too long"));
    let batch = monitor.queries_batch(&all()).unwrap();
    assert_eq!(batch.schema(), queries_schema());
    let whole = |name: &str| batch[name].as_primitive::<Int64Type>().value(0);
    assert_eq!((whole("id"), whole("endpoints"), whole("rows"), whole("wire_bytes")), (1, 1, 4, 16));
    let text = |name: &str| batch[name].as_string::<i32>().value(0).to_owned();
    assert_eq!(
        (text("state"), text("error_kind"), text("error")),
        ("failed".into(), "timeout".into(), "it took too long".into())
    );
    assert!(batch["started"].as_primitive::<TimestampMicrosecondType>().value(0) > 1_700_000_000_000_000);
}

#[test]
fn the_history_is_bounded_in_number_and_in_bytes() {
    let few = Monitor::new(MonitorOptions { history_statements: 3, ..MonitorOptions::default() });
    for _ in 0..5 {
        begin(&few).finished();
    }
    let ids: Vec<u64> = few.history(&all(), 10).iter().map(|view| view.id).collect();
    assert_eq!(ids, [5, 4, 3]);
    assert_eq!(few.history(&all(), 2).len(), 2);
    let small = Monitor::new(MonitorOptions { history_bytes: 20_000, ..MonitorOptions::default() });
    for _ in 0..100 {
        small.begin(statement("ann", &"x".repeat(1_000)), Cancel::new()).finished();
    }
    let kept = small.history(&all(), 100).len();
    assert!((5..20).contains(&kept), "{kept}");
}

#[test]
fn what_is_kept_of_a_text_is_cut_and_redacted_as_asked() {
    let cut = Monitor::new(MonitorOptions { sql_bytes: 8, ..MonitorOptions::default() });
    begin(&cut).finished();
    cut.begin(statement("ann", "SELECT 'hunter2'"), Cancel::new()).finished();
    let texts: Vec<String> = cut.history(&all(), 10).iter().map(|view| view.sql.clone()).collect();
    assert_eq!(texts, ["SELECT '…", "SELECT 1"]);
    let redacted = Monitor::new(MonitorOptions { redact: true, ..MonitorOptions::default() });
    let running = redacted.begin(statement("ann", "SELECT 'hunter2'::int"), Cancel::new());
    running.failed(&Error::new(ErrorKind::Sql, "invalid input: \"hunter2\"").with_sqlstate("22P02"));
    let view = ended(&redacted);
    assert_eq!((view.sql.as_str(), view.error.as_deref()), ("SELECT ?::int", Some("SQLSTATE 22P02")));
}

#[test]
fn figures_for_prometheus_count_what_happened() {
    let monitor = Monitor::default();
    let running = begin(&monitor);
    running.planned(2, "", None);
    let mut reading = running.endpoint(0);
    reading.opened();
    reading.sent(&sent(10));
    begin(&monitor).failed(&Error::new(ErrorKind::Sql, "no"));
    let queued = begin(&monitor);
    queued.queued();
    monitor.login_refused();
    monitor.set_sessions(3);
    let text = monitor.metrics();
    for line in [
        "bowshot_statements_total{outcome=\"failed\"} 1",
        "bowshot_statements_total{outcome=\"expired\"} 0",
        "bowshot_statements_running 1",
        "bowshot_statements_queued 1",
        "bowshot_endpoints{state=\"waiting\"} 1",
        "bowshot_endpoints{state=\"reading\"} 1",
        "bowshot_rows_total{codec=\"zstd\"} 10",
        "bowshot_arrow_bytes_total{codec=\"zstd\"} 80",
        "bowshot_wire_bytes_total{codec=\"zstd\"} 40",
        "bowshot_first_batch_seconds_count 1",
        "bowshot_statement_duration_seconds_count 1",
        "bowshot_sessions 3",
        "bowshot_logins_refused_total 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn what_is_sent_shows_in_the_current_second() {
    let monitor = Monitor::default();
    let running = begin(&monitor);
    running.planned(1, "", None);
    running.endpoint(0).sent(&sent(10));
    let seconds = monitor.throughput();
    assert_eq!(seconds.len(), THROUGHPUT_SECONDS);
    // The second may just have ended.
    assert_eq!(seconds[THROUGHPUT_SECONDS - 2..].iter().map(|second| second.rows).sum::<u64>(), 10);
}
