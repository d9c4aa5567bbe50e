//! Where the drivers are, and reading with them.

use std::path::PathBuf;
use std::sync::Once;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_schema::SchemaRef;
use bowshot_adbc::Adbc;
use bowshot_core::{Cancel, Error, Options, Params, Query, Request, Result, Source, Stream, Value, parse_type};

/// What a read returns.
#[derive(Debug)]
pub struct Table {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
    pub partitions: usize,
    pub reason: String,
    pub snapshot: Option<String>,
}

/// The folder with the drivers.
pub fn packages() -> PathBuf {
    if let Some(folder) = std::env::var_os("BOWSHOT_ADBC_DRIVERS") {
        return folder.into();
    }
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache");
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from);
    let packages = cache.join("bowshot/adbc/packages");
    assert!(packages.exists(), "{} is not there: run dev/adbc_setup.sh", packages.display());
    packages
}

/// A source, with the drivers of [`packages`] to be found.
pub fn source(uri: &str) -> Result<Adbc> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| bowshot_adbc::search_packages([packages()]));
    Adbc::from_uri(uri)
}

pub fn read_request(uri: &str, request: &Request) -> Result<Table> {
    let plan = source(uri)?.plan(request, &Cancel::new())?;
    let (schema, partitions, reason) = (plan.schema.clone(), plan.partitions.len(), plan.reason.clone());
    let snapshot = plan.snapshot.clone();
    let batches = Stream::start(plan, &request.options, Cancel::new()).collect::<Result<Vec<_>>>()?;
    for batch in &batches {
        assert_eq!(batch.schema(), schema);
    }
    Ok(Table { schema, batches, partitions, reason, snapshot })
}

pub fn read_with(uri: &str, sql: &str, options: Options) -> Result<Table> {
    read_request(uri, &Request::new(Query::new(sql), options))
}

pub fn read(uri: &str, sql: &str) -> Table {
    read_with(uri, sql, Options::default()).unwrap()
}

pub fn error(uri: &str, sql: &str) -> Error {
    read_with(uri, sql, Options::default()).expect_err(sql)
}

/// A read with positional parameters.
pub fn read_values(uri: &str, sql: &str, values: Vec<Value>) -> Result<Table> {
    let query = Query { sql: sql.into(), params: Params::Positional(values) };
    read_request(uri, &Request::new(query, Options::default()))
}

pub fn types(types: &[(&str, &str)]) -> Options {
    let types = types.iter().map(|(name, data_type)| ((*name).to_owned(), parse_type(data_type).unwrap())).collect();
    Options { types, ..Options::default() }
}

impl Table {
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    pub fn ints(&self, column: usize) -> Vec<Option<i64>> {
        self.batches.iter().flat_map(|batch| batch.column(column).as_primitive::<Int64Type>().iter()).collect()
    }

    /// Every value as text, column by column.
    pub fn shown(&self, column: usize) -> Vec<String> {
        let show = |batch: &RecordBatch| -> Vec<String> {
            (0..batch.num_rows()).map(|row| bowshot_testkit::conformance::display(batch.column(column), row)).collect()
        };
        self.batches.iter().flat_map(show).collect()
    }

    pub fn types(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| bowshot_core::format_type(field.data_type())).collect()
    }
}
