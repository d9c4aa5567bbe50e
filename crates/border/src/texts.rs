//! Texts as they cross the border: each with its length in 4 bytes, little-endian, before it.

use bowshot_core::{Error, ErrorKind, Result};

/// A list of byte strings, most of them UTF-8.
///
/// ```
/// use bowshot_border::Texts;
///
/// let texts = Texts::from(["one", ""]);
/// assert_eq!(texts.to_bytes(), b"\x03\0\0\0one\0\0\0\0");
/// assert_eq!(Texts::from_bytes(&texts.to_bytes())?.text(0)?, "one");
/// assert!(Texts::from_bytes(b"\x04\0\0\0one").is_err());
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts(Vec<Vec<u8>>);

impl<const N: usize> From<[&str; N]> for Texts {
    fn from(texts: [&str; N]) -> Self {
        Texts(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
    }
}

impl From<Vec<Vec<u8>>> for Texts {
    fn from(texts: Vec<Vec<u8>>) -> Self {
        Texts(texts)
    }
}

impl Texts {
    /// Adds a text, or bytes.
    pub fn push(&mut self, text: impl AsRef<[u8]>) {
        self.0.push(text.as_ref().to_vec());
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes at a place.
    ///
    /// # Errors
    /// Of kind [`Internal`](ErrorKind::Internal) where there are none: both sides of the border come from one release.
    pub fn bytes(&self, place: usize) -> Result<&[u8]> {
        self.0.get(place).map(Vec::as_slice).ok_or_else(|| broken(&format!("it has no text {place}")))
    }

    /// The text at a place.
    ///
    /// # Errors
    /// As for [`bytes`](Self::bytes), and for what is not UTF-8.
    pub fn text(&self, place: usize) -> Result<&str> {
        std::str::from_utf8(self.bytes(place)?).map_err(|_| broken(&format!("its text {place} is not UTF-8")))
    }

    /// The texts from a place on, as UTF-8.
    ///
    /// # Errors
    /// As for [`text`](Self::text).
    pub fn texts_from(&self, place: usize) -> Result<Vec<&str>> {
        (place..self.len()).map(|place| self.text(place)).collect()
    }

    /// As they cross the border.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.iter().map(|text| text.len() + 4).sum());
        for text in &self.0 {
            bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
            bytes.extend_from_slice(text);
        }
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes), or the other side of the border, wrote.
    ///
    /// # Errors
    /// Of kind [`Internal`](ErrorKind::Internal) for lengths that do not fit.
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Self> {
        let mut texts = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
            let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
            let (text, rest) = rest.split_at_checked(length).ok_or_else(|| broken("it ends within a text"))?;
            texts.push(text.to_vec());
            bytes = rest;
        }
        if bytes.is_empty() { Ok(Texts(texts)) } else { Err(broken("it ends within a length")) }
    }
}

/// The request that the other side of the border wrote.
///
/// # Errors
/// Those of [`Texts::from_bytes`].
///
/// # Safety
/// `length` bytes can be read at `address` until the function returns.
#[expect(unsafe_code, reason = "the caller's memory")]
pub unsafe fn request(address: i64, length: i64) -> Result<Texts> {
    let (Ok(address), Ok(length)) = (usize::try_from(address), usize::try_from(length)) else {
        return Err(broken("its address or length is negative"));
    };
    if length == 0 {
        return Ok(Texts::default());
    }
    let start = std::ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: the caller says that they can be read.
    Texts::from_bytes(unsafe { std::slice::from_raw_parts(start, length) })
}

fn broken(why: &str) -> Error {
    Error::new(ErrorKind::Internal, format!("a request across the border makes no sense: {why}"))
        .with_hint("the jar and the native library in it are of different releases; install one release of both")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        let texts = Texts::from(vec![vec![], b"\xff\0".to_vec(), "ä".into()]);
        let read = Texts::from_bytes(&texts.to_bytes()).unwrap();
        assert_eq!(read, texts);
        assert_eq!((read.bytes(1).unwrap(), read.text(2).unwrap()), (&b"\xff\0"[..], "ä"));
        assert!(read.text(1).is_err() && read.bytes(3).is_err() && Texts::from_bytes(b"").unwrap().is_empty());
    }

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        for bytes in [&b"\x01"[..], b"\0\0\0", b"\x01\0\0\0", b"\xff\xff\xff\xffx", b"\0\0\0\0\x01"] {
            assert_eq!(Texts::from_bytes(bytes).unwrap_err().kind(), ErrorKind::Internal);
        }
    }
}
