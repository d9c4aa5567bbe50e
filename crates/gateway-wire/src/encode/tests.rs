//! What is sent is decoded by Arrow's own reader and compared cell by cell.
#![expect(clippy::disallowed_methods, reason = "these bytes are the test's own")]

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int8Array, Int64Array, ListArray, StringArray, StringViewArray};
use arrow_buffer::Buffer;
use arrow_cast::cast;
use arrow_flight::utils::flight_data_to_batches;
use arrow_schema::{DataType, Field, Schema};
use bowshot_ipc::{Decoder, Form};
use proptest::prelude::*;
use prost::Message as _;

use super::*;
use crate::schema::ALIGNMENT;
use crate::testing::{Dice, array, batch, sendable, single};

/// The messages of a batch, checked for everything that holds for all of them.
fn sent(batch: &RecordBatch, codec: Codec) -> Vec<FlightData> {
    let mut encoder = Encoder::new(batch.schema(), codec).unwrap();
    let mut messages = vec![encoder.schema_message().unwrap()];
    messages.extend(encode(&mut encoder, batch));
    compare(batch, &messages);
    messages.split_off(1)
}

/// The messages of a batch, each with its body in one piece.
fn encode(encoder: &mut Encoder, batch: &RecordBatch) -> Vec<FlightData> {
    encoder.encode(batch).unwrap().into_iter().map(FlightData::from).collect()
}

/// Decodes a stream and compares it with the batch that it should hold.
fn compare(batch: &RecordBatch, messages: &[FlightData]) {
    let mut rows = 0;
    for (decoded, message) in flight_data_to_batches(messages).unwrap().into_iter().zip(&messages[1..]) {
        let count = decoded.num_rows();
        assert_eq!(decoded, batch.slice(rows, count));
        assert!(count <= 1 || message.encoded_len() <= LIMIT, "{count} rows in {} bytes", message.encoded_len());
        let header = arrow_ipc::root_as_message(&message.data_header).unwrap();
        assert_eq!(usize::try_from(header.bodyLength()).unwrap(), message.data_body.len());
        rows += count;
    }
    assert_eq!(rows, batch.num_rows());
}

/// Sends a batch to a client that reads packed ones, and compares what that makes of it.
fn sent_packed(batch: &RecordBatch, codec: Codec) {
    let mut encoder = Encoder::new(batch.schema(), codec).unwrap().for_packed(true);
    let first = encoder.schema_message().unwrap();
    let mut decoder = Decoder::new(&first.data_header, 4 << 20).unwrap();
    let mut rows = 0;
    for message in encode(&mut encoder, batch) {
        let note = Some(message.app_metadata.to_vec()).filter(|note| Form::is_note(note));
        let message = bowshot_ipc::Message {
            header: message.data_header.to_vec(),
            body: Buffer::from_slice_ref(&message.data_body),
            note,
        };
        let decoded = decoder.decode(&message).unwrap().unwrap();
        decoded.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
        assert_eq!(decoded, batch.slice(rows, decoded.num_rows()));
        rows += decoded.num_rows();
    }
    assert_eq!(rows, batch.num_rows());
}

#[test]
fn every_type_arrives_whole_and_in_slices_with_every_codec() {
    let mut dice = Dice(7);
    for of in sendable() {
        let whole = batch(&[of.clone(), DataType::Int8], 100, &mut dice);
        for codec in Codec::ALL {
            for (begin, rows) in [(0, 100), (0, 0), (100, 0), (0, 1), (3, 64), (8, 8), (17, 70), (99, 1)] {
                assert_eq!(sent(&whole.slice(begin, rows), codec).len(), 1, "{of}");
                sent_packed(&whole.slice(begin, rows), codec);
            }
        }
    }
}

