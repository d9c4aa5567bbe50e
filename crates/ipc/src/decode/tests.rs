use arrow_array::builder::{StringDictionaryBuilder, StringViewBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, BinaryArray, BooleanArray, Decimal128Array, Decimal256Array, FixedSizeBinaryArray, Int16Array, Int64Array,
    IntervalMonthDayNanoArray, LargeStringArray, StringArray, TimestampMicrosecondArray,
};
use arrow_buffer::{IntervalMonthDayNano, i256};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
use arrow_schema::Schema;

use super::*;
use crate::{Body, Pool, arrange, pack};

/// Every message of a stream with this batch, as it arrives here.
fn messages(batch: &RecordBatch, options: &IpcWriteOptions) -> Vec<Message> {
    let generator = IpcDataGenerator::default();
    let mut tracker = DictionaryTracker::new(false);
    let schema = generator.schema_to_bytes_with_dictionary_tracker(batch.schema_ref(), &mut tracker, options);
    let (dictionaries, data) = generator.encode(batch, &mut tracker, options, &mut IpcWriteContext::default()).unwrap();
    let arrived = |data: arrow_ipc::writer::EncodedData| arrive(data.ipc_message, &data.arrow_data);
    std::iter::once(schema).chain(dictionaries).chain([data]).map(arrived).collect()
}

fn arrive(mut header: Vec<u8>, bytes: &[u8]) -> Message {
    let pieces = arrange(&mut header, bytes.len()).unwrap();
    let mut body = Body::new(bytes.len(), pieces, &Pool::default());
    bytes.chunks(1000).for_each(|chunk| body.push(chunk));
    Message { header, body: body.finish(), note: None }
}

