//! The signature at the front of COPY's binary format (PostgreSQL manual, "COPY: Binary Format").

use bowshot_core::Result;
use bowshot_net::{Buffer, load};

use crate::error::broken;

const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";

/// Signature, flags, and the length of an extension of the header.
const FIXED: usize = 19;

/// What was found where the header should be.
pub(crate) enum Header {
    /// It was taken; rows follow.
    Taken,
    /// It has not arrived whole.
    Incomplete,
    /// Another message comes first.
    Other,
}

/// Takes the header from the front of the first CopyData message.
///
/// The first row may share that message; it is then left as a message of its own, by writing a new message header
/// over the end of the COPY header.
pub(crate) fn take_header(buffer: &mut Buffer) -> Result<Header> {
    let unread = buffer.unread();
    match unread.first() {
        None => return Ok(Header::Incomplete),
        Some(b'd') => {}
        Some(_) => return Ok(Header::Other),
    }
    if unread.len() < 5 + FIXED {
        return Ok(Header::Incomplete);
    }
    let length = u32::from_be_bytes(load(unread, 1)) as usize;
    if unread.get(5..16) != Some(SIGNATURE.as_slice()) {
        return Err(broken("COPY does not begin with its signature"));
    }
    let flags = u32::from_be_bytes(load(unread, 16));
    let extension = u32::from_be_bytes(load(unread, 20)) as usize;
    if flags != 0 || extension != 0 {
        return Err(broken("COPY announces a format that is not known"));
    }
    let Some(rest) = length.checked_sub(4 + FIXED) else {
        return Err(broken("COPY's header is cut off"));
    };
    if rest == 0 {
        buffer.consume(5 + FIXED);
        return Ok(Header::Taken);
    }
    let shortened = u32::try_from(rest + 4).map_err(|_| broken("a message is too long"))?.to_be_bytes();
    if let Some(header) = buffer.unread_mut().get_mut(FIXED..FIXED + 5) {
        let [tag, length @ ..] = header else { return Err(broken("COPY's header is cut off")) };
        *tag = b'd';
        length.copy_from_slice(&shortened);
    }
    buffer.consume(FIXED);
    Ok(Header::Taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(bytes: &[u8]) -> Buffer {
        let mut buffer = Buffer::new();
        buffer.fill(&mut &*bytes, bytes.len()).unwrap();
        buffer
    }

    fn message(body: &[u8]) -> Vec<u8> {
        [b"d".as_slice(), &u32::try_from(body.len() + 4).unwrap().to_be_bytes(), body].concat()
    }

    fn header() -> Vec<u8> {
        [SIGNATURE.as_slice(), &[0; 8]].concat()
    }

    #[test]
    fn a_row_behind_the_header_becomes_a_message() {
        let row = b"\0\x01\0\0\0\x02hi";
        for (bytes, left) in [
            (message(&[header().as_slice(), row].concat()), message(row)),
            ([message(&header()), message(row)].concat(), message(row)),
        ] {
            let mut buffer = buffer(&bytes);
            assert!(matches!(take_header(&mut buffer), Ok(Header::Taken)));
            assert_eq!(buffer.unread(), left);
        }
    }

    #[test]
    fn anything_else_is_refused_or_waited_for() {
        assert!(matches!(take_header(&mut buffer(&message(&header())[..20])), Ok(Header::Incomplete)));
        assert!(matches!(take_header(&mut buffer(b"E\0\0\0\x04")), Ok(Header::Other)));
        assert!(take_header(&mut buffer(&message(&[7; 30]))).is_err());
        let mut short = message(&header());
        short[4] = 9;
        assert!(take_header(&mut buffer(&short)).is_err());
    }
}