#[test]
fn a_client_that_reads_packed_batches_gets_them_where_it_is_compressed() {
    let texts = StringArray::from_iter((0..1000).map(|row| (row % 9 > 0).then(|| "flag".repeat(row % 3))));
    let batch = RecordBatch::try_from_iter([("text", Arc::new(texts) as ArrayRef)]).unwrap();
    for codec in Codec::ALL {
        let mut encoder = Encoder::new(batch.schema(), codec).unwrap().for_packed(true);
        let message = encode(&mut encoder, &batch).remove(0);
        assert_eq!(Form::is_note(&message.app_metadata), codec != Codec::None, "{codec}");
        let plain = encode(&mut Encoder::new(batch.schema(), codec).unwrap(), &batch).remove(0);
        assert!(plain.app_metadata.is_empty());
        let (bytes, offsets) = (message.data_body.len(), plain.data_body.len());
        assert!(
            if codec == Codec::None { bytes == offsets } else { bytes * 2 < offsets },
            "{codec}: {bytes} of {offsets}"
        );
    }
    let flags = RecordBatch::try_from_iter([("f", Arc::new(Int8Array::from(vec![1])) as ArrayRef)]).unwrap();
    let mut encoder = Encoder::new(flags.schema(), Codec::Zstd).unwrap().for_packed(true);
    assert!(encode(&mut encoder, &flags)[0].app_metadata.is_empty(), "there is nothing to pack");
}

#[test]
fn bodies_are_as_long_as_was_measured() {
    let mut dice = Dice(11);
    for of in sendable() {
        let whole = batch(std::slice::from_ref(&of), 300, &mut dice);
        for piece in [whole.clone(), whole.slice(0, 0), whole.slice(5, 100), whole.slice(299, 1)] {
            let (length, measured) = (sent(&piece, Codec::None)[0].data_body.len(), body_bytes(&piece));
            if format!("{of}").contains("ListView") || format!("{of}").contains("Union") {
                assert!(length.abs_diff(measured) <= measured / 2 + 512, "{of}: {length}, measured {measured}");
            } else {
                // Each buffer of a view array is filled up by itself.
                let views = format!("{of}").contains("View");
                assert!(
                    length == measured || (views && length.abs_diff(measured) <= 512),
                    "{of}: {length}, {measured}"
                );
            }
        }
    }
}

#[test]
fn large_batches_become_messages_of_about_a_mebibyte() {
    let rows = 2_200_000_i64;
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let notes = StringArray::from_iter_values((0..rows).map(|row| format!("order {row} is on its way to the moon")));
    let whole = RecordBatch::try_from_iter([("id", ids), ("note", Arc::new(notes) as _)]).unwrap();
    let bytes = body_bytes(&whole);
    assert!(bytes > 100 << 20);
    for codec in [Codec::None, Codec::Lz4] {
        let messages = sent(&whole, codec);
        assert_eq!(messages.len(), bytes.div_ceil(GOAL));
        assert!(messages.iter().all(|message| message.data_body.len() < GOAL + GOAL / 50));
    }
    // A slice of a large batch is small.
    assert_eq!(sent(&whole.slice(1_234_567, 10_000), Codec::None).len(), 1);
}

#[test]
fn only_a_row_that_is_too_large_makes_a_message_that_is() {
    let huge = "x".repeat(5 << 20);
    let texts: Vec<&str> = (0..1_001).map(|row| if row == 500 { huge.as_str() } else { "small" }).collect();
    let large: ArrayRef = Arc::new(StringArray::from(texts));
    for of in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View, DataType::BinaryView] {
        let messages = sent(&single(cast(&large, &of).unwrap()), Codec::None);
        let too_large: Vec<_> = messages.iter().filter(|message| message.encoded_len() > LIMIT).collect();
        let [alone] = too_large[..] else { panic!("{} messages are too large", too_large.len()) };
        let header = arrow_ipc::root_as_message(&alone.data_header).unwrap();
        assert_eq!(header.header_as_record_batch().unwrap().length(), 1);
        assert!(messages.len() < 100);
    }
}

