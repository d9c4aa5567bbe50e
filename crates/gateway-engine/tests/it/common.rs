//! What the tests share: members, answers as text, and a source that notes what it is asked.

use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Error, Options, Params, Plan, Query, Request, Result, Source, Stream, Value};
use bowshot_files::Files;
use bowshot_gateway_catalog::{Catalog, Dialect, table_of_files};
use bowshot_gateway_engine::{Asker, Engine, EngineLimits, Kind, Member};
use bowshot_postgres::Postgres;
use bowshot_sqlite::Sqlite;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use tempfile::TempDir;

/// Notes the SQL that a source is asked.
pub(crate) struct Recording {
    source: Arc<dyn Source>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Source for Recording {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        self.asked.lock().unwrap().push(request.queries[0].sql.clone());
        self.source.plan(request, cancel)
    }
}

fn connect(uri: &str) -> Arc<dyn Source> {
    match uri.split(':').next() {
        Some("postgresql") => Arc::new(Postgres::from_uri(uri).unwrap()),
        Some("sqlite") => Arc::new(Sqlite::from_uri(uri).unwrap()),
        _ => Arc::new(Files::from_uri(uri).unwrap()),
    }
}

/// An engine, and what its sources are asked.
pub(crate) struct Served {
    pub(crate) engine: Engine,
    asked: Arc<Mutex<Vec<String>>>,
}

/// `name`, its address, and its dialect if it is a database.
pub(crate) type Place<'a> = (&'a str, &'a str, Option<Dialect>);

pub(crate) fn serve(places: &[Place<'_>]) -> Served {
    serve_with(places, EngineLimits { threads: 2, ..EngineLimits::default() })
}

pub(crate) fn serve_with(places: &[Place<'_>], limits: EngineLimits) -> Served {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let member = |(name, uri, dialect): &Place<'_>| {
        let source: Arc<dyn Source> = Arc::new(Recording { source: connect(uri), asked: Arc::clone(&asked) });
        let catalog = Catalog::new(*name, Arc::clone(&source), dialect.unwrap_or_default());
        let (kind, catalog) = match dialect {
            Some(dialect) => (Kind::Database(*dialect), catalog),
            None => (Kind::Files((*uri).to_owned()), catalog.with_tables([table_of_files(uri)])),
        };
        Member { name: (*name).to_owned(), source, kind, catalog }
    };
    let engine = Engine::new(places.iter().map(member).collect(), limits).unwrap();
    Served { engine, asked }
}

impl Served {
    /// The plan of a query that may read everything.
    pub(crate) fn plan(&self, sql: &str) -> Result<Plan> {
        self.plan_with(Query::new(sql), &options())
    }

    pub(crate) fn plan_with(&self, query: Query, options: &Options) -> Result<Plan> {
        let request = Request::new(query, options.clone());
        self.engine.plan(&request, &Asker::default(), &Cancel::new())
    }

    /// The rows of a query, each as one line, in their order.
    pub(crate) fn rows(&self, sql: &str) -> Vec<String> {
        lines(&self.batches(sql))
    }

    /// The rows of a query whose order does not matter.
    pub(crate) fn sorted(&self, sql: &str) -> Vec<String> {
        let mut rows = self.rows(sql);
        rows.sort();
        rows
    }

    pub(crate) fn batches(&self, sql: &str) -> Vec<RecordBatch> {
        read(self.plan(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))).unwrap()
    }

    /// The rows of a query with parameters.
    pub(crate) fn rows_with(&self, sql: &str, values: Vec<Value>) -> Result<Vec<String>> {
        let query = Query { sql: sql.into(), params: Params::Positional(values) };
        Ok(lines(&read(self.plan_with(query, &options())?)?))
    }

    pub(crate) fn error(&self, sql: &str) -> Error {
        match self.plan(sql) {
            Ok(plan) => read(plan).map(|batches| lines(&batches)).expect_err(sql),
            Err(error) => error,
        }
    }

    /// What the sources were asked of a table since the last time.
    pub(crate) fn asked(&self, table: &str) -> Vec<String> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        let is_scan = |sql: &String| sql.contains(&format!("{table}\"")) && !sql.starts_with("SELECT *");
        asked.into_iter().filter(is_scan).collect()
    }
}

pub(crate) fn options() -> Options {
    // Little room, so that little data is split.
    Options { connections: Some(2), buffer_bytes: 4 << 20, ..Options::default() }
}

/// All batches of a plan, each with the plan's own schema.
pub(crate) fn read(plan: Plan) -> Result<Vec<RecordBatch>> {
    let schema = plan.schema.clone();
    let batches = Stream::start(plan, &options(), Cancel::new()).collect::<Result<Vec<_>>>()?;
    assert!(batches.iter().all(|batch| batch.schema() == schema));
    Ok(batches)
}

pub(crate) fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::new().with_null("NULL");
    let mut lines = Vec::new();
    for batch in batches {
        let columns: Vec<_> =
            batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
        let line = |row| columns.iter().map(|column| column.value(row).to_string()).collect::<Vec<_>>().join("|");
        lines.extend((0..batch.num_rows()).map(line));
    }
    lines
}

/// A SQLite file with these statements run.
pub(crate) fn sqlite(folder: &TempDir, name: &str, sql: &str) -> String {
    let path = folder.path().join(name);
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    format!("sqlite:///{}", path.display())
}

/// A file with this text.
pub(crate) fn text_file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}
