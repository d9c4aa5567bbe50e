//! What decoders of wire protocols have in common: the values of a column where they lie in the received bytes, and
//! memory for the arrays that they become.
//!
//! There is no socket and no protocol of any database in this crate.
//!
//! ```
//! use bowshot_cells::{Cells, NULL, SLACK};
//!
//! // Values of one byte each behind a header of one byte; the second one is NULL.
//! let bytes = [&[0xFF, b'a', b'b'][..], &[0; SLACK]].concat();
//! let cells = Cells { bytes: &bytes, offsets: &[1, NULL, 2], has_nulls: true };
//! let (offsets, text) = cells.gather(|_, offset| (offset as usize, 1)).ok_or("too long")?;
//! assert_eq!((&offsets[..], text.as_slice()), (&[0, 1, 1, 2][..], &b"ab"[..]));
//! # Ok::<(), &str>(())
//! ```

mod appended;
mod cells;
mod room;
mod texts;
mod together;

pub use appended::Appended;
pub use cells::{Cells, NULL, load, stride};
pub use room::{collect, expecting, grow, make_room, with_capacity, with_room, zeroes};
pub use texts::{ordered, texts};
pub use together::{TOGETHER, Together};

/// Bytes behind the received ones that may be looked at: decoders load whole words without asking where a value ends.
pub const SLACK: usize = 64;
