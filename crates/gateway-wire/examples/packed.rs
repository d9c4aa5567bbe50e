//! How many bytes a result takes on the wire, as Arrow and packed: decision 0012's figures.
//!
//! Reads an Arrow stream from standard input, which PostgreSQL with Bowshot's extension writes:
//!
//! `psql -qc "LOAD 'bowshot'" -c "COPY lineitem TO STDOUT (FORMAT arrow)" | cargo run --release -p bowshot-gateway-wire --example packed`
#![expect(clippy::disallowed_types, reason = "whoever runs the example names the file")]
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement for the terminal")]

use std::io::{BufReader, stdin};
use std::time::{Duration, Instant};

use arrow_ipc::reader::StreamReader;
use bowshot_gateway_wire::{Codec, Encoder, Message, body_bytes};

fn main() {
    let reader = StreamReader::try_new(BufReader::new(stdin()), None).unwrap();
    let schema = reader.schema();
    let forms = Codec::ALL.into_iter().flat_map(|codec| [(codec, false), (codec, true)]);
    let encoder = |codec, packed| Encoder::new(schema.clone(), codec).unwrap().for_packed(packed);
    let mut all: Vec<_> =
        forms.map(|(codec, packed)| (codec, packed, encoder(codec, packed), 0, Duration::ZERO)).collect();
    let (mut rows, mut bytes) = (0, 0);
    for batch in reader {
        let batch = batch.unwrap();
        rows += batch.num_rows();
        bytes += body_bytes(&batch);
        for (.., encoder, sent, took) in &mut all {
            let start = Instant::now();
            let messages = encoder.encode(&batch).unwrap();
            *took += start.elapsed();
            *sent += messages.iter().map(Message::encoded_len).sum::<usize>();
        }
    }
    println!("{rows} rows, {} of Arrow", megabytes(bytes));
    for (codec, packed, _, sent, took) in all {
        let form = if packed { "packed" } else { "Arrow" };
        println!("{codec}, {form}: {}, encoded in {:.2} s", megabytes(sent), took.as_secs_f64());
    }
}

fn megabytes(bytes: usize) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}
