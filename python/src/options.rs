//! From Python's keywords to the core's request. Python's side has checked and named them already.

use std::collections::BTreeMap;

use bowshot_core::{
    Error, ErrorKind, Impossible, Options, Params, Partitioning, Query, Request, Result, Value, parse_type,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString};

/// The keywords of `_bowshot.plan`, as one dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Keywords {
    connections: Option<usize>,
    protocol: Option<String>,
    partition_on: Option<String>,
    partition_num: Option<usize>,
    partition_range: Option<(i64, i64)>,
    partition_bytes: Option<u64>,
    types: Vec<(String, String)>,
    infinity: String,
    zero_dates: String,
    one_snapshot: bool,
    before: Vec<String>,
    batch_bytes: Option<usize>,
    buffer_bytes: Option<usize>,
}

impl Keywords {
    pub(crate) fn into_options(self) -> Result<Options> {
        let mut options = Options {
            connections: self.connections,
            partition_bytes: self.partition_bytes,
            protocol: self.protocol,
            before: self.before,
            ..Options::default()
        };
        options.partitioning = match (self.partition_on, self.partition_num) {
            (Some(column), Some(count)) => Partitioning::Column { column, count, range: self.partition_range },
            _ => Partitioning::Auto,
        };
        let mut types = BTreeMap::new();
        for (column, name) in self.types {
            let data_type = parse_type(&name).map_err(|error| error.with_column(column.clone()))?;
            types.insert(column, data_type);
        }
        options.types = types;
        options.infinity = impossible("infinity", &self.infinity)?;
        options.zero_dates = impossible("zero_dates", &self.zero_dates)?;
        options.one_snapshot = self.one_snapshot;
        options.batch_bytes = self.batch_bytes.unwrap_or(options.batch_bytes);
        options.buffer_bytes = self.buffer_bytes.unwrap_or(options.buffer_bytes);
        Ok(options)
    }
}

/// What becomes of values that Arrow cannot hold.
fn impossible(option: &str, word: &str) -> Result<Impossible> {
    match word {
        "error" => Ok(Impossible::Error),
        "null" => Ok(Impossible::Null),
        other => Err(Error::new(ErrorKind::Config, format!("{option}=\"{other}\" means nothing"))
            .with_hint("write \"error\" or \"null\"")),
    }
}

/// The values of placeholders: `None`, a list, or a list of names and values.
pub(crate) fn params(given: Option<Bound<'_, PyAny>>, named: bool) -> PyResult<Params> {
    let Some(given) = given else { return Ok(Params::None) };
    if named {
        let pairs: Vec<(String, Bound<'_, PyAny>)> = given.extract()?;
        let pairs = pairs.into_iter().map(|(name, item)| Ok((name, value(&item)?)));
        return Ok(Params::Named(pairs.collect::<PyResult<_>>()?));
    }
    let items: Vec<Bound<'_, PyAny>> = given.extract()?;
    Ok(Params::Positional(items.iter().map(value).collect::<PyResult<_>>()?))
}

/// One of the kinds that `bowshot/_params.py` leaves: None, bool, int of 64 bits, float, str, bytes.
fn value(item: &Bound<'_, PyAny>) -> PyResult<Value> {
    if item.is_none() {
        return Ok(Value::Null);
    }
    // `bool` before `int`, of which it is a kind.
    if item.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(item.extract()?));
    }
    if item.is_instance_of::<PyInt>() {
        return Ok(Value::Int(item.extract()?));
    }
    if item.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(item.extract()?));
    }
    if item.is_instance_of::<PyString>() {
        return Ok(Value::Text(item.extract()?));
    }
    Ok(Value::Bytes(item.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// The request of one or several queries with the same parameters.
pub(crate) fn request(queries: Vec<String>, params: &Params, options: Options) -> Request {
    let queries = queries.into_iter().map(|sql| Query { sql, params: params.clone() }).collect();
    Request { queries, options }
}
