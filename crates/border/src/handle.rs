//! Objects that stay on this side of the border, while the caller keeps a number for each.

use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};

/// The number of an object, which lives until it is [closed](close).
pub fn handle<T>(object: T) -> i64 {
    i64::try_from(Arc::into_raw(Arc::new(object)).expose_provenance()).unwrap_or_default()
}

/// The object of a number, for as long as a call takes: closing it meanwhile, in another thread, is no harm.
///
/// # Errors
/// Of kind [`Internal`](ErrorKind::Internal) for 0.
///
/// # Safety
/// The number came from [`handle`] of this type, and is not closed before this returns.
#[expect(unsafe_code, reason = "the caller keeps the object's number")]
pub unsafe fn borrow<T>(handle: i64) -> Result<Arc<T>> {
    let at = pointer(handle)?;
    // SAFETY: the caller says that the object lives; the count is one higher for what is returned.
    unsafe {
        Arc::increment_strong_count(at);
        Ok(Arc::from_raw(at))
    }
}

/// Lets go of an object.
///
/// # Safety
/// The number came from [`handle`] of this type, and is closed once.
#[expect(unsafe_code, reason = "the caller keeps the object's number")]
pub unsafe fn close<T>(handle: i64) {
    if let Ok(at) = pointer::<T>(handle) {
        // SAFETY: the caller gives up what `handle` gave.
        drop(unsafe { Arc::from_raw(at) });
    }
}

fn pointer<T>(handle: i64) -> Result<*const T> {
    match usize::try_from(handle) {
        Ok(address) if address != 0 => Ok(std::ptr::with_exposed_provenance(address)),
        _ => Err(Error::new(ErrorKind::Internal, "an object of Bowshot's is used after it was closed")),
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "the test is the caller")]
mod tests {
    use super::*;

    #[test]
    fn objects_live_until_they_are_closed() {
        let object = Arc::new(7);
        let number = handle(Arc::clone(&object));
        // SAFETY: the number is of this type, and closed once.
        unsafe {
            let borrowed = borrow::<Arc<i32>>(number).unwrap();
            close::<Arc<i32>>(number);
            assert_eq!((**borrowed, Arc::strong_count(&object)), (7, 2));
            drop(borrowed);
            assert!(borrow::<Arc<i32>>(0).is_err());
            close::<Arc<i32>>(0);
        }
        assert_eq!(Arc::strong_count(&object), 1);
    }
}
