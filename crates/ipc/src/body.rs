//! The body of a message on its way from the connection into the memory that the arrays keep.

use arrow_buffer::Buffer;

use crate::{Piece, Pool};

/// A body of more bytes is not taken at its word.
const LARGE: usize = 64 << 20;

/// At most so many bytes are read at once, and where a body is not taken at its word, so many zeroes are written for them.
const STEP: usize = 256 << 10;

/// Collects the body of a message; every byte is copied once at most, to where it stays.
#[derive(Debug)]
pub struct Body {
    /// Initialised as far as its length goes: where no byte of this body has come, with those of another one.
    memory: Vec<u8>,
    /// Where the memory comes from.
    pool: Pool,
    /// Where which bytes go; `None`: as they come.
    pieces: Option<Vec<Piece>>,
    /// The piece that the next byte may belong to.
    next: usize,
    /// How many bytes have come.
    position: usize,
    /// How many bytes come in all.
    size: usize,
}

impl Body {
    /// For a body of `size` bytes, in memory of `pool`.
    pub fn new(size: usize, pieces: Option<Vec<Piece>>, pool: &Pool) -> Self {
        let needed = end(pieces.as_deref()).unwrap_or(size);
        // How long a large body is, is the sender's word: its memory grows with what comes.
        let memory = if needed > LARGE { Vec::new() } else { pool.take(needed) };
        Body { memory, pool: pool.clone(), pieces, next: 0, position: 0, size }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let (begin, end) = (self.position, self.position + bytes.len());
        self.position = end;
        let Some(pieces) = &self.pieces else { return write(&mut self.memory, begin, bytes) };
        while let Some(piece) = pieces.get(self.next) {
            let last = piece.from + piece.length;
            let (from, to) = (piece.from.max(begin), last.min(end));
            if from < to
                && let Some(bytes) = bytes.get(from - begin..to - begin)
            {
                write(&mut self.memory, piece.to + (from - piece.from), bytes);
            }
            // An empty piece may lie anywhere.
            if piece.length > 0 && last > end {
                break;
            }
            self.next += 1;
        }
    }

    /// How many bytes are to come.
    pub fn missing(&self) -> usize {
        self.size.saturating_sub(self.position)
    }

    /// Room for at most so many of the next bytes, to read them straight into; [`filled`](Self::filled) says how many were.
    /// `None` where they go to several places: then they are [pushed](Self::push).
    pub fn room(&mut self, most: usize) -> Option<&mut [u8]> {
        if self.pieces.is_some() {
            return None;
        }
        let end = self.position + most.min(self.missing()).min(STEP);
        if self.memory.len() < end {
            self.memory.resize(end, 0);
        }
        self.memory.get_mut(self.position..end)
    }

    /// Takes the first `count` bytes of the [room](Self::room).
    pub fn filled(&mut self, count: usize) {
        self.position = (self.position + count).min(self.memory.len());
    }

    /// The body, when all of it has come.
    pub fn finish(mut self) -> Buffer {
        let end = end(self.pieces.as_deref()).unwrap_or(self.position);
        if self.memory.len() < end {
            // Empty pieces at the end lie at the end.
            self.memory.resize(end, 0);
        }
        self.pool.lend(self.memory, end)
    }
}

/// Where the last piece ends.
fn end(pieces: Option<&[Piece]>) -> Option<usize> {
    pieces.and_then(<[Piece]>::last).map(|piece| piece.to + piece.length)
}

/// Writes bytes at a place behind or within those that are initialised.
fn write(memory: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    if memory.len() < at {
        memory.resize(at, 0);
    }
    let (within, behind) = bytes.split_at(bytes.len().min(memory.len() - at));
    if let Some(place) = memory.get_mut(at..at + within.len()) {
        place.copy_from_slice(within);
    }
    memory.extend_from_slice(behind);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_land_in_their_places_however_they_come() {
        let source: Vec<u8> = (0..200).map(|number| u8::try_from(number).unwrap()).collect();
        let piece = |from, length, to| Piece { from, length, to };
        let pieces = vec![piece(8, 50, 0), piece(0, 0, 64), piece(64, 64, 64), piece(130, 1, 128), piece(199, 0, 192)];
        // The second time what came first lies in the same memory.
        let pool = Pool::default();
        for step in [1, 3, 7, 64, 200] {
            let mut body = Body::new(source.len(), Some(pieces.clone()), &pool);
            source.chunks(step).for_each(|chunk| body.push(chunk));
            let bytes = body.finish();
            assert_eq!(bytes.len(), 192);
            for piece in &pieces {
                assert_eq!(bytes[piece.to..piece.to + piece.length], source[piece.from..piece.from + piece.length]);
            }
            let mut body = Body::new(source.len(), None, &pool);
            source.chunks(step).for_each(|chunk| body.push(chunk));
            assert_eq!(body.finish().as_slice(), source);
        }
    }

    #[test]
    fn bytes_are_read_to_where_they_stay() {
        let source: Vec<u8> = (0..STEP * 3 + 5).map(|number| u8::try_from(number % 251).unwrap()).collect();
        let pool = Pool::default();
        for (asked, came) in [(7, 7), (STEP, 1000), (STEP, STEP), (2 * STEP, STEP), (usize::MAX, 64 << 10)] {
            let mut body = Body::new(source.len(), None, &pool);
            let mut rest = source.as_slice();
            for step in 0.. {
                let room = body.room(asked).unwrap();
                let count = room.len().min(came);
                let (front, back) = rest.split_at(count);
                room[..count].copy_from_slice(front);
                body.filled(count);
                rest = back;
                // Now and then some have come by another way, in the midst of the room.
                if step % 3 == 0 {
                    let (front, back) = rest.split_at(rest.len().min(5));
                    body.push(front);
                    rest = back;
                }
                assert_eq!(body.missing(), rest.len());
                if rest.is_empty() {
                    break;
                }
            }
            assert!(body.room(1).unwrap().is_empty());
            assert!(body.finish().as_slice() == source);
        }
        assert!(Body::new(8, Some(vec![Piece { from: 0, length: 8, to: 0 }]), &Pool::default()).room(8).is_none());
    }
}
