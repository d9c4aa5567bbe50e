//! Waits for the server's bytes as seldom as may be.

use std::time::Duration;

use bowshot_core::Result;

use crate::connect::Session;

/// Room that every read from the socket finds in the buffer.
const READ_ROOM: usize = 256 << 10;

/// A read that yields less than this found the server slower than us.
const SHORT_READ: usize = 64 << 10;

/// How long we then let the server's bytes gather. PostgreSQL sends 8 KiB at a time; to wake up for each send costs
/// both sides more than it takes to decode it, while the kernel's socket buffer (6 MB or more by default on Linux) holds
/// tens of milliseconds of them.
const WAIT: Duration = Duration::from_millis(2);

/// How many bytes of a partition come before we ever wait, so that small results are never delayed.
const NO_WAIT: usize = 1 << 20;

/// Fills a session's buffer with the bytes of one partition.
#[derive(Default)]
pub(crate) struct Gather {
    /// Bytes of this partition so far.
    received: usize,
}

impl Gather {
    /// Waits for more bytes.
    pub(crate) fn fill(&mut self, session: &mut Session) -> Result<()> {
        let count = session.fill(READ_ROOM)?;
        self.received += count;
        if count < SHORT_READ && self.received > NO_WAIT {
            std::thread::sleep(WAIT);
        }
        Ok(())
    }
}
