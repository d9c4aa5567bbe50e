//! Databases for the tests, and reading them whole.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_schema::{DataType, SchemaRef};
use bowshot_core::{Cancel, Error, Options, Params, Plan, Query, Request, Result, Source, Stream, Value, parse_type};
use bowshot_sqlite::Sqlite;
use rusqlite::Connection;
use tempfile::TempDir;

/// A database file that is removed in the end.
pub struct Database {
    pub folder: TempDir,
    pub path: PathBuf,
}

/// What a read returns.
pub struct Table {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
    pub partitions: usize,
    pub reason: String,
}

impl Database {
    /// With what `sql` makes.
    pub fn new(sql: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let database = Database { folder, path };
        database.writer().execute_batch(sql).unwrap();
        database
    }

    pub fn writer(&self) -> Connection {
        Connection::open(&self.path).unwrap()
    }

    pub fn uri(&self) -> String {
        format!("sqlite:///{}", self.path.display())
    }

    pub fn plan(&self, request: &Request) -> Result<Plan> {
        Sqlite::from_uri(&self.uri())?.plan(request, &Cancel::new())
    }

    pub fn read_request(&self, request: &Request) -> Result<Table> {
        let plan = self.plan(request)?;
        let (schema, partitions, reason) = (plan.schema.clone(), plan.partitions.len(), plan.reason.clone());
        let batches = Stream::start(plan, &request.options, Cancel::new()).collect::<Result<Vec<_>>>()?;
        Ok(Table { schema, batches, partitions, reason })
    }

    pub fn read_with(&self, sql: &str, options: Options) -> Result<Table> {
        self.read_request(&Request::new(Query::new(sql), options))
    }

    pub fn read(&self, sql: &str) -> Table {
        self.read_with(sql, Options::default()).unwrap()
    }

    pub fn error(&self, sql: &str, options: Options) -> Error {
        match self.read_with(sql, options) {
            Ok(_) => panic!("{sql} was read"),
            Err(error) => error,
        }
    }
}

impl Table {
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    pub fn types(&self) -> Vec<DataType> {
        self.schema.fields().iter().map(|field| field.data_type().clone()).collect()
    }

    pub fn ints(&self, column: usize) -> Vec<Option<i64>> {
        self.batches.iter().flat_map(|batch| batch.column(column).as_primitive::<Int64Type>().iter()).collect()
    }

    pub fn floats(&self, column: usize) -> Vec<Option<f64>> {
        self.batches.iter().flat_map(|batch| batch.column(column).as_primitive::<Float64Type>().iter()).collect()
    }

    pub fn texts(&self, column: usize) -> Vec<Option<String>> {
        let texts = |batch: &RecordBatch| -> Vec<Option<String>> {
            batch.column(column).as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
        };
        self.batches.iter().flat_map(texts).collect()
    }

    pub fn bytes(&self, column: usize) -> Vec<Option<Vec<u8>>> {
        let bytes = |batch: &RecordBatch| -> Vec<Option<Vec<u8>>> {
            batch.column(column).as_binary::<i32>().iter().map(|bytes| bytes.map(<[u8]>::to_vec)).collect()
        };
        self.batches.iter().flat_map(bytes).collect()
    }
}

/// Options with these column types.
pub fn types(types: &[(&str, &str)]) -> Options {
    let types = types.iter().map(|(name, data_type)| ((*name).to_owned(), parse_type(data_type).unwrap())).collect();
    Options { types, ..Options::default() }
}

/// Options with this many connections.
pub fn connections(count: usize) -> Options {
    Options { connections: Some(count), ..Options::default() }
}

/// A query with positional parameters.
pub fn with_values(sql: &str, values: Vec<Value>) -> Query {
    Query { sql: sql.into(), params: Params::Positional(values) }
}
