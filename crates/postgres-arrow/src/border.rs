//! The functions that C calls, as `postgres-extension/src/bowshot_arrow.h` declares them.
//!
//! Each entry catches what panics, so that nothing unwinds into C, and leaves an error in the stream, where C fetches it.
#![allow(unsafe_code, reason = "a border to C; every block says what C promises")]

use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::slice;

use arrow_buffer::Buffer;
use arrow_ipc::CompressionType;
use bowshot_core::{Error, ErrorKind, Impossible, Result};
use bowshot_postgres_values::{Attribute, CatalogType, Described, Kind};

use crate::memory::RawColumn;
use crate::stream::{Settings, Stream};

/// `BowshotSettings`.
#[repr(C)]
pub struct RawSettings {
    batch_bytes: usize,
    /// 0: none, 1: LZ4 frames, 2: ZSTD.
    compression: u8,
    infinity_is_null: bool,
    money_scale: u8,
}

/// `BowshotDescribed`.
#[repr(C)]
pub struct RawDescribed {
    name: *const c_char,
    oid: u32,
    modifier: i32,
    dimensions: u32,
    not_null: bool,
}

/// `BowshotAttribute`.
#[repr(C)]
pub struct RawAttribute {
    name: *const c_char,
    oid: u32,
    modifier: i32,
    dimensions: u32,
}

/// `BowshotType`.
#[repr(C)]
pub struct RawType {
    name: *const c_char,
    oid: u32,
    /// `b`: nothing else, `a`: array, `e`: enum, `d`: domain, `c`: composite, `r`: range, `m`: multirange.
    kind: c_char,
    part: u32,
    modifier: i32,
    labels: *const *const c_char,
    label_oids: *const u32,
    labels_count: usize,
    attributes: *const RawAttribute,
    attributes_count: usize,
}

/// `BowshotBatch`.
#[repr(C)]
pub struct RawBatch {
    columns: *mut RawColumn,
    columns_count: usize,
    rows_most: usize,
    bytes_most: usize,
    row_bytes: usize,
}

/// `BowshotPiece`.
#[repr(C)]
pub struct RawPiece {
    bytes: *const u8,
    length: usize,
}

/// `BowshotPieces`.
#[repr(C)]
pub struct RawPieces {
    pieces: *const RawPiece,
    count: usize,
}

/// `BowshotError`.
#[repr(C)]
pub struct RawError {
    /// Five characters, or none.
    sqlstate: *const c_char,
    message: *const c_char,
    column: *const c_char,
    hint: *const c_char,
}

/// What C holds of a stream.
pub struct Handle {
    stream: Stream,
    pieces: Vec<RawPiece>,
    /// SQLSTATE, message, column, hint.
    error: [Option<CString>; 4],
}

impl Handle {
    /// Runs `work`; false, with the error kept, where it fails or panics.
    fn run(&mut self, work: impl FnOnce(&mut Stream) -> Result<()>) -> bool {
        let stream = &mut self.stream;
        let panicked = |_| Err(Error::new(ErrorKind::Internal, "Bowshot's extension panicked; please report this"));
        let outcome = catch_unwind(AssertUnwindSafe(|| work(stream))).unwrap_or_else(panicked);
        let Err(error) = outcome else { return true };
        let text = |text: &str| CString::new(text.replace('\0', "")).ok();
        let sqlstate = error.sqlstate().unwrap_or(sqlstate(error.kind()));
        self.error =
            [text(sqlstate), text(error.message()), error.column().and_then(text), error.hint().and_then(text)];
        false
    }

    fn send(&mut self, work: impl FnOnce(&mut Stream) -> Result<&[Buffer]>) -> bool {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        let done = self.run(|stream| {
            let sending = work(stream)?;
            pieces.extend(sending.iter().map(|piece| RawPiece { bytes: piece.as_ptr(), length: piece.len() }));
            Ok(())
        });
        self.pieces = pieces;
        done
    }
}

/// PostgreSQL's own codes for what can go wrong here.
fn sqlstate(kind: ErrorKind) -> &'static str {
    match kind {
        // numeric_value_out_of_range, feature_not_supported, invalid_parameter_value, data_corrupted, internal_error.
        ErrorKind::Value => "22003",
        ErrorKind::Unsupported => "0A000",
        ErrorKind::Config => "22023",
        ErrorKind::Protocol => "XX001",
        _ => "XX000",
    }
}

/// Text of C's that a zero ends.
///
/// # Safety
/// `text` points to such text.
unsafe fn text(text: *const c_char) -> String {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// An array of C's; the pointer of an empty one means nothing.
///
/// # Safety
/// `first` points to `count` values that stay as they are while the slice is in use.
unsafe fn array<'a, T>(first: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if count == 0 { &[] } else { unsafe { slice::from_raw_parts(first, count) } }
}