#[test]
fn wide_rows_are_cut_by_their_bytes() {
    // 200 columns of texts of 0 to 4 KiB.
    let column = |place: usize| -> ArrayRef {
        let texts = (0..40).map(|row| "y".repeat((place * 7_919 + row * 104_729) % 4_096));
        Arc::new(StringArray::from_iter_values(texts))
    };
    let whole = RecordBatch::try_from_iter((0..200).map(|place| (format!("c{place}"), column(place)))).unwrap();
    for codec in Codec::ALL {
        let count = sent(&whole, codec).len();
        assert!((12..=40).contains(&count), "{count}");
    }
}

#[test]
fn nested_values_are_cut_by_what_they_show() {
    let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..4_000_000));
    let item = Arc::new(Field::new("item", DataType::Int64, true));
    let offsets = arrow_buffer::OffsetBuffer::from_lengths(std::iter::repeat_n(4_000, 1_000));
    let lists = single(Arc::new(ListArray::new(item, offsets, values, None)));
    let messages = sent(&lists, Codec::None);
    assert_eq!(messages.len(), 31);
    assert_eq!(sent(&lists.slice(990, 10), Codec::None)[0].data_body.len(), body_bytes(&lists.slice(990, 10)));
}

#[test]
fn columns_without_a_null_have_no_bitmap() {
    let numbers = Int64Array::from_iter((0..1_000).map(|n| (n >= 100).then_some(n)));
    let whole = single(Arc::new(numbers));
    let bitmap = |batch: &RecordBatch| {
        let message = sent(batch, Codec::None).remove(0);
        let header = arrow_ipc::root_as_message(&message.data_header).unwrap();
        header.header_as_record_batch().unwrap().buffers().unwrap().get(0).length()
    };
    assert_eq!(bitmap(&whole), 125);
    assert_eq!(bitmap(&whole.slice(100, 900)), 0);
}

#[test]
fn rows_that_a_slice_does_not_show_are_not_sent() {
    let secret = "a secret of more than twelve bytes";
    let texts: ArrayRef = Arc::new(StringArray::from(vec![secret, "this one may be seen, by all means", secret]));
    let views = cast(&texts, &DataType::Utf8View).unwrap();
    let item = |of| Arc::new(Field::new("item", of, true));
    let lists = |values: &ArrayRef| -> ArrayRef {
        let offsets = arrow_buffer::OffsetBuffer::from_lengths([1, 1, 1]);
        Arc::new(ListArray::new(item(values.data_type().clone()), offsets, Arc::clone(values), None))
    };
    let members = [(0, item(DataType::Utf8))].into_iter().collect();
    let dense = arrow_array::UnionArray::try_new(
        members,
        vec![0; 3].into(),
        Some(vec![0, 1, 2].into()),
        vec![Arc::clone(&texts)],
    );
    let (plain, viewed) = (lists(&texts), lists(&views));
    let list_views = cast(&viewed, &DataType::ListView(item(DataType::Utf8View))).unwrap();
    let boxed = StructOf(&views).array();
    for column in [texts, views, plain, viewed, list_views, boxed, Arc::new(dense.unwrap())] {
        let message = sent(&single(Arc::clone(&column)).slice(1, 1), Codec::None).remove(0);
        let holds = |text: &str| message.data_body.windows(text.len()).any(|bytes| bytes == text.as_bytes());
        assert!(holds("this one may be seen") && !holds("secret"), "{}", column.data_type());
    }
}

struct StructOf<'a>(&'a ArrayRef);

impl StructOf<'_> {
    fn array(&self) -> ArrayRef {
        let field = Arc::new(Field::new("inner", self.0.data_type().clone(), true));
        Arc::new(arrow_array::StructArray::from(vec![(field, Arc::clone(self.0))]))
    }
}

#[test]
fn views_that_show_all_they_hold_are_not_copied_before_they_are_sent() {
    let views: ArrayRef = Arc::new(StringViewArray::from(vec!["a text of more than twelve bytes"; 10]));
    let tight = compact(&(Arc::new(views.as_string_view().gc()) as ArrayRef)).unwrap();
    let again = compact(&tight).unwrap();
    assert!(Arc::ptr_eq(&tight, &again));
}

