//! The table of sources: which schemes name each, and what makes it from its URI.

use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result, Source};

/// Makes a source from its URI.
type Open = fn(&str) -> Result<Arc<dyn Source>>;

/// A kind of source.
pub(crate) struct Entry {
    /// The schemes that name it; the first one is how Bowshot calls it.
    pub(crate) schemes: &'static [&'static str],
    /// The cargo feature that it is compiled in with.
    feature: &'static str,
    /// Makes it; `None` in a build without it.
    open: Option<Open>,
}

/// An entry whose `open` exists where its feature is on; `with` tells a source of another one.
macro_rules! entry {
    ($feature:literal, $source:path, [$($scheme:literal),+] $(, $with:path)?) => {
        Entry {
            schemes: &[$($scheme),+],
            feature: $feature,
            #[cfg(feature = $feature)]
            open: Some(|uri| {
                use $source as Kind;
                let source = Kind::from_uri(uri)?;
                $(let source = $with(source);)?
                Ok(Arc::new(source))
            }),
            #[cfg(not(feature = $feature))]
            open: None,
        }
    };
}

/// Every source.
pub(crate) const SOURCES: &[Entry] = &[
    entry!("postgres", bowshot_postgres::Postgres, ["postgresql", "postgres", "cockroachdb", "redshift"]),
    entry!("mysql", bowshot_mysql::MySql, ["mysql", "mariadb"]),
    entry!("sqlite", bowshot_sqlite::Sqlite, ["sqlite"]),
    entry!("mssql", bowshot_mssql::MsSql, ["mssql", "sqlserver"]),
    entry!("oracle", bowshot_oracle::Oracle, ["oracle"]),
    entry!("clickhouse", bowshot_clickhouse::ClickHouse, ["clickhouse", "clickhousedb"]),
    entry!("trino", bowshot_trino::Trino, ["trino", "presto"]),
    entry!("flight", bowshot_flight::Flight, ["grpc", "flightsql"], with_files),
    entry!("odbc", bowshot_odbc::Odbc, ["odbc"]),
    entry!("adbc", bowshot_adbc::Adbc, ["adbc", "duckdb"]),
    entry!(
        "files",
        bowshot_files::Files,
        ["file", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "azure", "adl", "http", "https"]
    ),
];

/// A gateway's files may come as they are stored, where this build reads files.
#[cfg(feature = "flight")]
fn with_files(flight: bowshot_flight::Flight) -> bowshot_flight::Flight {
    #[cfg(feature = "files")]
    let flight = flight.with_excerpts(bowshot_files::open_excerpt);
    flight
}

impl Entry {
    /// The source of this kind that `scheme` names.
    pub(crate) fn of(scheme: &str) -> Option<&'static Entry> {
        SOURCES.iter().find(|entry| entry.schemes.contains(&scheme))
    }

    /// The source that the URI names.
    pub(crate) fn open(&self, uri: &str) -> Result<Arc<dyn Source>> {
        let Some(open) = self.open else {
            let feature = self.feature;
            return Err(Error::new(ErrorKind::Unsupported, format!("this build has no source for {feature}"))
                .with_hint(format!("build bowshot-connect with its feature \"{feature}\"")));
        };
        open(uri)
    }
}