fn sample() -> RecordBatch {
    let rows = 1000;
    let mut codes = StringDictionaryBuilder::<Int32Type>::new();
    let mut views = StringViewBuilder::new();
    for row in 0..rows {
        codes.append_value(["ash", "birch", "cedar"][row % 3]);
        views.append_value(format!("a text that is too long for a view {row}"));
    }
    let words = (0..rows).map(|row| (row % 7 > 0).then(|| "x".repeat(row % 50)));
    let columns: [(&str, ArrayRef); 5] = [
        ("n", Arc::new(Int64Array::from_iter((0..1000).map(|n| (n % 5 > 0).then_some(n))))),
        ("d", Arc::new(Decimal128Array::from_iter_values(0..1000).with_precision_and_scale(15, 2).unwrap())),
        ("t", Arc::new(words.collect::<StringArray>())),
        ("c", Arc::new(codes.finish())),
        ("v", Arc::new(views.finish())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Columns that are read without Arrow's own reader, with NULLs and without.
fn flat() -> RecordBatch {
    let is_some = |row: &i64| row % 3 > 0;
    let text = |row: i64| "ab".repeat(usize::try_from(row % 9).unwrap());
    let all = || 0..100_i64;
    let some = || all().map(|row| is_some(&row).then_some(row));
    let fixed = || all().map(|row| is_some(&row).then(|| row.to_le_bytes()));
    let columns: [(&str, ArrayRef); 12] = [
        ("n", Arc::new(Int64Array::from_iter(some()))),
        ("i", Arc::new(Int16Array::from_iter_values((0..100).rev()))),
        ("b", Arc::new(BooleanArray::from_iter(some().map(|row| row.map(|row| row % 2 > 0))))),
        (
            "d",
            Arc::new(
                Decimal128Array::from_iter_values((0..100).map(i128::from)).with_precision_and_scale(15, 2).unwrap(),
            ),
        ),
        ("w", Arc::new(Decimal256Array::from_iter(some().map(|row| row.map(|row| i256::from_i128(row.into())))))),
        ("z", Arc::new(TimestampMicrosecondArray::from_iter(some()).with_timezone("UTC"))),
        (
            "m",
            Arc::new(IntervalMonthDayNanoArray::from_iter_values(
                (0..100).map(|row| IntervalMonthDayNano::new(row, 1, 2)),
            )),
        ),
        ("f", Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed(), 8).unwrap())),
        ("t", Arc::new(StringArray::from_iter(all().map(|row| is_some(&row).then(|| text(row)))))),
        ("u", Arc::new(StringArray::from_iter_values(all().map(|row| format!("{row} €"))))),
        ("l", Arc::new(LargeStringArray::from_iter_values(all().map(text)))),
        ("y", Arc::new(BinaryArray::from_iter(all().map(|row| is_some(&row).then_some([0xff; 3]))))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn decode(messages: &[Message]) -> Result<Vec<RecordBatch>, Refused> {
    let (first, rest) = messages.split_first().unwrap();
    let mut decoder = Decoder::new(&first.header, 1 << 20).map_err(Refused::Broken)?;
    rest.iter().filter_map(|message| decoder.decode(message).transpose()).collect()
}

/// The stream with this batch packed.
fn packed(batch: &RecordBatch, options: &IpcWriteOptions) -> Vec<Message> {
    let (packed, note) = pack(batch).unwrap().unwrap();
    let mut stream = messages(batch, options);
    stream.truncate(1);
    stream.push(Message { note: Some(note), ..messages(&packed, options).remove(1) });
    stream
}

#[test]
fn batches_arrive_as_they_were_sent() {
    for sample in [sample(), flat(), flat().slice(7, 20), flat().slice(0, 0)] {
        arrives(&sample);
    }
    let empty = RecordBatch::new_empty(Arc::new(Schema::empty()));
    assert!(decode(&messages(&empty, &IpcWriteOptions::default())).is_ok());
}

fn arrives(sample: &RecordBatch) {
    for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        for alignment in [8, 64] {
            let options = IpcWriteOptions::try_new(alignment, false, arrow_ipc::MetadataVersion::V5).unwrap();
            let options = options.try_with_compression(compression).unwrap();
            let batches = decode(&messages(sample, &options)).unwrap();
            assert_eq!(batches.as_slice(), std::slice::from_ref(sample));
        }
    }
}

#[test]
fn values_are_not_copied_again() {
    let options = IpcWriteOptions::try_new(8, false, arrow_ipc::MetadataVersion::V5).unwrap();
    for (sample, names) in [(sample(), "ndtv"), (flat(), "nibdwzmftuly")] {
        let messages = messages(&sample, &options);
        let body = messages.last().unwrap().body.as_ptr_range();
        let batches = decode(&messages).unwrap();
        for name in names.split_inclusive(|_| true) {
            let data = batches[0].column_by_name(name).unwrap().to_data();
            assert!(data.buffers().iter().all(|buffer| body.contains(&buffer.as_ptr())), "{name} was copied");
        }
    }
}

/// Whether a stream is read; what is read must be what Arrow would let pass.
fn is_read(messages: &[Message]) -> bool {
    let Ok(batches) = decode(messages) else { return false };
    batches.iter().flat_map(RecordBatch::columns).for_each(|column| column.to_data().validate_full().unwrap());
    true
}

/// Offsets and texts are checked here and not by Arrow: what passes must be what Arrow would let pass.
#[test]
fn no_byte_of_a_body_makes_an_array_that_is_none() {
    let sound = messages(&flat().slice(0, 20), &IpcWriteOptions::default());
    let (mut passed, mut refused) = (0, 0);
    for place in 0..sound[1].body.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut copies = sound.clone();
            let mut body = copies[1].body.to_vec();
            body[place] = value;
            copies[1].body = body.into();
            *(if is_read(&copies) { &mut passed } else { &mut refused }) += 1;
        }
    }
    assert!(refused > 500 && passed > 500, "{refused} were refused, {passed} passed");
}

#[test]
fn a_batch_of_more_rows_than_anybody_sends_is_refused() {
    // The metadata behind the body: nobody has looked at it.
    let mut messages = messages(&flat(), &IpcWriteOptions::default());
    let header = &mut messages[1].header;
    let rows = 100_i64.to_le_bytes();
    let places: Vec<usize> = (0..header.len() - 8).filter(|at| header[*at..].starts_with(&rows)).collect();
    for place in places {
        header[place..place + 8].copy_from_slice(&i64::MAX.to_le_bytes());
    }
    let refused = decode(&messages).unwrap_err().to_string();
    assert!(refused.contains("a batch of 9223372036854775807 rows"), "{refused}");
}

#[test]
fn no_byte_makes_it_panic() {
    let options = IpcWriteOptions::default();
    let plain = messages(&sample().slice(0, 10), &options);
    let sample = sample().project(&[0, 2]).unwrap();
    let packed = packed(&sample.slice(0, 10), &options);
    assert!(decode(&packed).is_ok());
    let mut failures = 0;
    for sound in [plain, packed, messages(&flat().slice(0, 10), &options)] {
        for broken in 0..sound.len() {
            for place in 0..sound[broken].header.len() {
                for value in [0, 1, 0x7f, 0x80, 0xff] {
                    let mut copies = sound.clone();
                    copies[broken].header[place] = value;
                    let size = copies[broken].body.len();
                    let mut header = copies[broken].header.clone();
                    // Either the metadata is refused, or what it says is read or refused.
                    match arrange(&mut header, size) {
                        Err(_) => failures += 1,
                        Ok(_) => failures += usize::from(decode(&copies).is_err()),
                    }
                }
            }
        }
    }
    assert!(failures > 100, "only {failures} were refused");
}

#[test]
fn packed_batches_arrive_as_they_were() {
    let flat = flat();
    for sample in [flat.clone(), flat.slice(7, 20), flat.slice(0, 0)] {
        for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
            let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
            assert_eq!(decode(&packed(&sample, &options)).unwrap().as_slice(), std::slice::from_ref(&sample));
        }
    }
}

