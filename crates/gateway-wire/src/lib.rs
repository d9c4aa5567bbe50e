//! Record batches as Arrow Flight messages, for clients of every kind.
//!
//! A [`Client`] is known by its user-agent. [`presented`] is the schema that it is shown, and [`present`] makes batches to match.
//! An [`Encoder`] writes these as [`Message`]s of about 1 MiB, compressed by a [`Codec`] that [`Pace`] chooses by what the stream
//! measures. Nothing here waits, and nothing here knows of a service.
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{RecordBatch, StringViewArray};
//! use bowshot_gateway_wire::{Client, Codec, Encoder, present, presented, schema_bytes};
//!
//! let cities = Arc::new(StringViewArray::from(vec!["Utrecht", "Amersfoort"]));
//! let batch = RecordBatch::try_from_iter([("city", cities as _)])?;
//!
//! let client = Client::of(Some("JDBC Flight SQL Driver 19.0.0 grpc-java-netty/1.76.0"));
//! let schema = presented(&batch.schema(), client);
//! let of_flight_info = schema_bytes(&schema)?;
//! let mut encoder = Encoder::new(Arc::clone(&schema), Codec::None)?;
//! let mut messages = vec![encoder.schema_message()?.into()];
//! messages.extend(encoder.encode(&present(&batch, &schema)?)?);
//! assert_eq!(messages.len(), 2);
//! # assert!(!of_flight_info.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
mod codec;
mod compact;
mod encode;
mod frame;
mod message;
mod nested;
mod pace;
mod pieces;
mod present;
mod presented;
mod schema;
mod size;
#[cfg(test)]
mod testing;

pub use client::Client;
pub use codec::Codec;
pub use encode::Encoder;
pub use frame::frame;
pub use message::Message;
pub use pace::{Pace, Sent};
pub use present::present;
pub use presented::presented;
pub use schema::schema_bytes;
pub use size::body_bytes;
