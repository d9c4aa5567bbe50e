//! Several catalogs, asked side by side.

use bowshot_catalog::is_asked;
use std::thread;

use arrow_array::RecordBatch;
use bowshot_core::{Error, ErrorKind, Result};

use crate::catalog::Catalog;

/// The answer to a command.
#[derive(Debug)]
pub struct Answer {
    /// All rows, in the order that `FlightSql.proto` asks for.
    pub batch: RecordBatch,
    /// The catalogs that did not answer. One database that is down must not hide the others; whoever asks only for that
    /// one gets its error instead of an answer.
    pub missing: Vec<Missing>,
}

/// A catalog that did not answer.
#[derive(Debug)]
pub struct Missing {
    /// Its name in the gateway.
    pub catalog: String,
    /// Why.
    pub error: Error,
}

/// What each catalog answered.
pub(crate) struct Gathered<'a, T> {
    pub(crate) found: Vec<(&'a Catalog, T)>,
    pub(crate) missing: Vec<Missing>,
}

/// The catalogs that a command asks for: one of this exact name, or all.
pub(crate) fn asked<'a>(catalogs: &'a [Catalog], name: Option<&'a str>) -> impl Iterator<Item = &'a Catalog> {
    catalogs.iter().filter(move |catalog| is_asked(name, Some(catalog.name())))
}

/// Asks each catalog in a thread of its own.
///
/// An error only where nobody answers, or where the work was cancelled.
pub(crate) fn gather<'a, T: Send>(
    catalogs: impl IntoIterator<Item = &'a Catalog>,
    read: impl Fn(&'a Catalog) -> Result<T> + Sync,
) -> Result<Gathered<'a, T>> {
    let read = &read;
    let answers: Vec<_> = thread::scope(|scope| {
        let ask = |catalog: &'a Catalog| (catalog, scope.spawn(move || read(catalog)));
        let asked: Vec<_> = catalogs.into_iter().map(ask).collect();
        let panicked = |_| Err(Error::new(ErrorKind::Internal, "a listing panicked; please report this"));
        asked.into_iter().map(|(catalog, thread)| (catalog, thread.join().unwrap_or_else(panicked))).collect()
    });
    let mut gathered = Gathered { found: Vec::new(), missing: Vec::new() };
    for (catalog, answer) in answers {
        match answer {
            Ok(answer) => gathered.found.push((catalog, answer)),
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => gathered.missing.push(Missing { catalog: catalog.name().to_owned(), error }),
        }
    }
    if gathered.found.is_empty() && !gathered.missing.is_empty() {
        return Err(gathered.missing.swap_remove(0).error);
    }
    Ok(gathered)
}
