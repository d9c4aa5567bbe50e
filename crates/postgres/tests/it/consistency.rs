//! Every read sees one state of the database, however many connections read and whatever others do meanwhile.

mod locks;
mod snapshots;
mod writers;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::{self, JoinHandle};

use arrow_array::{Array, Int64Array};

use crate::reading::{Database, Read};

/// Money moves between the accounts, and never becomes more or less.
static DATA: LazyLock<Database> = LazyLock::new(|| {
    Database::make(
        "consistency",
        "CREATE TABLE accounts (id int8, balance int8, pad text) WITH (fillfactor = 60);
         INSERT INTO accounts SELECT i, 1000, rpad('', 700, 'x') FROM generate_series(1, 20000) i;
         CREATE TABLE changing (pair int8, amount int8, pad text);
         INSERT INTO changing SELECT i / 2, i % 2 * 2 - 1, rpad('', 900, 'x') FROM generate_series(2, 20001) i;
         CREATE TABLE altered (id int8, pad text);
         INSERT INTO altered SELECT i, rpad('', 900, 'x') FROM generate_series(1, 20000) i;
         REVOKE EXECUTE ON FUNCTION pg_export_snapshot() FROM PUBLIC;
         GRANT SELECT ON accounts TO reader; ANALYZE",
    )
});

/// Runs one script after the other until it is dropped.
struct Writer {
    stop: Arc<AtomicBool>,
    rounds: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts with the script of round 0, of round 1 and so on.
    fn start(script: impl Fn(usize) -> String + Send + 'static) -> Self {
        let (stop, rounds) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&rounds));
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::SeqCst) {
                let round = counted.load(Ordering::SeqCst);
                DATA.psql(&script(round));
                counted.store(round + 1, Ordering::SeqCst);
            }
        });
        Writer { stop, rounds, thread: Some(thread) }
    }

    fn rounds(&self) -> usize {
        self.rounds.load(Ordering::SeqCst)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // A panic of the writer has been printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A column of whole numbers.
fn numbers(read: &Read, column: usize) -> Vec<i64> {
    let values = read.batches.iter().flat_map(|batch| {
        let array = batch.column(column).as_any().downcast_ref::<Int64Array>().unwrap().clone();
        (0..array.len()).map(move |row| array.value(row)).collect::<Vec<_>>()
    });
    values.collect()
}
