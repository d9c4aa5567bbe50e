//! Waits until a server has said its first word.
//!
//! HTTP/2 lets a client send its first call at once. A server that never answers, or one that speaks something else,
//! would be noticed only by whoever waits for that call, perhaps for ever.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bowshot_core::{Error, ErrorKind, Result};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

use crate::connect::refused;
use crate::uri::Address;

/// What a server sends first: a frame of kind SETTINGS, whose kind is its fourth byte.
const SETTINGS: [u8; 4] = [0, 0, 0, 4];

/// What a TLS server answers to who does not speak TLS: an alert of TLS 1.
const ALERT: [u8; 2] = [0x15, 3];

/// A socket whose first bytes are listened to.
pub(crate) struct Heard<S> {
    socket: S,
    word: Option<Arc<Word>>,
}

/// The first bytes of a server, or what came instead; empty where it hung up.
pub(crate) struct Word {
    first: Mutex<io::Result<Vec<u8>>>,
    said: Notify,
}

impl<S> Heard<S> {
    pub(crate) fn new(socket: S) -> (Self, Arc<Word>) {
        let word = Arc::new(Word { first: Mutex::new(Ok(Vec::new())), said: Notify::new() });
        (Heard { socket, word: Some(Arc::clone(&word)) }, word)
    }
}

impl<S> Heard<S> {
    /// Notes what came first; whatever follows is of no interest.
    fn hear(&mut self, first: impl FnOnce() -> io::Result<Vec<u8>>) {
        if let Some(word) = self.word.take() {
            *word.first.lock() = first();
            word.said.notify_one();
        }
    }
}

impl<S> Drop for Heard<S> {
    fn drop(&mut self) {
        // HTTP/2 gave up before anything came.
        self.hear(|| Ok(Vec::new()));
    }
}

/// The same error, for two who want it.
fn copy(error: &io::Error) -> io::Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(inner) => io::Error::new(error.kind(), inner.clone()),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

impl Word {
    /// Waits for the first word, which has to be one of HTTP/2.
    pub(crate) async fn check(&self, address: &Address) -> Result<()> {
        self.said.notified().await;
        let bytes = match std::mem::replace(&mut *self.first.lock(), Ok(Vec::new())) {
            Ok(bytes) => bytes,
            // A server that wants a certificate of ours says so only now.
            Err(error) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => {
                return Err(refused(address, error));
            }
            Err(_) => Vec::new(),
        };
        // The length of the frame is anybody's; the others are compared as far as they came.
        if bytes.get(3).is_none_or(|kind| *kind == SETTINGS[3]) && !bytes.is_empty() {
            return Ok(());
        }
        let (what, hint) = if bytes.starts_with(&ALERT) {
            ("it wants an encrypted connection", "write grpc+tls:// in place of grpc://")
        } else if bytes.is_empty() {
            ("it hung up without a word", "check the port; an encrypted one needs grpc+tls://")
        } else {
            ("it does not speak HTTP/2", "check that a Flight SQL server listens on this port")
        };
        Err(Error::new(ErrorKind::Connect, format!("no Flight SQL at {address}: {what}")).with_hint(hint))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Heard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.socket).poll_read(context, buffer));
        let bytes = buffer.filled().get(before..).unwrap_or_default();
        self.hear(|| match &read {
            Ok(()) => Ok(bytes.iter().take(SETTINGS.len()).copied().collect()),
            Err(error) => Err(copy(error)),
        });
        Poll::Ready(read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Heard<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.socket).poll_write(context, bytes));
        if let Err(error) = &written {
            self.hear(|| Err(copy(error)));
        }
        Poll::Ready(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
