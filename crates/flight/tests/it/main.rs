//! The source against a server of our own that misbehaves as it is told, and against servers that others wrote.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod answers;
mod asking;
mod endpoints;
mod excerpts;
mod faults;
mod login;
mod real;
mod server;
mod tickets;

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::Schema;
use arrow_select::concat::concat_batches;
use bowshot_core::{Cancel, Error, Options, Params, Plan, Query, Request, Result, Source, Stream, Value};
use bowshot_flight::Flight;
use server::{Behaviour, Endpoint};

/// Plans a query.
fn plan(uri: &str, sql: &str, options: &Options) -> Result<Plan> {
    plan_query(uri, Query::new(sql), options)
}

fn plan_query(uri: &str, query: Query, options: &Options) -> Result<Plan> {
    Flight::from_uri(uri)?.plan(&Request::new(query, options.clone()), &Cancel::new())
}

/// The whole result.
fn read(uri: &str, sql: &str, options: Options) -> Result<RecordBatch> {
    read_query(uri, Query::new(sql), options)
}

fn read_query(uri: &str, query: Query, options: Options) -> Result<RecordBatch> {
    whole(plan_query(uri, query, &options)?, &options)
}

fn whole(plan: Plan, options: &Options) -> Result<RecordBatch> {
    let schema = Arc::clone(&plan.schema);
    let batches: Vec<RecordBatch> = Stream::start(plan, options, Cancel::new()).collect::<Result<_>>()?;
    for batch in &batches {
        assert_eq!(batch.schema(), schema, "a batch has another schema than the plan");
    }
    Ok(concat_batches(&schema, &batches)?)
}

fn error(uri: &str, options: Options) -> Error {
    match read(uri, "SELECT 1", options) {
        Ok(_) => panic!("{uri} was read"),
        Err(error) => error,
    }
}

fn parameters(sql: &str, values: Vec<Value>) -> Query {
    Query { sql: sql.to_owned(), params: Params::Positional(values) }
}

fn connections(count: usize) -> Options {
    Options { connections: Some(count), ..Options::default() }
}

/// Numbers, and texts that follow from them.
fn numbers(from: i64, to: i64) -> RecordBatch {
    let texts = (from..to).map(|n| (n % 3 > 0).then(|| format!("number {n}")));
    let columns: [(&str, ArrayRef); 2] =
        [("n", Arc::new(Int64Array::from_iter_values(from..to))), ("t", Arc::new(texts.collect::<StringArray>()))];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

fn schema() -> Schema {
    numbers(0, 1).schema().as_ref().clone()
}

/// `count` endpoints of three batches of ten numbers each.
fn behaviour(count: i64) -> Behaviour {
    let endpoint = |number: i64| Endpoint {
        batches: (0..3).map(|batch| numbers(number * 30 + batch * 10, number * 30 + batch * 10 + 10)).collect(),
        ..Endpoint::default()
    };
    Behaviour { endpoints: (0..count).map(endpoint).collect(), announced: Some(schema()), ..Behaviour::default() }
}

/// Checks that a result is the numbers in order.
fn assert_numbers(result: &RecordBatch, count: i64) {
    let expected = numbers(0, count);
    assert_eq!(result.columns(), expected.columns());
}
