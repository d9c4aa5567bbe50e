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
//! Each source is a cargo feature (`postgres`, `mysql`, …; all are on by default).

mod address;
mod login;
mod malformed;
mod named;
mod references;
pub mod settings;
mod sources;
mod subquery;

use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result, Source};

use address::Address;
use sources::{Entry, SOURCES};

pub use address::{is_connection_string, is_uri};
pub use login::Login;
pub use named::{Named, Text, plan_text};
pub use references::resolve;
pub use settings::Settings;
pub use subquery::{Subquery, dialect, scheme, subquery};

/// The source that `uri` names; nothing is sent to a database yet.
///
/// `uri` is a URI (`postgresql://…`, `mysql://…`, `sqlite:///path`, `odbc:DSN=…`; SQLAlchemy's `+driver` is ignored), the path of
/// an SQLite file, of a Parquet, CSV, JSON or Arrow file or of a folder of them, or libpq's keywords (`host=… dbname=…`).
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config) or [`Unsupported`](ErrorKind::Unsupported); they never hold a password.
pub fn connect(uri: &str) -> Result<Arc<dyn Source>> {
    let open = |scheme: &str, uri: &str| match Entry::of(scheme) {
        Some(entry) => entry.open(uri),
        None => Err(Error::new(ErrorKind::Unsupported, format!("Bowshot has no source for {scheme}://"))
            .with_hint(format!("it reads {}", known()))),
    };
    match Address::of(uri) {
        Address::Scheme { scheme, transport, rest } => match (scheme.as_str(), transport.as_deref()) {
            // How to connect, not a driver of Python's.
            (_, Some(transport @ ("tls" | "tcp" | "tcps" | "http" | "https"))) => {
                open(&scheme, &format!("{scheme}+{transport}:{rest}"))
            }
            ("postgres", _) => open("postgresql", &format!("postgresql:{rest}")),
            // SQLite's own URIs name a file and nothing else.
            ("file", _) if address::is_sqlite(&rest) => open("sqlite", uri),
            _ => open(&scheme, &format!("{scheme}:{rest}")),
        },
        Address::Keywords => open("postgresql", uri),
        Address::Folder => open("file", uri),
        Address::Malformed(malformed) => Err(malformed.error()),
        // What may hold a password is no path to be shown, unless it is there.
        Address::Path if bowshot_core::Address::new(uri).is_withheld() && !std::path::Path::new(uri).exists() => Err(
            Error::new(ErrorKind::Config, "the connection is no address that Bowshot reads, and no file has this name")
                .with_hint(format!("give {}", known())),
        ),
        Address::Path => open("sqlite", uri),
        Address::Sql => Err(Error::new(ErrorKind::Config, "the connection is SQL, not the address of a database")
            .with_hint(format!("give {}", known()))),
    }
}

/// Says in which folders of Python packages ADBC drivers that are named without a path are searched for: with it,
/// `pip install adbc-driver-snowflake` is all that `adbc:snowflake` needs. Without effect in a build without ADBC.
pub fn search_packages(folders: impl IntoIterator<Item = std::path::PathBuf>) {
    #[cfg(feature = "adbc")]
    bowshot_adbc::search_packages(folders);
    #[cfg(not(feature = "adbc"))]
    let _ = folders;
}

/// What [`connect`] understands, for its error messages.
fn known() -> String {
    let schemes: Vec<String> =
        SOURCES.iter().filter_map(|entry| entry.schemes.first()).map(|scheme| format!("{scheme}://")).collect();
    let schemes = schemes.join(", ");
    format!(
        "{schemes}, the path of an SQLite, Parquet, CSV, JSON or Arrow file or of a folder of them, or libpq's host=… dbname=…"
    )
}

#[cfg(test)]
mod tests;
