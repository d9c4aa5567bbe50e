//! How messages leave: with an ear for what the server says meanwhile.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use bowshot_core::Result;

use super::Session;
use crate::message::{self, is_aside};

/// Up to this size messages fit into the buffers of the two sockets, whatever the server does.
const SHORT: usize = 16 << 10;

/// How long the server may leave the bytes where they are, before it is listened to.
const TURN: Duration = Duration::from_millis(20);

/// How much is read at once of what it says.
const ROOM: usize = 64 << 10;

impl Session {
    /// Sends messages; from now on the server counts as busy, until it is ready again.
    ///
    /// A server that has much to say, such as a trigger with a notice for each row that is sent, stops reading until it is heard: who
    /// only sent would wait for ever.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<()> {
        // What was cancelled while idle starts nothing more.
        self.cancel.check()?;
        self.interrupt.set_busy(true);
        // A login has a deadline of its own, and nothing long to send.
        if bytes.len() <= SHORT || !self.is_logged_in {
            let sent = self.stream.write_all(bytes).and_then(|()| self.stream.flush());
            return sent.map_err(|error| self.failed(error));
        }
        let sent = self.send_and_listen(bytes);
        let waits = self.stream.socket().set_deadline(None);
        sent?;
        waits.map_err(|error| self.failed(error))
    }

    fn send_and_listen(&mut self, mut bytes: &[u8]) -> Result<()> {
        loop {
            self.wait_at_most(TURN)?;
            let outcome = if bytes.is_empty() { self.stream.flush().map(|()| 0) } else { self.stream.write(bytes) };
            match outcome {
                Ok(_) if bytes.is_empty() => return Ok(()),
                Ok(0) => return Err(self.failed(io::ErrorKind::WriteZero.into())),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut => self.listen()?,
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    /// Takes what the server says while it does not read.
    fn listen(&mut self) -> Result<()> {
        self.wait_at_most(TURN)?;
        match self.buffer.fill(&mut self.stream, ROOM) {
            Ok(0) => return Err(self.failed(io::ErrorKind::UnexpectedEof.into())),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(()),
            Err(error) => return Err(self.failed(error)),
        }
        // What else comes is an answer, which waits until it is asked for.
        while let Some((tag, length)) = message::header(self.buffer.unread(), self.longest)?
            && is_aside(tag)
        {
            self.stream.socket().set_deadline(None).map_err(|error| self.failed(error))?;
            self.pass(tag, length, |session| session.fill(ROOM))?;
        }
        Ok(())
    }

    fn wait_at_most(&mut self, limit: Duration) -> Result<()> {
        let deadline = Some(Instant::now() + limit);
        self.stream.socket().set_deadline(deadline).map_err(|error| self.failed(error))
    }
}
