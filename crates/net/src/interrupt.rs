//! Interrupting a connection from another thread.

use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::RawSocket;
use crate::socket::reset_when_closed;

/// The server's side of a connection, and how to ask it to end what it runs there.
pub trait EndQuery {
    /// Asks over a connection of its own; returns when the server has been told, after about a second at most.
    ///
    /// # Errors
    /// Of a server that cannot be reached, or does not listen.
    fn end_query(&self) -> bowshot_core::Result<()>;
}

/// What it takes to interrupt one connection, at any time of its life.
pub struct Interrupt<T> {
    /// Whether the server works for us: what is idle has nothing to end.
    busy: AtomicBool,
    state: Mutex<State<T>>,
}

#[derive(Clone)]
struct State<T> {
    /// While it connects and afterwards.
    socket: Option<Arc<RawSocket>>,
    /// Once it is logged in.
    server: Option<T>,
}

impl<T> Default for Interrupt<T> {
    fn default() -> Self {
        Interrupt { busy: AtomicBool::new(false), state: Mutex::new(State { socket: None, server: None }) }
    }
}

impl<T: EndQuery + Clone> Interrupt<T> {
    /// From now on an interruption ends this socket.
    pub fn watch(&self, socket: Arc<RawSocket>) {
        *self.state.lock() = State { socket: Some(socket), server: None };
    }

    /// From now on an interruption also ends the query in the server.
    pub fn logged_in(&self, server: T) {
        self.state.lock().server = Some(server);
    }

    /// Whether the server has something to do for us.
    pub fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::SeqCst);
    }

    /// Frees a thread that reads or writes, then ends the query in the server; about a second at most.
    pub fn fire(&self) {
        let socket = self.state.lock().socket.clone();
        // Reading ends at once, whatever the network does to the request below. Here and there, failure means that the
        // connection is gone already.
        if let Some(socket) = &socket {
            let _ = socket.shutdown(Shutdown::Read);
        }
        self.end_query();
        if let Some(socket) = socket {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// Ends the query if the server is busy. Once is enough: who calls first does it.
    ///
    /// The connection is of no use afterwards, and the server learns of its end at once: one that waits for room to send
    /// does not look at requests to end the query (PostgreSQL), and would wait for a minute.
    pub fn end_query(&self) {
        if !self.busy.swap(false, Ordering::SeqCst) {
            return;
        }
        let State { socket, server } = self.state.lock().clone();
        if let Some(server) = server {
            // A server that cannot be reached cannot be asked to stop; it will notice the closed connection.
            let _ = server.end_query();
        }
        if let Some(socket) = socket {
            reset_when_closed(&socket);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::{Address, Socket};

    /// Counts how often it was asked.
    #[derive(Clone, Default)]
    struct Asked(Arc<AtomicUsize>);

    impl EndQuery for Asked {
        fn end_query(&self) -> bowshot_core::Result<()> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }
    }

    #[test]
    fn who_is_busy_is_asked_once() {
        let (interrupt, asked) = (Interrupt::default(), Asked::default());
        interrupt.logged_in(asked.clone());
        interrupt.end_query();
        assert_eq!(asked.0.load(Ordering::SeqCst), 0, "it has nothing to do");
        interrupt.set_busy(true);
        interrupt.fire();
        interrupt.end_query();
        assert_eq!(asked.0.load(Ordering::SeqCst), 1);
    }

    /// A reader that is freed takes all that has come yet, and the kernel tells the server of no new room then: without a
    /// reset it goes on waiting until the kernel forgets the connection, for a minute.
    #[test]
    fn a_server_that_waits_for_room_learns_of_the_end() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap());
        let interrupt = Interrupt::<Asked>::default();
        let mut socket = Socket::connect(&address, None, None, |socket| interrupt.watch(socket)).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        let (writes, written) = channel();
        thread::spawn(move || while writes.send(server.write_all(&[7; 1 << 16]).is_ok()).is_ok() {});
        while written.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {}

        interrupt.set_busy(true);
        interrupt.fire();
        while socket.read(&mut [0; 1 << 16]).unwrap_or(0) > 0 {}
        drop((socket, interrupt));
        while written.recv_timeout(Duration::from_secs(10)).expect("the server still waits for room") {}
    }
}
