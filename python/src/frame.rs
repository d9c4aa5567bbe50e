//! The columns of a pandas frame, filled while the result arrives.
//!
//! Two steps. In the reading threads, [`Layout::map`] turns each batch into the few types that a frame has
//! (`convert.rs`); only integers keep their size. In the thread that waits for the result, each batch is appended to
//! growing memory (`grow.rs`), integers as `int64`, and dropped at once; at the end that memory *is* the NumPy array or
//! the Arrow string column (`values.rs`, `column.rs`): the result never exists twice.

mod column;
mod convert;
mod decimal;
mod grow;
mod layout;
mod reader;
mod values;

pub(crate) use column::FrameColumn;
pub(crate) use layout::Layout;
pub(crate) use reader::FrameReader;
pub(crate) use values::Values;
