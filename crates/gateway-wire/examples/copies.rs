//! What writing messages costs, next to copying the same bytes once.
//!
//! `cargo run --release -p bowshot-gateway-wire --example copies`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement for the terminal")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_flight::FlightData;
use bowshot_gateway_wire::{Codec, Encoder, Message, body_bytes};
use prost::Message as _;

/// So many batches, so that they do not fit into a cache.
const BATCHES: i64 = 256;
const ROWS: i64 = 16_384;

fn main() {
    let batches: Vec<RecordBatch> = (0..BATCHES).map(batch).collect();
    let bytes: usize = batches.iter().map(body_bytes).sum();
    println!("{BATCHES} batches of {} KiB", bytes / batches.len() / 1024);

    let mut target = vec![0_u8; 4 << 20];
    let copy = best(|| batches.iter().for_each(|batch| copied(batch, &mut target)));
    report("copied once", copy, copy);

    for codec in Codec::ALL {
        let mut encoder = Encoder::new(batches.first().unwrap().schema(), codec).unwrap();
        let mut sent = 0;
        let took = best(|| {
            sent = 0;
            for batch in &batches {
                let messages = encoder.encode(batch).unwrap();
                sent += messages.iter().map(Message::body_len).sum::<usize>();
                black_box(&messages);
            }
        });
        report(&format!("encoded, {codec}, to {} %", sent * 100 / bytes), took, copy);
    }

    let mut encoder = Encoder::new(batches.first().unwrap().schema(), Codec::None).unwrap();
    let mut frame = Vec::with_capacity(4 << 20);
    let took = best(|| {
        for batch in &batches {
            for message in encoder.encode(batch).unwrap() {
                frame.clear();
                FlightData::from(message).encode(&mut frame).unwrap();
                black_box(&frame);
            }
        }
    });
    report("encoded, none, and into gRPC's own frame", took, copy);
    let took = best(|| {
        for batch in &batches {
            for message in encoder.encode(batch).unwrap() {
                black_box(bowshot_gateway_wire::frame(message).unwrap());
            }
        }
    });
    report("encoded, none, as the pieces of a frame", took, copy);
    let took = best(|| {
        for batch in &batches {
            black_box(arrow_flight_alone(batch));
        }
    });
    report("arrow-ipc alone, memory anew each time", took, copy);
}

fn batch(of: i64) -> RecordBatch {
    let rows = of * ROWS..(of + 1) * ROWS;
    let columns: [(&str, ArrayRef); 5] = [
        ("id", Arc::new(Int64Array::from_iter_values(rows.clone()))),
        ("day", Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| row % 2_557)))),
        (
            "price",
            Arc::new(Float64Array::from_iter_values(
                rows.clone().map(|row| f64::from(u32::try_from(row * 7_919 % 104_729).unwrap())),
            )),
        ),
        ("total", Arc::new(Decimal128Array::from_iter_values(rows.clone().map(|row| i128::from(row) * 37)))),
        ("note", Arc::new(StringArray::from_iter_values(rows.map(|row| format!("order {row} is on its way"))))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// All buffers of a batch, one after the other.
fn copied(batch: &RecordBatch, target: &mut [u8]) {
    let mut at = 0;
    for column in batch.columns() {
        for buffer in column.to_data().buffers() {
            target.get_mut(at..at + buffer.len()).unwrap().copy_from_slice(buffer);
            at += buffer.len();
        }
    }
    black_box(target);
}

fn arrow_flight_alone(batch: &RecordBatch) -> FlightData {
    use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
    let (mut dictionaries, mut context) = (DictionaryTracker::new(true), IpcWriteContext::default());
    let options = IpcWriteOptions::default();
    IpcDataGenerator::default().encode(batch, &mut dictionaries, &options, &mut context).unwrap().1.into()
}

/// The best of a few runs.
fn best(mut run: impl FnMut()) -> Duration {
    let times = (0..7).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    times.min().unwrap()
}

fn report(what: &str, took: Duration, copy: Duration) {
    println!(
        "{what:<42} {:>8.1} ms {:>6.2} x a copy",
        took.as_secs_f64() * 1e3,
        took.as_secs_f64() / copy.as_secs_f64()
    );
}