/// A new stream, to be freed with [`bowshot_arrow_free`]; NULL where it cannot be made.
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_new(settings: RawSettings) -> *mut Handle {
    let settings = Settings {
        batch_bytes: settings.batch_bytes,
        compression: match settings.compression {
            1 => Some(CompressionType::LZ4_FRAME),
            2 => Some(CompressionType::ZSTD),
            _ => None,
        },
        infinity: if settings.infinity_is_null { Impossible::Null } else { Impossible::Error },
        money_scale: i8::try_from(settings.money_scale).unwrap_or(2),
    };
    let new = || {
        Box::into_raw(Box::new(Handle { stream: Stream::new(settings), pieces: Vec::new(), error: Default::default() }))
    };
    catch_unwind(new).unwrap_or(ptr::null_mut())
}

/// Frees a stream and all memory that it lent.
///
/// # Safety
/// `handle` comes from [`bowshot_arrow_new`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bowshot_arrow_free(handle: *mut Handle) {
    // SAFETY: the caller's promise.
    let freed = AssertUnwindSafe(|| drop(unsafe { Box::from_raw(handle) }));
    let _ = catch_unwind(freed);
}

/// What went wrong last; valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_error(handle: &Handle) -> RawError {
    let [sqlstate, message, column, hint] =
        handle.error.each_ref().map(|text| text.as_deref().map_or(ptr::null(), CStr::as_ptr));
    RawError { sqlstate, message, column, hint }
}

/// Adds a column, in the order of the result.
///
/// # Safety
/// The name is text that a zero ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bowshot_arrow_describe(handle: &mut Handle, described: &RawDescribed) -> bool {
    handle.run(|stream| {
        // SAFETY: the caller's promise.
        let name = unsafe { text(described.name) };
        let dimensions = usize::try_from(described.dimensions).unwrap_or_default();
        let (oid, modifier) = (described.oid, described.modifier);
        stream.describe(Described { name, oid, modifier, origin: None }, dimensions, described.not_null);
        Ok(())
    })
}

/// The OID of a type that [`bowshot_arrow_know_type`] has to explain; 0 when none is left.
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_unknown_type(handle: &mut Handle) -> u32 {
    let mut unknown = 0;
    handle.run(|stream| {
        unknown = stream.unknown_type().unwrap_or(0);
        Ok(())
    });
    unknown
}

/// Explains a type.
///
/// # Safety
/// The texts end with zeros, the arrays have as many entries as their counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bowshot_arrow_know_type(handle: &mut Handle, found: &RawType) -> bool {
    handle.run(|stream| {
        let kind = match u8::try_from(found.kind).unwrap_or(0) {
            b'a' => Kind::Array(found.part),
            b'e' => {
                // SAFETY: the caller's promise.
                let oids = unsafe { array(found.label_oids, found.labels_count) };
                stream.know_labels(found.oid, oids);
                // SAFETY: the caller's promise.
                Kind::Enumeration(unsafe { labels(found) })
            }
            b'd' => Kind::Domain(found.part, found.modifier),
            // SAFETY: the caller's promise.
            b'c' => Kind::Composite(unsafe { attributes(found) }),
            b'r' => Kind::Range(found.part),
            b'm' => Kind::Multirange(found.part),
            _ => Kind::Scalar,
        };
        // SAFETY: the caller's promise.
        let name = unsafe { text(found.name) };
        // C calls output functions by itself, so that their names matter to nobody.
        stream.know_type(found.oid, CatalogType { name, kind, output: String::new() });
        Ok(())
    })
}

/// # Safety
/// As of [`bowshot_arrow_know_type`].
unsafe fn labels(found: &RawType) -> Vec<String> {
    // SAFETY: the caller's promise.
    unsafe { array(found.labels, found.labels_count).iter().map(|&label| text(label)).collect() }
}

/// # Safety
/// As of [`bowshot_arrow_know_type`].
unsafe fn attributes(found: &RawType) -> Vec<Attribute> {
    // SAFETY: the caller's promise.
    let attributes = unsafe { array(found.attributes, found.attributes_count) };
    let attribute = |attribute: &RawAttribute| Attribute {
        // SAFETY: the caller's promise.
        name: unsafe { text(attribute.name) },
        oid: attribute.oid,
        modifier: attribute.modifier,
        dimensions: usize::try_from(attribute.dimensions).unwrap_or_default(),
    };
    attributes.iter().map(attribute).collect()
}

/// Chooses how each column is handed over and makes room for the first batch.
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_start(handle: &mut Handle) -> bool {
    handle.run(Stream::start)
}

/// The memory of the batch that is to be filled; valid until the next call that fails, clears or frees.
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_room(handle: &mut Handle) -> RawBatch {
    let stream = &mut handle.stream;
    let (rows_most, bytes_most, row_bytes) = (stream.rows_most(), stream.bytes_most(), stream.row_bytes());
    let columns = stream.columns();
    RawBatch { columns: columns.as_mut_ptr(), columns_count: columns.len(), rows_most, bytes_most, row_bytes }
}

