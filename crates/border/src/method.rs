//! The functions of a border, each under two names.

/// Exports functions that C calls by one name and the JVM, as a native method, by another.
///
/// Each takes the address of an [`Answer`](crate::Answer) and numbers; its body gets the numbers and returns a
/// [`Result<Reply>`](crate::Reply). The JVM's function has the two pointers before them that the JVM adds.
///
/// ```
/// bowshot_border::methods! {
///     /// Adds.
///     fn example_add, Java_example_Native_add(one: i64, other: i64) {
///         Ok(bowshot_border::Reply::value(one + other))
///     }
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! methods {
    ($($(#[$doc:meta])* fn $c:ident, $jvm:ident($($name:ident: i64),*) $body:block)+) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// An [`Answer`]($crate::Answer) can be written at `answer`, and the other numbers are what this function asks for.
        #[expect(unsafe_code, reason = "called by C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $c(answer: *mut $crate::Answer, $($name: i64),*) {
            let work = || $body;
            // SAFETY: the caller has room for the answer.
            unsafe { $crate::answer(answer, work) }
        }

        $(#[$doc])*
        ///
        /// # Safety
        /// As for the function that C calls; the first two pointers are the JVM's, and not looked at.
        #[expect(unsafe_code, reason = "called by the JVM, which finds it by this name")]
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $jvm(
            _environment: *const ::std::ffi::c_void,
            _class: *const ::std::ffi::c_void,
            answer: i64,
            $($name: i64),*
        ) {
            let answer = ::std::ptr::with_exposed_provenance_mut(usize::try_from(answer).unwrap_or_default());
            // SAFETY: the caller keeps the same promises.
            unsafe { $c(answer, $($name),*) }
        }
    )+ };
}
