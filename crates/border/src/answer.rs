//! What a function of the border answers.

use bowshot_core::{Error, ErrorKind, Result};

use crate::Texts;

/// What a function wrote for its caller, who has room for it: 32 bytes.
#[repr(C)]
#[derive(Debug)]
pub struct Answer {
    /// 0, or 1 where the texts are those of an error: its kind, message, hint, column and SQLSTATE, empty where there is none.
    pub failed: i64,
    /// A number: a handle, a count, a truth.
    pub value: i64,
    /// [`Texts`], which the caller [frees](free); null where there are none.
    pub bytes: *mut u8,
    /// How many bytes they have.
    pub length: i64,
}

impl Default for Answer {
    fn default() -> Self {
        Answer { failed: 0, value: 0, bytes: std::ptr::null_mut(), length: 0 }
    }
}

/// What a function has to say.
#[derive(Debug, Default)]
pub struct Reply {
    /// A number.
    pub value: i64,
    /// Texts.
    pub texts: Texts,
}

impl Reply {
    /// A number alone.
    #[must_use]
    pub fn value(value: i64) -> Self {
        Reply { value, texts: Texts::default() }
    }
}

impl Answer {
    fn new(failed: bool, reply: &Reply) -> Self {
        let (bytes, length) = lent(reply.texts.to_bytes());
        Answer { failed: failed.into(), value: reply.value, bytes, length }
    }
}

/// Does the work, and writes what came of it, an error or a panic among it, to where the caller has room.
///
/// # Safety
/// An [`Answer`] can be written at `at`.
#[expect(unsafe_code, reason = "the caller's memory")]
pub unsafe fn answer(at: *mut Answer, work: impl FnOnce() -> Result<Reply>) {
    let answered = match bowshot_core::contained(work).unwrap_or_else(|words| Err(panicked(words))) {
        Ok(reply) => Answer::new(false, &reply),
        Err(error) => Answer::new(true, &Reply { value: 0, texts: report(&error) }),
    };
    // SAFETY: the caller has room; an answer may be overwritten without being dropped.
    unsafe { at.write_unaligned(answered) };
}

/// Takes back the bytes of an [`Answer`].
///
/// # Safety
/// They are those of an answer, and freed once.
#[expect(unsafe_code, reason = "memory that was lent to the caller")]
pub unsafe fn free(bytes: *mut u8, length: i64) {
    if let (false, Ok(length)) = (bytes.is_null(), usize::try_from(length)) {
        // SAFETY: `lent` made them of a box of this length.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(bytes, length)) });
    }
}

fn lent(bytes: Vec<u8>) -> (*mut u8, i64) {
    if bytes.is_empty() {
        return (std::ptr::null_mut(), 0);
    }
    let bytes = Box::leak(bytes.into_boxed_slice());
    (bytes.as_mut_ptr(), i64::try_from(bytes.len()).unwrap_or(i64::MAX))
}

fn panicked(words: Option<String>) -> Error {
    let words = words.unwrap_or_else(|| "nobody knows why".into());
    Error::new(ErrorKind::Internal, format!("Bowshot panicked: {words}")).with_hint("please report it")
}

fn report(error: &Error) -> Texts {
    Texts::from([
        name(error.kind()),
        error.message(),
        error.hint().unwrap_or_default(),
        error.column().unwrap_or_default(),
        error.sqlstate().unwrap_or_default(),
    ])
}

/// The kind's name, which Java's `BowshotException.Kind` has in its own spelling.
fn name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Config => "CONFIG",
        ErrorKind::Connect => "CONNECT",
        ErrorKind::Authentication => "AUTHENTICATION",
        ErrorKind::Tls => "TLS",
        ErrorKind::ConnectionLimit => "CONNECTION_LIMIT",
        ErrorKind::ConnectionLost => "CONNECTION_LOST",
        ErrorKind::Sql => "SQL",
        ErrorKind::Value => "VALUE",
        ErrorKind::Unsupported => "UNSUPPORTED",
        ErrorKind::Protocol => "PROTOCOL",
        ErrorKind::SnapshotGone => "SNAPSHOT_GONE",
        ErrorKind::Cancelled => "CANCELLED",
        ErrorKind::Timeout => "TIMEOUT",
        ErrorKind::Io => "IO",
        _ => "INTERNAL",
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "the test is the caller")]
mod tests {
    use super::*;

    fn answered(work: impl FnOnce() -> Result<Reply>) -> (i64, i64, Texts) {
        let mut at = Answer::default();
        // SAFETY: the answer is this function's own, and freed once.
        unsafe {
            answer(&mut at, work);
            let texts = crate::request(at.bytes.expose_provenance().try_into().unwrap(), at.length).unwrap();
            free(at.bytes, at.length);
            (at.failed, at.value, texts)
        }
    }

    #[test]
    fn replies_arrive() {
        let texts = Texts::from(["a", ""]);
        let reply = Reply { value: -7, texts: texts.clone() };
        assert_eq!(answered(|| Ok(reply)), (0, -7, texts));
        assert_eq!(answered(|| Ok(Reply::value(1))), (0, 1, Texts::default()));
    }

    #[test]
    fn errors_arrive_with_all_that_they_say() {
        let error = Error::new(ErrorKind::Value, "too large").with_column("price").with_hint("types=");
        assert_eq!(answered(|| Err(error)), (1, 0, Texts::from(["VALUE", "too large", "types=", "price", ""])));
    }

    #[test]
    fn panics_do_not_cross_the_border() {
        let (failed, _, texts) = answered(|| panic!("no"));
        assert_eq!((failed, texts.text(0).unwrap()), (1, "INTERNAL"));
    }
}
