//! How many bytes a result takes on the wire, with offsets and with lengths: decision 0012's figures.
//!
//! Reads an Arrow stream from standard input, which PostgreSQL with Bowshot's extension writes:
//!
//! `psql -qc "LOAD 'bowshot'" -c "COPY lineitem TO STDOUT (FORMAT arrow)" | cargo run --release -p bowshot-gateway-wire --example lengths`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement for the terminal")]

use std::io::{BufReader, stdin};

use arrow_ipc::reader::StreamReader;
use bowshot_gateway_wire::{Codec, Encoder, body_bytes};

fn main() {
    let reader = StreamReader::try_new(BufReader::new(stdin()), None).unwrap();
    let schema = reader.schema();
    let forms = Codec::ALL.into_iter().flat_map(|codec| [(codec, false), (codec, true)]);
    let encoder = |codec, lengths| Encoder::new(schema.clone(), codec).unwrap().for_lengths(lengths);
    let mut all: Vec<_> = forms.map(|(codec, lengths)| (codec, lengths, encoder(codec, lengths), 0)).collect();
    let (mut rows, mut bytes) = (0, 0);
    for batch in reader {
        let batch = batch.unwrap();
        rows += batch.num_rows();
        bytes += body_bytes(&batch);
        for (.., encoder, sent) in &mut all {
            let messages = encoder.encode(&batch).unwrap();
            *sent += messages.iter().map(|message| message.data_header.len() + message.data_body.len()).sum::<usize>();
        }
    }
    println!("{rows} rows, {} of Arrow", megabytes(bytes));
    for (codec, lengths, _, sent) in all {
        println!("{codec}, {}: {}", if lengths { "lengths" } else { "offsets" }, megabytes(sent));
    }
}

fn megabytes(bytes: usize) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}
