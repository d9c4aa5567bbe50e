//! Numbers and text out of the bytes of a message, of which only the first part may have arrived.

/// Why a token could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// More bytes are needed.
    Short,
    /// No bytes could make it right.
    Broken(String),
}

impl Stop {
    pub(crate) fn broken(what: impl Into<String>) -> Stop {
        Stop::Broken(what.into())
    }
}

/// A place in a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::at(bytes, 0)
    }

    /// In the middle of `bytes`.
    pub(crate) fn at(bytes: &'a [u8], at: usize) -> Self {
        Cursor { bytes, at }
    }

    /// How many bytes lie before it.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Stop> {
        let end = self.at.checked_add(length).ok_or(Stop::Short)?;
        let taken = self.bytes.get(self.at..end).ok_or(Stop::Short)?;
        self.at = end;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        self.take(N)?.try_into().map_err(|_| Stop::Short)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Stop> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Stop> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Stop> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Stop> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Bytes behind their length in two bytes.
    pub(crate) fn short_bytes(&mut self) -> Result<&'a [u8], Stop> {
        let length = self.u16()?;
        self.take(usize::from(length))
    }

    /// Bytes behind their length in four bytes.
    pub(crate) fn long_bytes(&mut self) -> Result<&'a [u8], Stop> {
        let length = self.u32()?;
        self.take(usize::try_from(length).map_err(|_| Stop::Short)?)
    }

    /// Text behind its number of characters in one byte (`B_VARCHAR`).
    pub(crate) fn short_text(&mut self) -> Result<String, Stop> {
        let characters = self.u8()?;
        Ok(utf16(self.take(2 * usize::from(characters))?))
    }

    /// Text behind its number of characters in two bytes (`US_VARCHAR`).
    pub(crate) fn text(&mut self) -> Result<String, Stop> {
        let characters = self.u16()?;
        Ok(utf16(self.take(2 * usize::from(characters))?))
    }
}

/// Names and messages of the server, which must be readable whatever is in them.
pub(crate) fn utf16(bytes: &[u8]) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    String::from_utf16_lossy(&units)
}
