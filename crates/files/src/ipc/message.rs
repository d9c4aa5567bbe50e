//! Messages, looked at before the decoder takes memory for what they ask for.

use arrow_ipc::{Message, root_as_message};
use bowshot_core::Result;
use bowshot_ipc::inflated;

use crate::error::damaged;

/// The header of a message, behind its length and the marker that older writers leave out.
pub(super) fn parse<'a>(bytes: &'a [u8], name: &str) -> Result<Message<'a>> {
    let prefix = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
    root_as_message(bytes.get(prefix..).unwrap_or_default()).map_err(|error| damaged(name, error))
}

/// Checks the buffers of a message whose header takes `header` bytes: inside of it, and of lengths that can be.
pub(super) fn check(bytes: &[u8], header: u64, name: &str) -> Result<()> {
    let message = parse(bytes, name)?;
    let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    let Some(batch) = message.header_as_record_batch().or(dictionary) else { return Ok(()) };
    let body = usize::try_from(header).ok().and_then(|header| bytes.get(header..)).unwrap_or_default();
    for buffer in batch.buffers().iter().flatten() {
        let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let inside = place.and_then(|(from, length)| body.get(from..from.checked_add(length)?));
        if inside.is_none() {
            return Err(damaged(name, "a buffer of a batch is not inside of it"));
        }
    }
    inflated(&batch, body).map(drop).map_err(|why| damaged(name, why))
}
