use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field};
use proptest::prelude::*;

use super::*;
use crate::testing::Numbers;
use crate::{Cancel, Holder, Impossible, Lease, Options, Params, Query, Source, Value};

fn ticket() -> Ticket {
    let params = Params::Named(vec![
        ("a".into(), Value::Text("o'clock".into())),
        ("b".into(), Value::Float(-0.5)),
        ("c".into(), Value::Bytes(vec![0, 255])),
        ("d".into(), Value::Null),
    ]);
    let options = Options {
        types: BTreeMap::from([("price".into(), DataType::Decimal128(38, 2))]),
        infinity: Impossible::Null,
        before: vec!["SET x = 1".into()],
        ..Options::default()
    };
    let request = Request::new(Query { sql: "SELECT :a, :b, :c, :d".into(), params }, options);
    let plan = Numbers { partitions: 3, rows: 10 }.plan(&request, &Cancel::new()).unwrap();
    Holder::new(&plan, &request, Lease::default(), &Cancel::new()).unwrap().ticket(2).unwrap()
}

#[test]
fn a_ticket_is_read_as_it_was_written() {
    let ticket = ticket();
    let read = Ticket::from_bytes(&ticket.to_bytes().unwrap()).unwrap();
    assert_eq!(read, ticket);
    assert_eq!(read.place(), (2, 3));
    assert_eq!(read.options().types["price"], DataType::Decimal128(38, 2));
    assert_eq!(read.options().connections, Some(1));
}

#[test]
fn other_versions_and_other_bytes_are_named() {
    let bytes = ticket().to_bytes().unwrap();
    let mut other = bytes.clone();
    other[7] ^= 0x80;
    for (bytes, message) in [
        (other.as_slice(), "another version"),
        (b"", "no ticket"),
        (b"bowshot", "another version"),
        (&bytes[..bytes.len() - 1], "damaged"),
        (&bytes[..8], "damaged"),
    ] {
        let error = Ticket::from_bytes(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.message().contains(message), "{error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn what_another_source_wrote_is_not_read() {
    let error = ticket().state::<usize>("postgresql").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the ticket is of numbers, and postgresql cannot read it; join with the address that the plan was made with"
    );
    assert_eq!(ticket().executed_anew().unwrap_err().kind(), ErrorKind::Config);
}

#[test]
fn a_result_with_other_columns_is_another_one() {
    let ticket = ticket();
    let plan = |field: Field| {
        let mut plan = Numbers { partitions: 1, rows: 10 }.plan(ticket.request(), &Cancel::new()).unwrap();
        plan.schema = Arc::new(Schema::new(vec![field]));
        plan
    };
    let field = Field::new("n", DataType::Int64, true);
    assert_eq!(ticket.joined(plan(field.clone())).unwrap().partitions[0].label, "part 2");
    let own = |name: &str| field.clone().with_metadata([(SOURCE_TYPE.to_owned(), name.to_owned())].into());
    for other in [
        Field::new("m", DataType::Int64, true),
        Field::new("n", DataType::Int32, true),
        Field::new("n", DataType::Int64, false),
        own("money"),
    ] {
        assert_eq!(ticket.joined(plan(other)).unwrap_err().kind(), ErrorKind::SnapshotGone);
    }
    let two = Numbers { partitions: 2, rows: 10 }.plan(ticket.request(), &Cancel::new()).unwrap();
    assert_eq!(ticket.joined(two).unwrap_err().kind(), ErrorKind::SnapshotGone);
}

proptest! {
    #[test]
    fn a_flipped_bit_or_a_cut_is_always_found(place in any::<prop::sample::Index>(), bit in 0_u8..8, cut in any::<bool>()) {
        let mut bytes = ticket().to_bytes().unwrap();
        let place = place.index(bytes.len());
        if cut {
            bytes.truncate(place);
        } else {
            bytes[place] ^= 1 << bit;
        }
        prop_assert_eq!(Ticket::from_bytes(&bytes).unwrap_err().kind(), ErrorKind::Config);
    }

    #[test]
    fn bytes_with_a_right_sum_may_still_be_anything(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(body);
        let check = Sha256::digest(&bytes);
        bytes.extend_from_slice(&check[..CHECK]);
        // An error or a ticket; never a panic, and never more memory than the bytes justify.
        let _ = Ticket::from_bytes(&bytes);
    }
}
