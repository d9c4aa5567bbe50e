//! The bytes of an answer, as they arrive, piece by piece.

use arrow_buffer::MutableBuffer;
use bowshot_core::{Error, ErrorKind, Result};
use bytes::{Bytes, BytesMut};

use crate::error;

/// Where the pieces come from.
pub(crate) trait Feed {
    /// The next piece; `None` after the last one.
    fn piece(&mut self) -> Result<Option<Bytes>>;
}

/// What an answer holds, in order. Nothing is kept but the piece that is being read and the one before it.
pub(crate) struct Input<F> {
    feed: F,
    piece: Bytes,
    /// The pieces that ended last: an exception may have begun there.
    earlier: [Bytes; 2],
}

/// How much of an exception's text is read.
const EXCEPTION: usize = 1 << 16;

/// Bytes that are moved at once.
const STEP: usize = 1 << 16;

impl<F: Feed> Input<F> {
    pub(crate) fn new(feed: F) -> Self {
        Input { feed, piece: Bytes::new(), earlier: [Bytes::new(), Bytes::new()] }
    }

    /// Whether the answer is over.
    pub(crate) fn is_over(&mut self) -> Result<bool> {
        while self.piece.is_empty() {
            let Some(next) = self.feed.piece()? else { return Ok(true) };
            self.earlier.swap(0, 1);
            self.earlier[1] = next.clone();
            self.piece = next;
        }
        Ok(false)
    }

    /// What has arrived and was not read; never empty.
    pub(crate) fn arrived(&mut self) -> Result<&[u8]> {
        if self.is_over()? {
            return Err(self.cut_short());
        }
        Ok(&self.piece)
    }

    /// Counts bytes of [`arrived`](Self::arrived) as read.
    pub(crate) fn advance(&mut self, bytes: usize) {
        let _ = self.piece.split_to(bytes.min(self.piece.len()));
    }

    /// The next `count` bytes, or fewer where the answer ends, without reading them.
    pub(crate) fn peek(&mut self, count: usize) -> Result<&[u8]> {
        while self.piece.len() < count {
            let Some(next) = self.feed.piece()? else { break };
            let mut joined = BytesMut::from(self.piece.as_ref());
            joined.extend_from_slice(&next);
            self.piece = joined.freeze();
            self.earlier.swap(0, 1);
            self.earlier[1] = self.piece.clone();
        }
        Ok(self.piece.get(..count).unwrap_or(&self.piece))
    }

    /// One byte.
    pub(crate) fn byte(&mut self) -> Result<u8> {
        let byte = self.arrived()?.first().copied().unwrap_or_default();
        self.advance(1);
        Ok(byte)
    }

    /// A number of variable length: seven bits a byte, the low ones first.
    pub(crate) fn varint(&mut self) -> Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(broken("a number has more than ten bytes"))
    }

    /// A number of eight bytes.
    pub(crate) fn number(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Fills all of `target`.
    pub(crate) fn fill(&mut self, mut target: &mut [u8]) -> Result<()> {
        while !target.is_empty() {
            let arrived = self.arrived()?;
            let count = arrived.len().min(target.len());
            let (now, later) = target.split_at_mut(count);
            now.copy_from_slice(arrived.get(..count).unwrap_or_default());
            target = later;
            self.advance(count);
        }
        Ok(())
    }

    /// Hands on `count` bytes as they arrive. Nothing is allocated for bytes that are only claimed.
    pub(crate) fn pass(&mut self, mut count: usize, mut take: impl FnMut(&[u8])) -> Result<()> {
        while count > 0 {
            let arrived = self.arrived()?;
            let now = arrived.get(..count).unwrap_or(arrived);
            take(now);
            let passed = now.len();
            count -= passed;
            self.advance(passed);
        }
        Ok(())
    }

    /// Appends `count` bytes.
    pub(crate) fn append(&mut self, count: usize, target: &mut Vec<u8>) -> Result<()> {
        self.pass(count, |bytes| target.extend_from_slice(bytes))
    }

    /// Appends `count` bytes.
    pub(crate) fn append_aligned(&mut self, count: usize, target: &mut MutableBuffer) -> Result<()> {
        self.pass(count, |bytes| target.extend_from_slice(bytes))
    }

    /// Hands on `count` values of `N` bytes each.
    pub(crate) fn values<const N: usize>(&mut self, mut count: usize, mut take: impl FnMut([u8; N])) -> Result<()> {
        while count > 0 {
            let arrived = self.arrived()?;
            let (whole, _) = arrived.as_chunks::<N>();
            let whole = whole.get(..count).unwrap_or(whole);
            whole.iter().for_each(|value| take(*value));
            let passed = whole.len();
            self.advance(passed * N);
            count -= passed;
            // A value that lies in two pieces.
            if count > 0 && self.piece.len() < N {
                let mut value = [0; N];
                self.fill(&mut value)?;
                take(value);
                count -= 1;
            }
        }
        Ok(())
    }

    /// Text with its length before it, such as a column's name.
    pub(crate) fn text(&mut self) -> Result<String> {
        let length = usize::try_from(self.varint()?).ok().filter(|length| *length <= STEP * 16);
        let mut bytes = Vec::new();
        self.append(length.ok_or_else(|| broken("a name has more than a million bytes"))?, &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The exception that stands here in the place of a block.
    #[cold]
    pub(crate) fn exception(&mut self) -> Error {
        let mut text = Vec::new();
        while text.len() < EXCEPTION {
            match self.is_over() {
                Ok(false) => text.extend_from_slice(&self.piece),
                // The connection ends after an exception, in whatever way.
                Ok(true) | Err(_) => break,
            }
            self.piece.clear();
        }
        error::in_stream(&text).unwrap_or_else(|| broken("there is neither a block nor an exception"))
    }

    /// The answer ended in the middle of a block.
    #[cold]
    fn cut_short(&self) -> Error {
        let last: Vec<u8> = self.earlier.iter().flat_map(|piece| piece.iter().copied()).collect();
        let begin = last.len().saturating_sub(EXCEPTION);
        error::in_stream(last.get(begin..).unwrap_or_default()).unwrap_or_else(|| {
            Error::new(ErrorKind::ConnectionLost, "the answer of ClickHouse ended in the middle of a block")
                .with_hint("the server, or a proxy before it, ended the connection; try again")
        })
    }
}

/// The error of bytes that are not Native.
#[cold]
pub(crate) fn broken(what: &str) -> Error {
    Error::new(ErrorKind::Protocol, format!("the answer is not in ClickHouse's Native format: {what}"))
}
