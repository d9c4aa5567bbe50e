//! Messages of the wire protocol: a tag, a length and a body.

use bowshot_core::{Error, ErrorKind, Result};

/// A whole message from the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    /// What it is; see [`tag`].
    pub(crate) tag: u8,
    /// What follows its length.
    pub(crate) body: &'a [u8],
}

/// What the server's messages are called by.
pub(crate) mod tag {
    pub(crate) const AUTHENTICATION: u8 = b'R';
    pub(crate) const BACKEND_KEY: u8 = b'K';
    pub(crate) const COMMAND_COMPLETE: u8 = b'C';
    pub(crate) const COPY_DATA: u8 = b'd';
    pub(crate) const COPY_DONE: u8 = b'c';
    pub(crate) const COPY_IN: u8 = b'G';
    pub(crate) const COPY_OUT: u8 = b'H';
    pub(crate) const EMPTY_QUERY: u8 = b'I';
    pub(crate) const ERROR: u8 = b'E';
    pub(crate) const NEGOTIATE_VERSION: u8 = b'v';
    pub(crate) const NOTICE: u8 = b'N';
    pub(crate) const NOTIFICATION: u8 = b'A';
    pub(crate) const PARAMETER: u8 = b'S';
    pub(crate) const READY: u8 = b'Z';
    pub(crate) const ROW: u8 = b'D';
    pub(crate) const ROW_DESCRIPTION: u8 = b'T';
}

/// Bytes of a tag and a length.
pub(crate) const HEADER: usize = 5;

/// The longest message that a PostgreSQL server can send: it cannot allocate more than 1 GiB at once.
pub(crate) const LONGEST: usize = (1 << 30) + HEADER;

/// The longest message of a login: an error with all its fields is far shorter.
pub(crate) const LONGEST_OF_LOGIN: usize = 64 << 10;

/// Whether a message of this tag may come between any two others: a notice, a parameter of the server, a notification.
pub(crate) fn is_aside(tag: u8) -> bool {
    matches!(tag, tag::NOTICE | tag::PARAMETER | tag::NOTIFICATION)
}

/// The tag and the length, header included, of the message that the bytes begin with; `None` if the header is not
/// whole. At most `longest`, unless it is one [in between](is_aside), which is passed over.
pub(crate) fn header(bytes: &[u8], longest: usize) -> Result<Option<(u8, usize)>> {
    let Some((&[tag, a, b, c, d], _)) = bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
    let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    let longest = if is_aside(tag) { LONGEST } else { longest };
    if !(4..longest).contains(&length) || !tag.is_ascii_alphanumeric() {
        return Err(unexpected("bytes that are no message of PostgreSQL's protocol"));
    }
    Ok(Some((tag, length + 1)))
}

/// Takes the parts of a message's body one after the other; each take is `None` past the end.
pub(crate) struct Body<'a>(pub(crate) &'a [u8]);

impl<'a> Body<'a> {
    /// `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.bytes(1)?.first().copied()
    }

    pub(crate) fn i16(&mut self) -> Option<i16> {
        Some(i16::from_be_bytes(self.bytes(2)?.try_into().ok()?))
    }

    pub(crate) fn i32(&mut self) -> Option<i32> {
        Some(i32::from_be_bytes(self.bytes(4)?.try_into().ok()?))
    }

    /// Bytes up to a zero, which is taken too.
    pub(crate) fn text(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = self.bytes(end)?;
        self.bytes(1)?;
        Some(text)
    }

    /// Bytes up to a zero, or all that are left where a message was cut off.
    pub(crate) fn text_or_rest(&mut self) -> &'a [u8] {
        match self.text() {
            Some(text) => text,
            None => std::mem::take(&mut self.0),
        }
    }
}

/// The error of a server that does not keep to the protocol.
pub(crate) fn unexpected(what: &str) -> Error {
    Error::new(ErrorKind::Protocol, format!("the server sent {what}"))
        .with_hint("is it a PostgreSQL server that listens there?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_checked() {
        assert!(header(b"Z\0\0\0", LONGEST).unwrap().is_none());
        assert_eq!(header(b"Z\0\0\0\x05I", LONGEST).unwrap(), Some((b'Z', 6)));
        for hostile in [b"Z\0\0\0\x03", b"Z\xff\xff\xff\xff", b"\0\0\0\0\x05", b"HTTP/"] {
            assert_eq!(header(hostile, LONGEST).unwrap_err().kind(), ErrorKind::Protocol);
        }
    }

    #[test]
    fn bodies_end() {
        let mut body = Body(b"\x00\x07ab\0c");
        assert_eq!(body.i16(), Some(7));
        assert_eq!(body.text(), Some(b"ab".as_slice()));
        assert_eq!(body.text(), None);
        assert_eq!(body.byte(), Some(b'c'));
        assert_eq!((body.byte(), body.i32()), (None, None));
    }
}