/// Makes room for `more` bytes in a column whose values have no fixed length; its entry has the new places.
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_grow(handle: &mut Handle, column: usize, more: usize) -> bool {
    handle.run(|stream| stream.grow(column, more))
}

/// Makes a decimal of a `numeric` as it lies on disk, where 64 bits would not do.
///
/// # Safety
/// `disk` has `length` bytes, and `unscaled` room for sixteen.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bowshot_arrow_decimal(
    handle: &mut Handle,
    column: usize,
    disk: *const u8,
    length: usize,
    unscaled: *mut u8,
) -> bool {
    handle.run(|stream| {
        // SAFETY: the caller's promise.
        let number = stream.decimal(column, unsafe { array(disk, length) })?;
        // SAFETY: the caller's promise.
        unsafe { unscaled.cast::<i128>().write_unaligned(number) };
        Ok(())
    })
}

/// Encodes what every part of a shared result begins with into the pieces of [`bowshot_arrow_pieces`].
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_head(handle: &mut Handle) -> bool {
    handle.send(Stream::head)
}

/// Encodes `rows` rows into the pieces of [`bowshot_arrow_pieces`].
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_batch(handle: &mut Handle, rows: usize) -> bool {
    handle.send(|stream| stream.batch(rows))
}

/// Encodes the end of the stream into the pieces of [`bowshot_arrow_pieces`].
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_finish(handle: &mut Handle) -> bool {
    handle.send(Stream::finish)
}

/// What is to be sent, in its order; valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_pieces(handle: &Handle) -> RawPieces {
    RawPieces { pieces: handle.pieces.as_ptr(), count: handle.pieces.len() }
}

/// Makes room for the next batch, once the pieces were sent.
#[unsafe(no_mangle)]
pub extern "C" fn bowshot_arrow_clear(handle: &mut Handle) -> bool {
    handle.pieces.clear();
    handle.run(Stream::clear)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle() -> Box<Handle> {
        let settings = RawSettings { batch_bytes: 1000, compression: 0, infinity_is_null: false, money_scale: 2 };
        // SAFETY: it was made of a box, just now.
        unsafe { Box::from_raw(bowshot_arrow_new(settings)) }
    }

    /// The texts of the last error.
    fn error(handle: &Handle) -> [Option<String>; 4] {
        let error = bowshot_arrow_error(handle);
        // SAFETY: texts of the handle's own, which lives.
        [error.sqlstate, error.message, error.column, error.hint]
            .map(|part| (!part.is_null()).then(|| unsafe { text(part) }))
    }

    #[test]
    fn errors_are_kept_for_c() {
        let mut handle = handle();
        let failed =
            handle.run(|_| Err(Error::new(ErrorKind::Value, "too\0 large").with_column("n").with_hint("cast it")));
        assert!(!failed);
        assert_eq!(error(&handle), ["22003", "too large", "n", "cast it"].map(|part| Some(part.to_owned())));
        assert!(!bowshot_arrow_batch(&mut handle, 1));
        assert_eq!(error(&handle)[1].as_deref(), Some("the stream was not started, or has ended"));
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let mut handle = handle();
        assert!(!handle.run(|_| panic!("on purpose")));
        let [sqlstate, message, ..] = error(&handle);
        assert_eq!(sqlstate.as_deref(), Some("XX000"));
        assert!(message.unwrap().contains("panicked"));
    }

    #[test]
    fn c_describes_fills_and_sends() {
        let mut handle = handle();
        let described = RawDescribed { name: c"id".as_ptr(), oid: 23, modifier: -1, dimensions: 0, not_null: true };
        // SAFETY: the name ends with a zero.
        assert!(unsafe { bowshot_arrow_describe(&mut handle, &described) });
        assert_eq!(bowshot_arrow_unknown_type(&mut handle), 0);
        assert!(bowshot_arrow_start(&mut handle));
        let room = bowshot_arrow_room(&mut handle);
        assert!(room.columns_count == 1 && room.rows_most >= 2 && room.row_bytes == 5);
        // SAFETY: there is one column with room for two values of four bytes.
        unsafe { (*room.columns).values.cast::<[i32; 2]>().write([7, 8]) };
        assert!(bowshot_arrow_batch(&mut handle, 2));
        let ready = bowshot_arrow_pieces(&handle);
        // SAFETY: what the handle lends until the next call.
        let pieces = unsafe { array(ready.pieces, ready.count) };
        let bytes: Vec<u8> =
            // SAFETY: as before.
            pieces.iter().flat_map(|piece| unsafe { array(piece.bytes, piece.length) }).copied().collect();
        assert!(bytes.windows(8).any(|window| window == [7, 0, 0, 0, 8, 0, 0, 0]));
        assert!(bowshot_arrow_clear(&mut handle) && bowshot_arrow_finish(&mut handle));
    }
}
