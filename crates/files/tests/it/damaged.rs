//! Files that are cut off, and files in which bits have flipped: an error or a result, never a panic.

use std::path::Path;

use bowshot_core::{ErrorKind, Options};
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::direct::{flat, keeping};
use crate::support::*;

/// A generator of numbers that needs no crate: xorshift.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

/// How often each file is damaged.
const ROUNDS: usize = 400;

fn damage(path: &Path, query: &str) {
    damage_with(path, query, &Options { connections: Some(1), ..options() });
}

fn damage_with(path: &Path, query: &str, options: &Options) {
    let whole = std::fs::read(path).unwrap();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut failed = 0;
    for round in 0..ROUNDS {
        let mut bytes = whole.clone();
        for _ in 0..=round % 4 {
            // Half of the damage is done to the footer, which decides most.
            let from = if round % 2 == 0 { 0 } else { bytes.len() - bytes.len() / 8 };
            let place = from + numbers.next(bytes.len() - from);
            bytes[place] = match numbers.next(3) {
                0 => 0xff,
                1 => bytes[place] ^ (1 << numbers.next(8)),
                _ => numbers.next(256) as u8,
            };
        }
        std::fs::write(path, &bytes).unwrap();
        match read_with(&uri(path), query, options) {
            Ok(_) => {}
            Err(error) => {
                // An internal error would be a panic of a worker that nobody contained.
                assert_ne!(error.kind(), ErrorKind::Internal, "round {round}: {error}");
                failed += 1;
            }
        }
    }
    assert!(failed > ROUNDS / 8, "{failed}");
    for length in [0, 1, 5, 11, 100, whole.len() / 2, whole.len() - 100, whole.len() - 9] {
        std::fs::write(path, &whole[..length]).unwrap();
        let error = read_with(&uri(path), query, options).unwrap_err();
        assert_ne!(error.kind(), ErrorKind::Internal, "{length} bytes: {error}");
        assert!(error.to_string().contains(path.file_name().unwrap().to_str().unwrap()), "{error}");
    }
}

#[test]
fn parquet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    write_parquet(&path, &many_types(300), Default::default());
    damage(&path, "");
}

#[test]
fn parquet_that_comes_straight_from_its_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let keeping = Options { connections: Some(1), ..keeping() };
    let in_steps = Options { connections: Some(1), batch_bytes: 1, ..options() };
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties = WriterProperties::builder().set_writer_version(version).set_dictionary_page_size_limit(2_000);
        write_parquet(&path, &flat(500, |row| row % 3 != 1), properties.clone().build());
        damage_with(&path, "", &keeping);
        write_parquet(&path, &flat(1_100, |row| row % 3 != 1), properties.build());
        damage_with(&path, "", &in_steps);
    }
}

#[test]
fn arrow_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.arrow");
    for batch in [many_types(300), crate::arrow::without_children(300)] {
        crate::arrow::write_file(&path, &batch, 100, None);
        damage(&path, "");
    }
}

#[test]
fn compressed_arrow_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.feather");
    crate::arrow::write_file(&path, &many_types(300), 100, Some(arrow_ipc::CompressionType::LZ4_FRAME));
    damage(&path, "");
}

#[test]
fn arrow_streams() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.arrows");
    crate::arrow::write_stream(&path, &many_types(300));
    let whole = std::fs::read(&path).unwrap();
    damage(&path, "");
    // A stream may end without a mark, but not within a message.
    std::fs::write(&path, &whole[..whole.len() - 8]).unwrap();
    assert_eq!(read(&uri(&path), "").num_rows(), 310);
    std::fs::write(&path, &whole[..whole.len() - 100]).unwrap();
    assert_eq!(failure(&uri(&path), "").kind(), ErrorKind::Io);
}
