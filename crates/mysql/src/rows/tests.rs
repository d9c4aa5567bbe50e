use proptest::prelude::*;

use super::*;
use crate::cells::{value, values_of};
use crate::packet::{self, put_length};

/// Rows of the text protocol, in packets that begin with this number.
fn text(rows: &[Vec<Option<Vec<u8>>>], mut sequence: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in rows {
        let mut body = Vec::new();
        for cell in row {
            match cell {
                None => body.push(251),
                Some(cell) => {
                    put_length(&mut body, cell.len());
                    body.extend(cell);
                }
            }
        }
        sequence = packet::write(&mut bytes, &body, sequence).unwrap();
    }
    bytes
}

fn slack(bytes: &[u8]) -> Vec<u8> {
    [bytes, &[0; bowshot_net::SLACK]].concat()
}

fn column(rows: &Rows, column: usize, bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
    values_of(rows.cells(column, bytes)).map(|cell| cell.map(<[u8]>::to_vec)).collect()
}

#[test]
fn fields_of_every_length_are_found() {
    let cell = |length: usize| Some(vec![b'x'; length]);
    let data = vec![vec![cell(1), cell(0), cell(250)], vec![None, cell(251), cell(3)], vec![cell(70_000), None, None]];
    let bytes = text(&data, 7);
    let padded = slack(&bytes);
    let mut rows = Rows::new(Protocol::Text, &[Layout::Variable; 3], 1 << 20);
    let mut sequence = 7;
    assert_eq!(rows.index(&bytes, &mut sequence, usize::MAX).unwrap(), Stop::Incomplete);
    assert_eq!((rows.count(), rows.bytes(), sequence), (3, bytes.len(), 10));
    for place in 0..3 {
        let expected: Vec<_> = data.iter().map(|row| row[place].clone()).collect();
        assert_eq!(column(&rows, place, &padded), expected);
        assert!(rows.cells(place, &padded).has_nulls);
    }
    // A block has a row, however small it shall be: blocks without rows would never end.
    for limit in [1, 0] {
        rows.clear();
        assert_eq!(rows.index(&bytes, &mut 7, limit).unwrap(), Stop::Full);
        assert_eq!(rows.count(), 1);
    }
    assert!(!rows.cells(0, &padded).has_nulls);
}

#[test]
fn binary_rows_have_a_map_of_nulls() {
    let layouts = [Layout::Fixed(4), Layout::Variable, Layout::Fixed(0), Layout::Fixed(8)];
    // The third column is always NULL: bit 4 of the map.
    let mut body = vec![0, 0b01_0000];
    body.extend(7_u32.to_le_bytes());
    body.extend([2, b'a', b'b']);
    body.extend(9_u64.to_le_bytes());
    let nothing = [0, 0b11_1100];
    let mut bytes = Vec::new();
    packet::write(&mut bytes, &body, 0).unwrap();
    packet::write(&mut bytes, &nothing, 1).unwrap();
    let padded = slack(&bytes);
    let mut rows = Rows::new(Protocol::Binary, &layouts, 1 << 10);
    assert_eq!(rows.index(&bytes, &mut 0, usize::MAX).unwrap(), Stop::Incomplete);
    assert_eq!(rows.count(), 2);
    assert_eq!(column(&rows, 1, &padded), [Some(b"ab".to_vec()), None]);
    let number = rows.cells(3, &padded);
    assert_eq!(u64::from_le_bytes(load(&padded, number.offsets[0] as usize)), 9);
    assert_eq!(number.offsets[1], NULL);
    assert_eq!(rows.cells(2, &padded).offsets, [NULL, NULL]);
}

#[test]
fn unusual_lengths_are_found_too() {
    let data = vec![
        vec![Some(b"2024-01-02".to_vec()), Some(b"x".to_vec())],
        vec![Some(b"".to_vec()), Some(b"yy".to_vec())],
        vec![None, Some(b"".to_vec())],
        vec![Some(b"2024-01-02 03:04:05".to_vec()), None],
    ];
    let bytes = text(&data, 0);
    let padded = slack(&bytes);
    let mut rows = Rows::new(Protocol::Text, &[Layout::Usual(10), Layout::Variable], 1 << 10);
    assert_eq!(rows.index(&bytes, &mut 0, usize::MAX).unwrap(), Stop::Incomplete);
    for place in 0..2 {
        let expected: Vec<_> = data.iter().map(|row| row[place].clone()).collect();
        assert_eq!(column(&rows, place, &padded), expected);
    }
}

