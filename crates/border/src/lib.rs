//! The border between Bowshot and callers of C functions, of which the JVM is one.
//!
//! Every function of a border takes numbers and addresses only, so that the JVM calls it without a JNI library: texts travel as
//! [`Texts`] in memory, arrays by the Arrow C Data Interface, objects as [handles](handle). What a function answers it writes into an
//! [`Answer`] that the caller has room for: a number and texts, or an error. No panic crosses the border.
//!
//! ```
//! use bowshot_border::{Answer, Reply, Texts, answer, free};
//!
//! let request = Texts::from(["shop.db", "items"]).to_bytes();
//! let mut answered = Answer::default();
//! // SAFETY: the answer is this example's own.
//! unsafe {
//!     answer(&mut answered, || {
//!         let texts = Texts::from_bytes(&request)?;
//!         Ok(Reply::value(texts.len() as i64))
//!     });
//!     assert_eq!((answered.failed, answered.value), (0, 2));
//!     free(answered.bytes, answered.length);
//! }
//! ```

mod answer;
mod handle;
mod method;
mod texts;

pub use answer::{Answer, Reply, answer, free};
pub use handle::{borrow, close, handle};
pub use texts::{Texts, request};
