use oracledb_protocol::wire::TtcWriter;
use proptest::prelude::*;

use super::*;

fn values(rows: &Rows, response: &[u8], column: usize) -> Vec<Option<Vec<u8>>> {
    rows.block(response).column(column).map(|value| value.map(<[u8]>::to_vec)).collect()
}

fn text(value: &str) -> Option<Vec<u8>> {
    Some(value.as_bytes().to_vec())
}

#[test]
fn fields_are_found_repeated_and_put_together() {
    let mut writer = TtcWriter::new();
    writer.write_bytes_with_length(b"one").unwrap();
    writer.write_bytes_with_length(&[b'x'; 300]).unwrap();
    let first = writer.into_bytes();
    let mut rows = Rows::new(vec![Framing::Bytes, Framing::Bytes]);
    let mut reader = TtcReader::new(&first);
    rows.find(&mut reader, 0, None).unwrap();
    // The second row repeats the second column.
    let second = [first.as_slice(), b"\x03two"].concat();
    let mut reader = TtcReader::new(&second[first.len()..]);
    rows.find(&mut reader, first.len(), Some(&[0b01])).unwrap();
    assert_eq!(values(&rows, &second, 0), [text("one"), text("two")]);
    assert_eq!(values(&rows, &second, 1), [Some(vec![b'x'; 300]), Some(vec![b'x'; 300])]);
    rows.decoded(&second);
    assert_eq!(rows.len(), 0);
    // A row of the next block repeats all of the last one of this.
    rows.find(&mut TtcReader::new(&[]), 0, Some(&[0])).unwrap();
    assert_eq!(values(&rows, &[], 0), [text("two")]);
    assert_eq!(values(&rows, &[], 1), [Some(vec![b'x'; 300])]);
}

#[test]
fn an_incomplete_row_leaves_nothing_behind() {
    let mut rows = Rows::new(vec![Framing::Bytes, Framing::Long, Framing::Nothing]);
    let whole = b"\x01a\x00\x81\x01\x02\x05\x7d";
    for end in 0..whole.len() {
        assert!(rows.find(&mut TtcReader::new(&whole[..end]), 0, None).is_err(), "{end}");
        assert_eq!((rows.len(), values(&rows, whole, 0).len()), (0, 0));
    }
    rows.find(&mut TtcReader::new(whole), 0, None).unwrap();
    assert_eq!(values(&rows, whole, 0), [text("a")]);
    assert_eq!(values(&rows, whole, 1), [None]);
    assert_eq!(values(&rows, whole, 2), [None]);
}

#[test]
fn a_lob_without_content_is_not_null() {
    let mut rows = Rows::new(vec![Framing::Long]);
    rows.find(&mut TtcReader::new(b"\x00\x00\x00"), 0, None).unwrap();
    rows.find(&mut TtcReader::new(b"\x00\x81\x01\x00"), 0, None).unwrap();
    assert_eq!(values(&rows, b"", 0), [Some(Vec::new()), None]);
}

#[test]
fn nothing_above_cannot_be_repeated() {
    let mut rows = Rows::new(vec![Framing::Bytes]);
    assert!(rows.find(&mut TtcReader::new(b"\x01a"), 0, Some(&[0])).is_err());
}

proptest! {
    #[test]
    fn strange_bytes_are_errors(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        bits in prop::option::of(prop::collection::vec(any::<u8>(), 0..2)),
    ) {
        let framings = [Framing::Bytes, Framing::Rowid, Framing::Urowid, Framing::Long, Framing::Nothing];
        let mut rows = Rows::new(framings.to_vec());
        let mut reader = TtcReader::new(&bytes);
        while rows.find(&mut reader, 0, bits.as_deref()).is_ok() && rows.len() < 100 {}
        for column in 0..rows.width() {
            prop_assert_eq!(rows.block(&bytes).column(column).count(), rows.len());
        }
        rows.decoded(&bytes);
    }
}
