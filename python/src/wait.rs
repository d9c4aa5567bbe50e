//! Waiting without the GIL, with an ear for Ctrl-C.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use bowshot_core::{Cancel, Error, ErrorKind};
use pyo3::prelude::*;

use crate::error::{ToPython, to_python};
use crate::exit::Work;

/// How long a wait goes on before Python's signals are looked at.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

/// How long to wait for the database to be told that a query shall end. A script that Ctrl-C ends would otherwise be
/// gone before the request was sent.
const FAREWELL: Duration = Duration::from_millis(500);

/// Runs `work` in a thread of its own and waits for it. Ctrl-C cancels it and raises at once, whatever it does.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> bowshot_core::Result<T> + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let _work = Work::new(py, cancel);
    std::thread::spawn(move || {
        // Nobody waits any more after Ctrl-C: the result is dropped here, and with it its connection.
        let _ = sender.send(work());
    });
    loop {
        match py.detach(|| slice(&mut receiver)) {
            Ok(result) => return result.to_python(py),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    py.detach(|| {
                        farewell({
                            let cancel = cancel.clone();
                            move || cancel.cancel()
                        })
                    });
                    return Err(interrupt);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let error = Error::new(ErrorKind::Internal, "the planning thread panicked; please report this");
                return Err(to_python(py, &error));
            }
        }
    }
}

fn slice<T>(receiver: &mut Receiver<T>) -> Result<T, RecvTimeoutError> {
    receiver.recv_timeout(SLICE)
}

/// Does `work`, which may hang on a dead network, in a thread of its own, and waits for it only a moment.
pub(crate) fn farewell(work: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        work();
        let _ = sender.send(());
    });
    let _ = receiver.recv_timeout(FAREWELL);
}
