//! The line in the log for each statement that ended. In a process of its own: `tracing` remembers for each place in the
//! code whether anybody listens, and a test beside this one that gets there first without a listener makes it "nobody".

use std::io::Write;
use std::sync::Arc;

use bowshot_core::{Cancel, Error, ErrorKind, Notice, Severity};
use bowshot_gateway_monitor::{Monitor, MonitorOptions, Statement};
use parking_lot::Mutex;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn statement(user: &str, sql: &str) -> Statement {
    Statement { user: user.into(), sql: sql.into(), ..Statement::default() }
}

/// The lines of some work.
fn logged(options: MonitorOptions, work: impl FnOnce(&Monitor)) -> String {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    tracing::subscriber::with_default(subscriber, || work(&Monitor::new(options)));
    let text = lines.0.lock().clone();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn one_line_for_each_end_without_the_text() {
    let text = logged(MonitorOptions::default(), |monitor| {
        monitor.begin(statement("ann", "SELECT 'hunter2'"), Cancel::new()).finished();
        monitor.begin(statement("eve\nroot", ""), Cancel::new()).failed(&Error::new(ErrorKind::Sql, "no such table"));
    });
    let found: Vec<&str> = text.lines().collect();
    assert_eq!(found.len(), 2, "{text}");
    assert!(found[0].contains("INFO bowshot::statement: statement ended id=1 user=\"ann\""), "{text}");
    assert!(found[0].contains("state=\"finished\"") && !text.contains("hunter2"), "{text}");
    assert!(found[1].contains("WARN") && found[1].contains("error=\"no such table\""), "{text}");
}

#[test]
fn what_the_source_says_has_a_line_each_and_no_more_than_ten() {
    let speak = |monitor: &Monitor| {
        let cancel = Cancel::new();
        let running = monitor.begin(statement("ann", "SELECT noisy(1)"), cancel.clone());
        // An endpoint is a part of the statement.
        let part = cancel.part();
        part.notices().add(Notice::new(Severity::Warning, "careful\nwith hunter2").with_code("01000"));
        part.notices().add(Notice::new(Severity::Info, "nobody asked"));
        for number in 0..500 {
            part.notices().add(Notice::new(Severity::Notice, format!("row {number}")));
        }
        running.finished();
    };
    let text = logged(MonitorOptions::default(), speak);
    let found: Vec<&str> = text.lines().collect();
    assert_eq!(found.len(), 12, "{text}");
    assert!(found[1].contains("WARN bowshot::statement: the source says id=1 user=\"ann\""), "{text}");
    assert!(found[1].contains("notice=\"WARNING: careful\\nwith hunter2 (code 01000)\""), "{text}");
    assert!(found[2].contains("INFO") && found[2].contains("row 0") && !text.contains("nobody asked"), "{text}");
    assert!(found[11].contains("the source says more id=1") && found[11].contains("left_out=91"), "{text}");
    let text = logged(MonitorOptions { redact: true, ..MonitorOptions::default() }, speak);
    assert!(text.contains("code=\"01000\"") && !text.contains("hunter2") && !text.contains("row 0"), "{text}");
}