#[test]
fn the_codec_may_change_within_a_stream() {
    let mut dice = Dice(3);
    let whole = batch(&[DataType::Int64, DataType::Utf8, DataType::Utf8View], 3_000, &mut dice);
    let mut encoder = Encoder::new(whole.schema(), Codec::Zstd).unwrap();
    let mut messages = vec![encoder.schema_message().unwrap()];
    let codecs = [Codec::Zstd, Codec::None, Codec::Lz4, Codec::Lz4, Codec::None, Codec::Zstd];
    for (place, codec) in codecs.into_iter().enumerate() {
        encoder.set_codec(codec).unwrap();
        assert_eq!(encoder.codec(), codec);
        messages.extend(encode(&mut encoder, &whole.slice(place * 500, 500)));
    }
    for (message, codec) in messages[1..].iter().zip(codecs) {
        let header = arrow_ipc::root_as_message(&message.data_header).unwrap();
        let compression = header.header_as_record_batch().unwrap().compression().map(|body| body.codec());
        assert_eq!(compression, codec.compression());
    }
    compare(&whole, &messages);
}

#[test]
fn rows_without_columns_are_counted() {
    let rows = RecordBatchOptions::new().with_row_count(Some(12_345));
    let none = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &rows).unwrap();
    for codec in Codec::ALL {
        assert_eq!(sent(&none, codec).len(), 1);
    }
}

#[test]
fn what_does_not_fit_the_schema_is_an_error_that_names_the_column() {
    let numbers = single(Arc::new(Int64Array::from(vec![1])));
    let texts = single(Arc::new(StringArray::from(vec!["1"])));
    let mut encoder = Encoder::new(numbers.schema(), Codec::None).unwrap();
    let error = encoder.encode(&texts).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Internal, Some("c0")));
    let two = RecordBatch::try_from_iter(
        [("c0", numbers.column(0)), ("c1", numbers.column(0))].map(|(name, of)| (name, Arc::clone(of))),
    );
    assert_eq!(encoder.encode(&two.unwrap()).unwrap_err().kind(), ErrorKind::Internal);
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    for of in [dictionary.clone(), DataType::List(Arc::new(Field::new("item", dictionary, true)))] {
        let schema = Arc::new(Schema::new(vec![Field::new("d", of, true)]));
        assert_eq!(Encoder::new(schema, Codec::None).unwrap_err().column(), Some("d"));
    }
}

#[test]
fn bodies_begin_their_buffers_where_readers_need_not_move_them() {
    let mut dice = Dice(5);
    let whole = batch(&[DataType::Int8, DataType::Decimal128(38, 10), DataType::Utf8], 77, &mut dice);
    for message in sent(&whole, Codec::None) {
        let header = arrow_ipc::root_as_message(&message.data_header).unwrap();
        for buffer in header.header_as_record_batch().unwrap().buffers().unwrap() {
            assert_eq!(usize::try_from(buffer.offset()).unwrap() % ALIGNMENT, 0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_batches_arrive_as_they_were(
        types in prop::collection::vec(prop::sample::select(sendable()), 0..6),
        seed: u64,
        rows in 0..400_usize,
        begin in 0..100_usize,
        codec in prop::sample::select(Codec::ALL.to_vec()),
    ) {
        let mut dice = Dice(seed);
        let begin = begin.min(rows);
        let whole = batch(&types, rows, &mut dice);
        let slice = whole.slice(begin, (rows - begin).saturating_sub(dice.below(50)));
        sent(&slice, codec);
        sent_packed(&slice, codec);
    }

    #[test]
    fn large_arbitrary_columns_arrive_as_they_were(
        of in prop::sample::select(vec![
            DataType::Utf8View,
            DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))),
            DataType::FixedSizeList(Arc::new(Field::new("item", DataType::Utf8View, true)), 3),
        ]),
        seed: u64,
    ) {
        let column = array(&of, 30_000, &mut Dice(seed));
        prop_assert!(!sent(&single(column), Codec::None).is_empty());
    }
}
