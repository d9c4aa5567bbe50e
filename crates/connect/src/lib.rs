//! From a URI, a path or a connection string to the source that reads it: the only crate that knows all sources.
//!
//! ```
//! use bowshot_connect::{connect, is_uri};
//!
//! assert!(is_uri("postgresql://reader@db.example/tpch") && !is_uri("SELECT 1"));
//! let error = connect("mongodb://localhost/shop").err();
//! assert!(error.is_some_and(|error| error.to_string().contains("postgresql")));
//! ```
//!
//! Each source is a cargo feature (`postgres`, `sqlite`; all are on by default).

mod address;

use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result, Source};

use address::Address;

pub use address::is_uri;

/// What [`connect`] understands, for its error messages.
const KNOWN: &str = "postgresql://, postgres://, sqlite://, the path of an SQLite file, or libpq's host=… dbname=…";

/// The source that `uri` names; nothing is sent to a database yet.
///
/// `uri` is a URI (`postgresql://…`, `sqlite:///path`; SQLAlchemy's `+driver` is ignored), the path of an SQLite file,
/// or libpq's keywords (`host=… dbname=…`). Errors are of kind [`Config`](ErrorKind::Config) or
/// [`Unsupported`](ErrorKind::Unsupported) and never hold a password.
pub fn connect(uri: &str) -> Result<Arc<dyn Source>> {
    match Address::of(uri) {
        Address::Scheme { scheme, rest } => match scheme.as_str() {
            "postgres" | "postgresql" => postgres(&format!("postgresql:{rest}")),
            "sqlite" => sqlite(&format!("sqlite:{rest}")),
            // SQLite's own URIs name a file and nothing else.
            "file" => sqlite(uri),
            other => Err(Error::new(ErrorKind::Unsupported, format!("Bowshot has no source for {other}://"))
                .with_hint(format!("it reads {KNOWN}"))),
        },
        Address::Keywords => postgres(uri),
        Address::Path => sqlite(uri),
        Address::Sql => Err(Error::new(ErrorKind::Config, "the connection is SQL, not the address of a database")
            .with_hint(format!("give {KNOWN}"))),
    }
}

#[cfg(feature = "postgres")]
fn postgres(uri: &str) -> Result<Arc<dyn Source>> {
    Ok(Arc::new(bowshot_postgres::Postgres::from_uri(uri)?))
}

#[cfg(not(feature = "postgres"))]
fn postgres(_: &str) -> Result<Arc<dyn Source>> {
    Err(left_out("postgres"))
}

#[cfg(feature = "sqlite")]
fn sqlite(uri: &str) -> Result<Arc<dyn Source>> {
    Ok(Arc::new(bowshot_sqlite::Sqlite::from_uri(uri)?))
}

#[cfg(not(feature = "sqlite"))]
fn sqlite(_: &str) -> Result<Arc<dyn Source>> {
    Err(left_out("sqlite"))
}

#[cfg(not(all(feature = "postgres", feature = "sqlite")))]
fn left_out(feature: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("this build has no source for {feature}"))
        .with_hint(format!("build bowshot-connect with its feature \"{feature}\""))
}

#[cfg(test)]
mod tests;
