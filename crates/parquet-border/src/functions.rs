//! What C and the JVM call.

use std::path::Path;

use bowshot_border::{Reply, Texts, borrow, close, handle, request};
use bowshot_core::{Error, ErrorKind, Result, contained};
use bowshot_parquet_writer::{FileWriter, Options};
use parking_lot::Mutex;

use crate::foreign;

/// A writer, until its file is whole.
type Open = Mutex<Option<FileWriter>>;

bowshot_border::methods! {
    /// Begins a file. The request has its path and then the [options](Options::from_texts), each as a name and a value; `schema` is the
    /// address of an `ArrowSchema`, which the caller releases. Answers a handle.
    fn bowshot_parquet_open, Java_io_bowshot_parquet_Native_open(text: i64, length: i64, schema: i64) {
        // SAFETY: the caller has a request and a schema there.
        unsafe { open(text, length, schema) }
    }

    /// Writes the rows of an `ArrowArray` at the address `array`, which the function takes over. `schema` is the address of its
    /// `ArrowSchema`, which the caller releases, or 0 where that is known to be the writer's. Answers how many rows the file has.
    fn bowshot_parquet_write, Java_io_bowshot_parquet_Native_write(writer: i64, array: i64, schema: i64) {
        // SAFETY: the caller has a handle, an array, and its schema or none.
        unsafe { write(writer, array, schema) }
    }

    /// Ends the file and lets go of the handle, also where it fails. Answers its rows, and the texts of its row groups and bytes.
    fn bowshot_parquet_finish, Java_io_bowshot_parquet_Native_finish(writer: i64) {
        // SAFETY: the caller gives up its handle.
        unsafe { finish(writer) }
    }

    /// Gives the file up and lets go of the handle: nothing of the file is left.
    fn bowshot_parquet_abort, Java_io_bowshot_parquet_Native_abort(writer: i64) {
        // SAFETY: the caller gives up its handle.
        unsafe { abort(writer) };
        Ok(Reply::value(0))
    }
}

/// Begins a file, as [`bowshot_parquet_open`] does, for the border of another library.
///
/// # Errors
/// Those of [`FileWriter::create`].
///
/// # Safety
/// A request and an `ArrowSchema` are at the addresses.
#[expect(unsafe_code, reason = "the caller's memory")]
pub unsafe fn open(text: i64, length: i64, schema: i64) -> Result<Reply> {
    // SAFETY: the caller says so.
    let (texts, schema) = unsafe { (request(text, length)?, foreign::schema(schema)?) };
    let path = Path::new(texts.text(0)?);
    let options = Options::from_texts(pairs(&texts.texts_from(1)?)?)?;
    let writer = FileWriter::create(path, &schema, &options)?;
    Ok(Reply::value(handle::<Open>(Mutex::new(Some(writer)))))
}

/// Writes a batch, as [`bowshot_parquet_write`] does.
///
/// # Errors
/// A batch of another schema, or a value that the file cannot hold; the file is given up.
///
/// # Safety
/// `writer` is a handle of [`open`] that is not let go of, and an `ArrowArray` is at the address, of the `ArrowSchema` at the other, or of
/// the writer's where that is 0.
#[expect(unsafe_code, reason = "the caller's memory")]
pub unsafe fn write(writer: i64, array: i64, schema: i64) -> Result<Reply> {
    // SAFETY: the caller says so.
    let writer = unsafe { borrow::<Open>(writer)? };
    let mut writer = writer.lock();
    let writer = writer.as_mut().ok_or_else(finished)?;
    // SAFETY: the caller says so; the array is released even where it is refused.
    let batch = contained(|| unsafe { foreign::take(array, schema, writer.schema()) });
    let batch = batch.unwrap_or_else(|words| Err(panicked(words)));
    if let Err(error) = batch.and_then(|batch| writer.write(&batch)) {
        // A refused batch gives the file up, as a failed one does.
        writer.abort();
        return Err(error);
    }
    Ok(Reply::value(i64::try_from(writer.rows()).unwrap_or(i64::MAX)))
}

/// Ends a file, as [`bowshot_parquet_finish`] does.
///
/// # Errors
/// Those of [`FileWriter::finish`].
///
/// # Safety
/// `writer` is a handle of [`open`] that is not let go of, and not used again.
#[expect(unsafe_code, reason = "the caller's memory")]
pub unsafe fn finish(writer: i64) -> Result<Reply> {
    // SAFETY: the caller says so.
    let open = unsafe {
        let open = borrow::<Open>(writer)?;
        close::<Open>(writer);
        open
    };
    let summary = open.lock().take().ok_or_else(finished)?.finish()?;
    let mut texts = Texts::default();
    texts.push(summary.row_groups.to_string());
    texts.push(summary.bytes.to_string());
    Ok(Reply { value: i64::try_from(summary.rows).unwrap_or(i64::MAX), texts })
}

/// Gives a file up, as [`bowshot_parquet_abort`] does.
///
/// # Safety
/// `writer` is a handle of [`open`] that is not let go of, and not used again.
#[expect(unsafe_code, reason = "the caller's memory")]
pub unsafe fn abort(writer: i64) {
    // SAFETY: the caller gives up its handle.
    unsafe { close::<Open>(writer) };
}

/// Takes back the bytes of an answer.
///
/// # Safety
/// They are those of an [`Answer`](bowshot_border::Answer) of this library, and freed once.
#[expect(unsafe_code, reason = "called by C")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bowshot_parquet_free(bytes: *mut u8, length: i64) {
    // SAFETY: the caller keeps the same promises.
    unsafe { bowshot_border::free(bytes, length) }
}

/// The same for the JVM.
///
/// # Safety
/// As for the function that C calls; the first two pointers are the JVM's, and not looked at.
#[expect(unsafe_code, reason = "called by the JVM, which finds it by this name")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_bowshot_parquet_Native_free(
    _environment: *const std::ffi::c_void,
    _class: *const std::ffi::c_void,
    bytes: i64,
    length: i64,
) {
    let bytes = std::ptr::with_exposed_provenance_mut(usize::try_from(bytes).unwrap_or_default());
    // SAFETY: the caller keeps the same promises.
    unsafe { bowshot_parquet_free(bytes, length) }
}

fn pairs<'a>(texts: &[&'a str]) -> Result<Vec<(&'a str, &'a str)>> {
    let (pairs, rest) = texts.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::new(ErrorKind::Internal, "a request has an option without a value"));
    }
    Ok(pairs.iter().map(|[name, value]| (*name, *value)).collect())
}

/// Arrow's import panics over some arrays that break its rules.
fn panicked(words: Option<String>) -> Error {
    let words = words.unwrap_or_else(|| "nobody knows why".to_owned());
    Error::new(ErrorKind::Value, format!("the batch is no valid Arrow data: {words}"))
        .with_hint("export a VectorSchemaRoot of the schema that the writer was opened with")
}

fn finished() -> Error {
    Error::new(ErrorKind::Config, "the file is finished").with_hint("open a new writer")
}
