//! Waits for a server's bytes as seldom as may be.

use std::thread::sleep;
use std::time::Duration;

use crate::Transport;

/// A read that yields less than this, and less than it asked for, found the server slower than us.
const SHORT_READ: usize = 64 << 10;

/// How long we then let the server's bytes gather. Servers send 8 or 16 KiB at a time; to wake up for each send costs
/// both sides more than it takes to decode it, while the kernel's socket buffer (6 MB or more by default on Linux) holds
/// tens of milliseconds of them.
const WAIT: Duration = Duration::from_millis(2);

/// How many bytes of a result come before we ever wait, so that small results are never delayed.
const NO_WAIT: usize = 1 << 20;

/// Lets the bytes of one result gather.
#[derive(Debug, Default)]
pub struct Gather {
    /// Bytes of this result so far.
    received: usize,
}

impl Gather {
    /// Room for a read of a result that is worth a call.
    pub const ROOM: usize = 256 << 10;

    /// To be called behind every read of the result, with how many bytes it brought; waits a little where the socket had no
    /// more. What TLS took from the socket counts, not how much of it was one record.
    pub fn pause(&mut self, stream: &mut Transport, count: usize) {
        self.received += count;
        if self.received > NO_WAIT && stream.socket().ran_dry(SHORT_READ) {
            sleep(WAIT);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use crate::{Address, Socket};

    #[test]
    fn a_socket_ran_dry_when_it_brought_less_than_it_was_asked_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap());
        let mut socket = Socket::connect(&address, None, None, |_| {}).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        server.write_all(&[7; 100]).unwrap();
        let mut bytes = [0; 4096];
        // As TLS reads, which asks for little at a time.
        socket.read_exact(&mut bytes[..60]).unwrap();
        assert!(!socket.ran_dry(1000));
        assert_eq!(socket.read(&mut bytes).unwrap(), 40);
        assert!(socket.ran_dry(1000));
        assert!(!socket.ran_dry(40), "forty bytes are enough");
    }
}
