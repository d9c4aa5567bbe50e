use proptest::prelude::*;

use super::*;
use bowshot_postgres_values::values_of;

/// A row message as PostgreSQL writes it.
fn message(tag: u8, fields: &[Option<&[u8]>]) -> Vec<u8> {
    let mut body = u16::try_from(fields.len()).unwrap().to_be_bytes().to_vec();
    for field in fields {
        match field {
            None => body.extend_from_slice(&(-1i32).to_be_bytes()),
            Some(field) => {
                body.extend_from_slice(&u32::try_from(field.len()).unwrap().to_be_bytes());
                body.extend_from_slice(field);
            }
        }
    }
    let mut message = vec![tag];
    message.extend_from_slice(&u32::try_from(body.len() + 4).unwrap().to_be_bytes());
    message.extend_from_slice(&body);
    message
}

fn fields(rows: &Rows, column: usize, bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
    values_of(rows.cells(column, bytes)).map(|value| value.map(<[u8]>::to_vec)).collect()
}

#[test]
fn fields_are_found_wherever_the_bytes_were_cut() {
    let mut bytes = message(b'd', &[Some(b"abc"), None, Some(b"")]);
    bytes.extend(message(b'd', &[None, Some(b"12345678"), Some(b"x")]));
    let whole = bytes.len();
    bytes.extend_from_slice(b"c\0\0\0\x04");
    for cut in 0..whole {
        let mut rows = Rows::new(3, 1000);
        assert!(matches!(rows.index(&bytes[..cut], b'd', 1000, &mut |_, _| {}).unwrap(), Stop::Incomplete(1..)));
        assert_eq!(rows.index(&bytes, b'd', 1000, &mut |_, _| {}).unwrap(), Stop::Other);
        assert_eq!(rows.bytes(), whole);
        assert_eq!(fields(&rows, 0, &bytes), [Some(b"abc".to_vec()), None]);
        assert_eq!(fields(&rows, 1, &bytes), [None, Some(b"12345678".to_vec())]);
        assert_eq!(fields(&rows, 2, &bytes), [Some(vec![]), Some(b"x".to_vec())]);
        assert!(rows.cells(0, &bytes).has_nulls && !rows.cells(2, &bytes).has_nulls);
    }
}

#[test]
fn a_block_ends_at_its_limit_and_at_the_trailer() {
    let row = message(b'd', &[Some(b"abcd")]);
    let mut bytes = row.repeat(3);
    bytes.extend_from_slice(b"d\0\0\0\x06\xff\xff");
    let mut rows = Rows::new(1, 1000);
    assert_eq!(rows.index(&bytes, b'd', row.len() + 1, &mut |_, _| {}).unwrap(), Stop::Full);
    assert_eq!(rows.count(), 2);
    assert_eq!(rows.index(&bytes, b'd', 1000, &mut |_, _| {}).unwrap(), Stop::Trailer);
    assert_eq!((rows.count(), rows.bytes()), (3, bytes.len()));
}

#[test]
fn rows_without_columns_are_counted() {
    let bytes = message(b'D', &[]).repeat(5);
    let mut rows = Rows::new(0, 1000);
    assert_eq!(rows.index(&bytes, b'D', 1000, &mut |_, _| {}).unwrap(), Stop::Incomplete(5));
    assert_eq!(rows.count(), 5);
}

proptest! {
    /// Rows that are walked side by side and rows that are not, in blocks of any size.
    #[test]
    fn blocks_end_where_they_should(
        data in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.97, prop::collection::vec(any::<u8>(), 0..20)), 3), 1..80),
        limit in 1_usize..1000,
    ) {
        let row = |row: &Vec<Option<Vec<u8>>>| message(b'd', &row.iter().map(Option::as_deref).collect::<Vec<_>>());
        let bytes: Vec<u8> = data.iter().flat_map(row).collect();
        let mut rows = Rows::new(3, 1 << 12);
        let (mut at, mut found) = (0, vec![Vec::new(); 3]);
        loop {
            rows.clear();
            let stop = rows.index(&bytes[at..], b'd', limit, &mut |_, _| {}).unwrap();
            if rows.count() == 0 {
                prop_assert_eq!((stop, at), (Stop::Incomplete(5), bytes.len()));
                break;
            }
            for (place, found) in found.iter_mut().enumerate() {
                found.extend(fields(&rows, place, &bytes[at..]));
            }
            // The last row made it full; without it there was room.
            let last = row(&data[found[0].len() - 1]).len();
            prop_assert!(rows.bytes() - last < limit && (rows.bytes() >= limit || stop == Stop::Incomplete(5)));
            at += rows.bytes();
        }
        for (place, found) in found.into_iter().enumerate() {
            prop_assert_eq!(found, data.iter().map(|row| row[place].clone()).collect::<Vec<_>>());
        }
    }

    /// Whatever a server sends: an error or an index whose fields lie inside the bytes, never a panic.
    #[test]
    fn hostile_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), columns in 0usize..4) {
        let mut rows = Rows::new(columns, 200);
        let _ = rows.index(&bytes, b'd', 200, &mut |_, _| {});
        for column in 0..columns {
            for value in values_of(rows.cells(column, &bytes)).flatten() {
                prop_assert!(value.len() <= bytes.len());
            }
        }
    }

    /// The same, for bytes that look like rows except in a few places.
    #[test]
    fn damaged_rows_never_panic(
        values in proptest::collection::vec(proptest::option::of(proptest::collection::vec(any::<u8>(), 0..20)), 2),
        damage in proptest::collection::vec((0usize..200, any::<u8>()), 0..4),
    ) {
        let fields: Vec<Option<&[u8]>> = values.iter().map(|value| value.as_deref()).collect();
        let mut bytes = message(b'd', &fields).repeat(4);
        for (place, byte) in damage {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        let mut rows = Rows::new(2, 1000);
        let _ = rows.index(&bytes, b'd', 1000, &mut |_, _| {});
        for column in 0..2 {
            prop_assert_eq!(values_of(rows.cells(column, &bytes)).count(), rows.count());
        }
    }
}
