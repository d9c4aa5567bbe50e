//! Notes that stand in `app_metadata`, where every server may say what it likes: a mark that tells whose they are, and a number.

/// The bytes of a note.
pub(crate) fn write(mark: &[u8], number: u64) -> Vec<u8> {
    [mark, &number.to_le_bytes()].concat()
}

/// The number of a note with this mark; `None` of another one.
pub(crate) fn read(mark: &[u8], note: &[u8]) -> Option<u64> {
    let number = note.strip_prefix(mark)?.try_into().ok()?;
    Some(u64::from_le_bytes(number))
}
