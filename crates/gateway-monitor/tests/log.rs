//! The line in the log for each statement that ended. In a process of its own: `tracing` remembers for each place in the
//! code whether anybody listens, and a test beside this one that gets there first without a listener makes it "nobody".

use std::io::Write;
use std::sync::Arc;

use bowshot_core::{Cancel, Error, ErrorKind};
use bowshot_gateway_monitor::{Monitor, Statement};
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

#[test]
fn one_line_for_each_end_without_the_text() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    tracing::subscriber::with_default(subscriber, || {
        let monitor = Monitor::default();
        monitor.begin(statement("ann", "SELECT 'hunter2'"), Cancel::new()).finished();
        monitor.begin(statement("eve\nroot", ""), Cancel::new()).failed(&Error::new(ErrorKind::Sql, "no such table"));
    });
    let text = String::from_utf8(lines.0.lock().clone()).unwrap();
    let found: Vec<&str> = text.lines().collect();
    assert_eq!(found.len(), 2, "{text}");
    assert!(found[0].contains("INFO bowshot::statement: statement ended id=1 user=\"ann\""), "{text}");
    assert!(found[0].contains("state=\"finished\"") && !text.contains("hunter2"), "{text}");
    assert!(found[1].contains("WARN") && found[1].contains("error=\"no such table\""), "{text}");
}
