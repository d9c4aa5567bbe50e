//! The messages of Arrow's IPC format as they come from a stranger, into batches without a copy more.
//!
//! Where bytes come from is the caller's: from a Flight stream, from a database's COPY. It reads a message's metadata, lets
//! [`arrange`] say where the parts of the body go, collects them in a [`Body`] on memory of a [`Pool`], and gets the batch from
//! a [`Decoder`]. What a
//! stranger may send that is not Arrow is an error, never a panic.
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{ArrayRef, Int64Array, RecordBatch};
//! use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
//! use bowshot_ipc::{Body, Decoder, Message, Pool, arrange};
//!
//! // What a sender does.
//! let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
//! let batch = RecordBatch::try_from_iter([("n", numbers)])?;
//! let (generator, options) = (IpcDataGenerator::default(), IpcWriteOptions::default());
//! let mut tracker = DictionaryTracker::new(false);
//! let schema = generator.schema_to_bytes_with_dictionary_tracker(batch.schema_ref(), &mut tracker, &options);
//! let (_, sent) = generator.encode(&batch, &mut tracker, &options, &mut IpcWriteContext::default())?;
//!
//! // What is done with it here.
//! let mut decoder = Decoder::new(&schema.ipc_message, 1 << 20)?;
//! let mut header = sent.ipc_message;
//! let pieces = arrange(&mut header, sent.arrow_data.len())?;
//! let mut body = Body::new(sent.arrow_data.len(), pieces, &Pool::default());
//! sent.arrow_data.chunks(7).for_each(|bytes| body.push(bytes));
//! let received = decoder.decode(&Message { header, body: body.finish(), note: None })?;
//! assert_eq!(received, Some(batch));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrange;
mod body;
mod claims;
mod decode;
mod excerpt;
mod expected;
mod flat;
mod guard;
mod message;
mod note;
mod packed;
mod pool;
mod reads;
mod refused;

pub use arrange::{Piece, arrange, body_length};
pub use body::Body;
pub use claims::inflated;
pub use decode::{Decoder, MOST_INFLATED, read_schema};
pub use excerpt::ExcerptNote;
pub use expected::ExpectedNote;
pub use flat::{Flat, MOST_ROWS};
pub use guard::guarded;
pub use message::Message;
pub use packed::{Form, pack};
pub use pool::Pool;
pub use reads::Reads;
pub use refused::Refused;
