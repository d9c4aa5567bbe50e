//! The bytes of an excerpt, piece by piece.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use bowshot_core::Result;
use bytes::{Bytes, BytesMut};

use crate::open::Open;

/// How many bytes are handed on at a time.
const STEP: u64 = 1 << 20;

/// What an excerpt is made of.
pub(super) enum Part {
    Bytes(Bytes),
    /// Bytes of the file.
    Range(Range<u64>),
}

/// How many pieces may be on their way before the memory of the first one is given up.
const UNDERWAY: usize = 16;

/// The bytes of an excerpt.
pub(super) struct Pieces {
    open: Arc<Open>,
    parts: VecDeque<Part>,
    /// Pieces that were handed on. The memory of one that was let go of costs less than new one.
    underway: VecDeque<Bytes>,
}

impl Pieces {
    pub(super) fn new(open: &Arc<Open>, parts: VecDeque<Part>) -> Self {
        Pieces { open: Arc::clone(open), parts, underway: VecDeque::new() }
    }

    /// Memory for a piece: that of the first one that is underway, if it has arrived.
    fn memory(&mut self) -> BytesMut {
        let Some(first) = self.underway.pop_front() else { return BytesMut::new() };
        first.try_into_mut().unwrap_or_else(|first| {
            if self.underway.len() < UNDERWAY {
                self.underway.push_front(first);
            }
            BytesMut::new()
        })
    }

    /// At most so many bytes of what comes next, where they are read in this memory.
    fn take(&mut self, most: u64, memory: BytesMut) -> Result<Bytes> {
        let Some(part) = self.parts.front_mut() else { return Ok(Bytes::new()) };
        let (bytes, is_over) = match part {
            Part::Bytes(bytes) => {
                let length = usize::try_from(most).unwrap_or(usize::MAX).min(bytes.len());
                (bytes.split_to(length), bytes.is_empty())
            }
            Part::Range(range) => {
                let end = range.start.saturating_add(most).min(range.end);
                let bytes = self.open.read_over(memory, range.start, end - range.start)?;
                range.start = end;
                (bytes, range.is_empty())
            }
        };
        if is_over {
            self.parts.pop_front();
        }
        Ok(bytes)
    }

    fn piece(&mut self) -> Result<Bytes> {
        let memory = self.memory();
        let first = self.take(STEP, memory)?;
        let mut left = STEP.saturating_sub(first.len() as u64);
        if left == 0 || self.parts.is_empty() {
            return Ok(first);
        }
        let mut piece = BytesMut::with_capacity(usize::try_from(STEP).unwrap_or_default());
        piece.extend_from_slice(&first);
        while left > 0 && !self.parts.is_empty() {
            let more = self.take(left, BytesMut::new())?;
            left -= more.len() as u64;
            piece.extend_from_slice(&more);
        }
        Ok(piece.freeze())
    }
}

impl Iterator for Pieces {
    type Item = Result<Bytes>;

    fn next(&mut self) -> Option<Result<Bytes>> {
        if self.parts.is_empty() {
            return None;
        }
        let piece = self.piece().and_then(|piece| {
            if self.parts.is_empty() {
                self.open.check()?;
            }
            Ok(piece)
        });
        match &piece {
            Ok(piece) => self.underway.push_back(piece.clone()),
            Err(_) => self.parts.clear(),
        }
        Some(piece)
    }
}