#[test]
fn what_is_no_row_stops() {
    let mut rows = Rows::new(Protocol::Text, &[Layout::Variable], 1 << 10);
    for (bytes, stop) in [
        (&[][..], Stop::Incomplete),
        (&[1, 0, 0, 0], Stop::Incomplete),
        (&[1, 0, 0, 0, 0xFE], Stop::Other),
        (&[1, 0, 0, 0, 0xFF], Stop::Other),
        (&[0, 0, 0, 0], Stop::Other),
        (&[0xFF, 0xFF, 0xFF, 0], Stop::Long),
    ] {
        assert_eq!(rows.index(bytes, &mut 0, usize::MAX).unwrap(), stop, "{bytes:?}");
        assert_eq!(rows.count(), 0);
    }
    for broken in [
        // Another number; a length past the end; a byte that is no length; bytes behind the field.
        &[1, 0, 0, 9, 0][..],
        &[1, 0, 0, 0, 5],
        &[2, 0, 0, 0, 252, 1],
        &[3, 0, 0, 0, 1, 1, 1],
        &[9, 0, 0, 0, 253, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0],
    ] {
        rows.clear();
        assert!(rows.index(broken, &mut 0, usize::MAX).is_err(), "{broken:?}");
    }
    // A length of 2^64 - 1 can only come in a row of several packets.
    let mut body = vec![254];
    body.extend([0xFF; 8]);
    rows.clear();
    let bytes = [&[9, 0, 0, 0], body.as_slice()].concat();
    assert!(rows.index_long(&bytes, Extent { body: 9, total: 13 }).is_err());
}

proptest! {
    #[test]
    fn arbitrary_rows_come_back(
        data in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.9, prop::collection::vec(any::<u8>(), 0..300)), 4), 1..40)
    ) {
        let bytes = text(&data, 0);
        let padded = slack(&bytes);
        let mut rows = Rows::new(Protocol::Text, &[Layout::Variable; 4], 1 << 20);
        prop_assert_eq!(rows.index(&bytes, &mut 0, usize::MAX).unwrap(), Stop::Incomplete);
        prop_assert_eq!(rows.count(), data.len());
        for place in 0..4 {
            let expected: Vec<_> = data.iter().map(|row| row[place].clone()).collect();
            prop_assert_eq!(column(&rows, place, &padded), expected);
        }
    }

    /// Rows that are walked side by side and rows that are not, in blocks of any size, with numbers that begin anew.
    #[test]
    fn blocks_end_where_they_should(
        data in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.97, prop::collection::vec(any::<u8>(), 0..20)), 3), 1..80),
        limit in 1_usize..1000,
        first: u8,
    ) {
        let bytes = text(&data, first);
        let padded = slack(&bytes);
        let mut rows = Rows::new(Protocol::Text, &[Layout::Variable; 3], 1 << 12);
        let (mut at, mut sequence, mut found) = (0, first, vec![Vec::new(); 3]);
        loop {
            rows.clear();
            let stop = rows.index(&bytes[at..], &mut sequence, limit).unwrap();
            if rows.count() == 0 {
                prop_assert_eq!((stop, at), (Stop::Incomplete, bytes.len()));
                break;
            }
            for (place, found) in found.iter_mut().enumerate() {
                found.extend(column(&rows, place, &padded[at..]));
            }
            // The last row made it full; without it there was room.
            let last = text(&data[found[0].len() - 1..found[0].len()], 0).len();
            prop_assert!(rows.bytes() - last < limit && (rows.bytes() >= limit || stop == Stop::Incomplete));
            at += rows.bytes();
        }
        for (place, found) in found.into_iter().enumerate() {
            prop_assert_eq!(found, data.iter().map(|row| row[place].clone()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
        lengths in prop::collection::vec(prop::option::of(0_u8..9), 1..20),
        binary in any::<bool>(),
    ) {
        // In packets that fit, so that rows are looked at.
        let mut sent = Vec::new();
        let mut sequence = 0;
        for chunk in bytes.chunks(97) {
            sequence = packet::write(&mut sent, chunk, sequence).unwrap();
        }
        let layouts: Vec<Layout> =
            lengths.iter().map(|length| length.filter(|_| binary).map_or(Layout::Variable, Layout::Fixed)).collect();
        let protocol = if binary { Protocol::Binary } else { Protocol::Text };
        let mut rows = Rows::new(protocol, &layouts, 1 << 16);
        let _ = rows.index(&sent, &mut 0, usize::MAX);
        let padded = slack(&sent);
        for (place, layout) in layouts.iter().enumerate().filter(|(_, layout)| **layout == Layout::Variable) {
            let cells = rows.cells(place, &padded);
            for &offset in cells.offsets.iter().filter(|offset| **offset != NULL) {
                // No value leads out of what was received.
                prop_assert!(value(&sent, offset).len() <= sent.len(), "{:?}", layout);
            }
        }
    }
}
