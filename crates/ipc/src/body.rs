//! The body of a message on its way from the connection into the memory that the arrays keep.

use arrow_buffer::{Buffer, MutableBuffer};
use bowshot_cells::with_room;

use crate::Piece;

/// A body of more bytes is not taken at its word.
const LARGE: usize = 64 << 20;

/// Collects the body of a message; every byte is copied once, to where it stays.
#[derive(Debug)]
pub struct Body {
    buffer: MutableBuffer,
    /// Where which bytes go; `None`: as they come.
    pieces: Option<Vec<Piece>>,
    /// The piece that the next byte may belong to.
    next: usize,
    /// How many bytes have come.
    position: usize,
}

impl Body {
    /// For a body of `size` bytes.
    pub fn new(size: usize, pieces: Option<Vec<Piece>>) -> Self {
        let needed = match &pieces {
            Some(pieces) => pieces.last().map_or(0, |piece| piece.to + piece.length),
            None => size,
        };
        // How long a large body is, is the sender's word: its memory grows with what comes.
        let at_once = if needed > LARGE { 0 } else { needed };
        // Sixteen bytes are what a decimal has to begin at.
        let buffer = MutableBuffer::from(with_room::<i128>(at_once.div_ceil(size_of::<i128>())));
        Body { buffer, pieces, next: 0, position: 0 }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let (begin, end) = (self.position, self.position + bytes.len());
        self.position = end;
        let Some(pieces) = &self.pieces else { return self.buffer.extend_from_slice(bytes) };
        while let Some(piece) = pieces.get(self.next) {
            let last = piece.from + piece.length;
            let (from, to) = (piece.from.max(begin), last.min(end));
            if from < to {
                if from == piece.from {
                    self.buffer.resize(piece.to, 0);
                }
                if let Some(bytes) = bytes.get(from - begin..to - begin) {
                    self.buffer.extend_from_slice(bytes);
                }
            }
            // An empty piece may lie anywhere.
            if piece.length > 0 && last > end {
                break;
            }
            self.next += 1;
        }
    }

    /// The body, when all of it has come.
    pub fn finish(mut self) -> Buffer {
        if let Some(piece) = self.pieces.as_deref().and_then(<[Piece]>::last) {
            // Empty pieces at the end lie at the end.
            let end = piece.to + piece.length;
            self.buffer.resize(end.max(self.buffer.len()), 0);
        }
        self.buffer.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_land_in_their_places_however_they_come() {
        let source: Vec<u8> = (0..200).map(|number| u8::try_from(number).unwrap()).collect();
        let piece = |from, length, to| Piece { from, length, to };
        let pieces = vec![piece(8, 50, 0), piece(0, 0, 64), piece(64, 64, 64), piece(130, 1, 128), piece(199, 0, 192)];
        for step in [1, 3, 7, 64, 200] {
            let mut body = Body::new(source.len(), Some(pieces.clone()));
            source.chunks(step).for_each(|chunk| body.push(chunk));
            let bytes = body.finish();
            assert_eq!(bytes.len(), 192);
            for piece in &pieces {
                assert_eq!(bytes[piece.to..piece.to + piece.length], source[piece.from..piece.from + piece.length]);
            }
            let mut body = Body::new(source.len(), None);
            source.chunks(step).for_each(|chunk| body.push(chunk));
            assert_eq!(body.finish().as_slice(), source);
        }
    }
}
