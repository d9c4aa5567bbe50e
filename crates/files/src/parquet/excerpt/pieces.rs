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

/// The bytes of an excerpt.
pub(super) struct Pieces {
    pub(super) open: Arc<Open>,
    pub(super) parts: VecDeque<Part>,
}

impl Pieces {
    /// At most so many bytes of what comes next.
    fn take(&mut self, most: u64) -> Result<Bytes> {
        let Some(part) = self.parts.front_mut() else { return Ok(Bytes::new()) };
        let (bytes, is_over) = match part {
            Part::Bytes(bytes) => {
                let length = usize::try_from(most).unwrap_or(usize::MAX).min(bytes.len());
                (bytes.split_to(length), bytes.is_empty())
            }
            Part::Range(range) => {
                let end = range.start.saturating_add(most).min(range.end);
                let bytes = self.open.read(range.start, end - range.start)?;
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
        let first = self.take(STEP)?;
        let mut left = STEP.saturating_sub(first.len() as u64);
        if left == 0 || self.parts.is_empty() {
            return Ok(first);
        }
        let mut piece = BytesMut::with_capacity(usize::try_from(STEP).unwrap_or_default());
        piece.extend_from_slice(&first);
        while left > 0 && !self.parts.is_empty() {
            let more = self.take(left)?;
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
        if piece.is_err() {
            self.parts.clear();
        }
        Some(piece)
    }
}
