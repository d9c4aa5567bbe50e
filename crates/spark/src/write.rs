//! The functions by which Spark's tasks write Parquet files, as `io.bowshot.spark.write.Native`.
//!
//! The JVM lays out its rows as arrays of the Arrow C Data Interface, in memory of its own. A callback for the C Data Interface must be native: the
//! [one for arrays](release_array) sets the number 1 where the array's `private_data` points, by which the JVM sees that the memory is its own again.

use arrow_array::ffi::FFI_ArrowSchema;
use bowshot_border::{Reply, methods};
use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, Ordering};

/// An array of the C Data Interface, whose fields arrow-rs keeps to itself.
#[repr(C)]
struct RawArray {
    /// Length, NULLs, offset and buffers.
    sizes: [i64; 4],
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut RawArray,
    dictionary: *mut RawArray,
    release: Option<unsafe extern "C" fn(*mut RawArray)>,
    /// Where to set the number 1, or null.
    private_data: *mut AtomicI64,
}

methods! {
    /// The address of the callback for an `ArrowArray`.
    fn bowshot_spark_array_callback, Java_io_bowshot_spark_write_Native_arrayCallback() {
        let callback: unsafe extern "C" fn(*mut RawArray) = release_array;
        Ok(Reply::value(address(callback as *const c_void)))
    }

    /// The address of the callback for an `ArrowSchema`.
    fn bowshot_spark_schema_callback, Java_io_bowshot_spark_write_Native_schemaCallback() {
        let callback: unsafe extern "C" fn(*mut FFI_ArrowSchema) = release_schema;
        Ok(Reply::value(address(callback as *const c_void)))
    }

    /// Begins a file, as [`bowshot_parquet::open`] does.
    fn bowshot_spark_write_open, Java_io_bowshot_spark_write_Native_open(text: i64, length: i64, schema: i64) {
        // SAFETY: the caller has a request and a schema there.
        #[expect(unsafe_code, reason = "the caller's memory")]
        unsafe { bowshot_parquet::open(text, length, schema) }
    }

    /// Writes a batch of the file's schema, as [`bowshot_parquet::write`] does.
    fn bowshot_spark_write_batch, Java_io_bowshot_spark_write_Native_write(writer: i64, array: i64) {
        // SAFETY: the caller has a handle and an array.
        #[expect(unsafe_code, reason = "the caller's memory")]
        unsafe { bowshot_parquet::write(writer, array, 0) }
    }

    /// Ends a file, as [`bowshot_parquet::finish`] does.
    fn bowshot_spark_write_finish, Java_io_bowshot_spark_write_Native_finish(writer: i64) {
        // SAFETY: the caller gives up its handle.
        #[expect(unsafe_code, reason = "the caller's handle")]
        unsafe { bowshot_parquet::finish(writer) }
    }

    /// Gives a file up.
    fn bowshot_spark_write_abort, Java_io_bowshot_spark_write_Native_abort(writer: i64) {
        // SAFETY: the caller gives up its handle.
        #[expect(unsafe_code, reason = "the caller's handle")]
        unsafe { bowshot_parquet::abort(writer) };
        Ok(Reply::default())
    }
}

fn address(callback: *const c_void) -> i64 {
    i64::try_from(callback.expose_provenance()).unwrap_or_default()
}

/// Takes back the bytes of an answer.
///
/// # Safety
/// They are those of an answer of this library, and freed once; the first two pointers are the JVM's.
#[expect(unsafe_code, reason = "called by the JVM, which finds it by this name")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_io_bowshot_spark_write_Native_free(
    _environment: *const c_void,
    _class: *const c_void,
    bytes: i64,
    length: i64,
) {
    let bytes = std::ptr::with_exposed_provenance_mut(usize::try_from(bytes).unwrap_or_default());
    // SAFETY: the caller keeps the promises that are asked for.
    unsafe { bowshot_border::free(bytes, length) }
}

/// Releases an array whose memory is the JVM's, and its children.
///
/// # Safety
/// The array is one that the JVM made, and not released.
#[expect(unsafe_code, reason = "a callback of the C Data Interface")]
unsafe extern "C" fn release_array(array: *mut RawArray) {
    // SAFETY: the caller has the array, and the JVM keeps what it points at until it is told.
    unsafe {
        let array = &mut *array;
        for place in 0..usize::try_from(array.n_children).unwrap_or_default() {
            let child = *array.children.add(place);
            if let Some(release) = (*child).release {
                release(child);
            }
        }
        array.release = None;
        if let Some(told) = array.private_data.as_ref() {
            told.store(1, Ordering::Release);
        }
    }
}

/// Releases nothing: the JVM frees the memory of its schemas once it has given them.
#[expect(unsafe_code, reason = "a callback of the C Data Interface")]
unsafe extern "C" fn release_schema(_schema: *mut FFI_ArrowSchema) {}

#[cfg(test)]
#[expect(unsafe_code, reason = "the test is the JVM")]
mod tests {
    use super::*;

    fn array(children: &mut [*mut RawArray], told: *mut AtomicI64) -> RawArray {
        RawArray {
            sizes: [0; 4],
            n_children: children.len().try_into().unwrap(),
            buffers: std::ptr::null_mut(),
            children: children.as_mut_ptr(),
            dictionary: std::ptr::null_mut(),
            release: Some(release_array),
            private_data: told,
        }
    }

    #[test]
    fn a_release_reaches_children_and_is_told() {
        let mut told = AtomicI64::new(0);
        let mut child = array(&mut [], std::ptr::null_mut());
        let mut children = [&raw mut child];
        let mut parent = array(&mut children, &raw mut told);
        // SAFETY: both arrays live.
        unsafe { release_array(&raw mut parent) };
        assert!(parent.release.is_none() && child.release.is_none());
        assert_eq!(told.load(Ordering::Acquire), 1);
        assert_eq!(size_of::<RawArray>(), 80);
    }
}