/// What stands beside a batch is a stranger's word, too.
#[test]
fn no_byte_of_a_note_makes_an_array_that_is_none() {
    let sound = packed(&flat().slice(0, 20), &IpcWriteOptions::default());
    let note = sound[1].note.clone().unwrap();
    let (mut passed, mut refused) = (0, 0);
    for length in 0..note.len() {
        let mut copies = sound.clone();
        copies[1].note = Some(note[..length].to_vec());
        assert!(decode(&copies).is_err(), "a note of {length} bytes");
    }
    for place in 0..note.len() {
        for value in 0..=u8::MAX {
            let mut copies = sound.clone();
            copies[1].note.as_mut().unwrap()[place] = value;
            *(if is_read(&copies) { &mut passed } else { &mut refused }) += 1;
        }
    }
    assert!(refused > 500 && passed > 100, "{refused} were refused, {passed} passed");
}

#[test]
fn numbers_that_are_packed_may_not_become_too_large() {
    // Three planes of 1 MiB each, and 16 bytes a number.
    let numbers = Decimal128Array::from_iter_values((0..1 << 20).map(|n| 4 * n)).with_precision_and_scale(38, 0);
    let batch = RecordBatch::try_from_iter([("d", Arc::new(numbers.unwrap()) as ArrayRef)]).unwrap();
    let error = decode(&packed(&batch, &IpcWriteOptions::default())).map(|_| ());
    assert_eq!(error, Ok(()), "as much as is allowed");
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    let error = decode(&packed(&batch, &options)).unwrap_err();
    assert_eq!(error, Refused::TooLarge { bytes: 19 << 20, limit: 16 << 20 });
}

#[test]
fn what_would_become_too_large_is_refused() {
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    let zeros: ArrayRef = Arc::new(Int64Array::from(vec![0; 4 << 20]));
    let batch = RecordBatch::try_from_iter([("n", zeros)]).unwrap();
    let messages = messages(&batch, &options);
    assert!(messages[1].body.len() < 1 << 20);
    let error = decode(&messages).unwrap_err();
    assert_eq!(error, Refused::TooLarge { bytes: 32 << 20, limit: 16 << 20 });
}
