use super::*;

/// The bytes of a message as a server would send it.
fn sent(body: &[u8], sequence: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, body, sequence).unwrap();
    bytes
}

#[test]
fn messages_of_any_length_come_out_as_they_went_in() {
    for length in [0, 1, 250, 251, FULL - 1, FULL, FULL + 1, 2 * FULL, 2 * FULL + 77] {
        let body: Vec<u8> = (0..=250).cycle().take(length).collect();
        let bytes = sent(&body, 254);
        let packets = length / FULL + 1;
        assert_eq!(bytes.len(), length + packets * HEADER);
        let mut sequence = 254;
        assert!(extent(&bytes[..bytes.len() - 1], &mut sequence, LONGEST).unwrap().is_err());
        assert_eq!(sequence, 254);
        let mut buffer = Buffer::new();
        while buffer.unread().len() < bytes.len() {
            let at = buffer.unread().len();
            buffer.fill(&mut &bytes[at..], 1).unwrap();
        }
        let found = extent(buffer.unread(), &mut sequence, LONGEST).unwrap().unwrap();
        assert_eq!(found, Extent { body: length, total: bytes.len() });
        assert_eq!(usize::from(sequence), (254 + packets) % 256);
        assert!(take(&mut buffer, found) == body);
        assert!(buffer.unread().is_empty());
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let bytes = sent(b"x", 3);
    assert!(extent(&bytes, &mut 2, LONGEST).is_err());
    assert!(extent(&sent(&[0; 100], 0), &mut 0, 99).is_err());
    assert!(extent(&[0xFF, 0xFF, 0xFF, 0], &mut 0, 99).is_err());
    assert_eq!(extent(&[], &mut 0, 99).unwrap(), Err(4));
    assert_eq!(extent(&[5, 0, 0, 0, 1], &mut 0, 99).unwrap(), Err(4));
}

#[test]
fn lengths_are_read_as_they_are_written() {
    for length in [0, 1, 250, 251, 252, 0xFFFF, 0x1_0000, 0xFF_FFFF, 0x100_0000, usize::MAX] {
        let mut bytes = Vec::new();
        put_length(&mut bytes, length);
        let mut fields = Fields(&bytes);
        assert_eq!(fields.length(), u64::try_from(length).ok());
        assert!(fields.0.is_empty());
        assert_eq!(Fields(&bytes[..bytes.len() - 1]).length(), None);
    }
    assert_eq!(Fields(&[251]).nullable_length(), Some(None));
    assert_eq!(Fields(&[255]).nullable_length(), None);
    assert_eq!(Fields(&[3, 1, 2]).text(), None);
}
