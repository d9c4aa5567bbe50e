//! A connection on a thread of its own: whatever a driver waits for, who reads can be stopped at once.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use bowshot_core::{Cancel, Error, ErrorKind, Result, Value};
use parking_lot::Mutex;

use crate::abi;
use crate::connect;
use crate::driver::Driver;
use crate::error::{Doing, from_records};
use crate::handle::{Connection, Records};
use crate::parameters::Parameter;
use crate::statement::Statement;
use crate::stop::Stop;
use crate::uri::Location;

/// What a login may take beyond the driver's own time limit before it is given up.
const GRACE: Duration = Duration::from_secs(2);

/// How long the end of a connection is waited for: one that was stopped, and one that only has to be closed.
const STOPPING: Duration = Duration::from_millis(800);
const CLOSING: Duration = Duration::from_secs(3);

type Task = Box<dyn FnOnce(&Desk) + Send>;

/// What work on the connection's own thread has at hand.
pub(crate) struct Desk {
    pub(crate) connection: Connection,
    pub(crate) driver: Driver,
    pub(crate) location: Arc<Location>,
    pub(crate) stop: Arc<Stop>,
}

/// A connection, as the other threads see it. Dropping it ends the thread when its work is done.
pub(crate) struct Session {
    /// Taken when the session ends.
    tasks: Option<Sender<Task>>,
    /// Closed when the thread has ended. Locked, so that readers of the session may go from thread to thread; only the end waits for it.
    ended: Mutex<Receiver<()>>,
    pub(crate) stop: Arc<Stop>,
    pub(crate) driver: Driver,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.tasks = None;
        // A driver at work while the process ends crashes it. One that does not stop is not waited for.
        let _ = self.ended.get_mut().recv_timeout(if self.stop.is_asked() { STOPPING } else { CLOSING });
    }
}

impl Session {
    /// Logs in and runs the user's statements.
    pub(crate) fn open(location: &Arc<Location>, before: &[String], cancel: &Cancel) -> Result<Self> {
        cancel.check()?;
        let stop = Arc::new(Stop::default());
        let (tasks, work) = channel::<Task>();
        let (opened, answer) = channel();
        let (theirs, place, before) = (Arc::clone(&stop), Arc::clone(location), before.to_vec());
        let reply = opened.clone();
        let (end, ended) = channel();
        std::thread::spawn(move || {
            // Dropped at the very end.
            let _end: Sender<()> = end;
            match connect::connect(&place, theirs, &before) {
                Err(error) => _ = reply.send(Some(Err(error))),
                Ok(desk) => {
                    let driver = desk.driver.clone();
                    // Nobody waits any more where the login was given up; the tasks end at once then, too.
                    let _ = reply.send(Some(Ok(driver)));
                    drop(reply);
                    serve(&desk, &work);
                }
            }
        });
        let limit = location.login_time() + GRACE;
        let _cancelled = on_cancel(cancel, &stop, opened);
        match answer.recv_timeout(limit) {
            Ok(Some(Ok(driver))) => Ok(Session { tasks: Some(tasks), ended: Mutex::new(ended), stop, driver }),
            Ok(Some(Err(error))) => Err(if cancel.is_cancelled() { Error::cancelled() } else { error }),
            Ok(None) => Err(Error::cancelled()),
            Err(RecvTimeoutError::Timeout) => {
                stop.ask();
                let message = format!("no login at {} within {} s", location.label(), limit.as_secs());
                Err(Error::new(ErrorKind::Timeout, message)
                    .with_hint("check host and port; LoginTimeout=SECONDS in the connection string allows more"))
            }
            Err(RecvTimeoutError::Disconnected) => Err(gone()),
        }
    }

    /// Does `work` on the connection's thread and waits for its end, or for a cancel.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        work: impl FnOnce(&Desk) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        cancel.check()?;
        let (done, answer) = channel();
        let reply = done.clone();
        self.start(move |desk| _ = reply.send(Some(work(desk))))?;
        let _cancelled = on_cancel(cancel, &self.stop, done);
        match answer.recv() {
            Ok(Some(result)) => result,
            Ok(None) => Err(Error::cancelled()),
            Err(_) => Err(gone()),
        }
    }

    /// Begins `work` on the connection's thread.
    pub(crate) fn start(&self, work: impl FnOnce(&Desk) + Send + 'static) -> Result<()> {
        self.tasks.as_ref().ok_or_else(gone)?.send(Box::new(work)).map_err(|_| gone())
    }
}

fn serve(desk: &Desk, work: &Receiver<Task>) {
    while let Ok(task) = work.recv() {
        task(desk);
    }
}

/// Stops the connection and tells who waits.
fn on_cancel<T: Send + 'static>(
    cancel: &Cancel,
    stop: &Arc<Stop>,
    waiting: Sender<Option<Result<T>>>,
) -> bowshot_core::Registration {
    let stop = Arc::clone(stop);
    cancel.on_cancel(move || {
        stop.ask();
        let _ = waiting.send(None);
    })
}

pub(crate) fn gone() -> Error {
    Error::new(ErrorKind::Internal, "the thread of an ODBC connection ended; please report this")
}

impl Desk {
    pub(crate) fn statement(&self) -> Result<Statement<'_>> {
        if self.stop.is_asked() {
            return Err(Error::cancelled());
        }
        let statement = self.connection.statement(&self.stop).map_err(|records| self.error(&records))?;
        // Asked between the two: nobody has seen the statement then, and nobody would cancel it.
        if self.stop.is_asked() { Err(Error::cancelled()) } else { Ok(statement) }
    }

    /// The error of a failed call.
    pub(crate) fn error(&self, records: &Records) -> Error {
        if self.stop.is_asked() { Error::cancelled() } else { from_records(records, Doing::Querying, &self.location) }
    }

    /// Runs a statement and forgets what it returns.
    pub(crate) fn run(&self, sql: &str) -> Result<()> {
        let mut statement = self.statement()?;
        statement.execute_direct(sql).map_err(|records| self.error(&records))?;
        // The errors of later statements of a batch show only when it is read to its end.
        while statement.more_results().map_err(|records| self.error(&records))? {}
        Ok(())
    }

    /// Runs a query with its parameters.
    pub(crate) fn query(&self, sql: &str, values: &[Value]) -> Result<Statement<'_>> {
        let mut statement = self.statement()?;
        let parameters = values.iter().map(Parameter::new).collect();
        let run = statement.bind_parameters(parameters).and_then(|()| statement.execute_direct(sql));
        match run {
            Ok(()) => Ok(statement),
            Err(records) => Err(self.error(&records)),
        }
    }

    /// The first row of a query, as text.
    pub(crate) fn first_row(&self, sql: &str, values: &[Value]) -> Result<Vec<Option<String>>> {
        let mut statement = self.query(sql, values)?;
        let fail = |records: Records| self.error(&records);
        let count = statement.columns().map_err(fail)?.len();
        statement.keep(Vec::new()).map_err(fail)?;
        if !statement.fetch_row().map_err(fail)? {
            return Ok(Vec::new());
        }
        let mut cells = Vec::new();
        for number in (1..).take(count) {
            let mut bytes = Vec::new();
            let found = statement.get_long(number, abi::c::CHAR, &mut bytes).map_err(fail)?;
            cells.push(found.then(|| String::from_utf8_lossy(&bytes).into_owned()));
        }
        Ok(cells)
    }
}
