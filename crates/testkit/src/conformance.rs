//! The conformance cases: which query becomes which Arrow values, or which error. `conformance/README.md` describes
//! the files.

mod check;
mod database;
pub mod databases;
mod display;
mod load;
mod run;
mod tables;

use std::collections::BTreeMap;

use bowshot_core::{Impossible, Options, Params, Partitioning, Query, Value as Param, parse_type};
use serde::Deserialize;

pub use check::{Table, check, read, read_by_tickets};
pub use database::{Database, Situation};
pub use display::display;
pub use load::{project, suites};
pub use run::run;
pub use tables::{compare_support, compare_types};

use crate::Result;

/// The cases of one file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// SQL that runs once, before the first case, in a database of the suite's own; that of the cases follows it.
    #[serde(default)]
    pub setup: String,
    /// The cases, in the order of the file.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
}

/// One query and what becomes of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows.
    pub name: String,
    /// SQL that runs after the suite's.
    #[serde(default)]
    pub setup: String,
    /// The query.
    #[serde(default)]
    pub sql: String,
    /// Queries in its place that are read as one result.
    #[serde(default)]
    pub list: Vec<String>,
    /// The name of a table that the query reads whole: the source quotes it by itself.
    #[serde(default)]
    pub table: Option<String>,
    /// Values of its placeholders, in order.
    #[serde(default)]
    params: Vec<toml::Value>,
    /// What a source has that can read it, as the support table names it.
    pub feature: Option<String>,
    /// Why a source does not run it.
    pub skip: Option<String>,
    /// The state of the world that it is read in.
    #[serde(default)]
    pub at: Situation,
    /// The Arrow type of its only column.
    #[serde(rename = "type")]
    type_name: Option<String>,
    /// The values of its only column.
    #[serde(default)]
    values: Vec<Value>,
    /// Its columns, where it has not exactly one.
    columns: Option<Vec<Column>>,
    /// How often its columns come, one after the other.
    copies: Option<usize>,
    /// How often its rows come, one after the other.
    #[serde(default = "once")]
    times: usize,
    /// Its error, where it has no columns.
    error: Option<Failing>,
    /// Statements that the connection runs first.
    #[serde(default)]
    before: Vec<String>,
    /// Arrow types that the user chooses.
    #[serde(default)]
    types: BTreeMap<String, String>,
    /// `null`: infinite dates and timestamps are NULL.
    infinity: Option<String>,
    /// `null`: dates without a day, a month or a year are NULL.
    zero_dates: Option<String>,
    /// `false`: partitions may see different states.
    one_snapshot: Option<bool>,
    /// The protocols that can read it; all of them if none is named.
    #[serde(default)]
    pub protocols: Vec<String>,
    /// A whole-numbered column by whose ranges it is read as well, in any order.
    pub partition_on: Option<String>,
    /// Whether it stands in the table of errors.
    #[serde(default)]
    in_errors: bool,
    /// Whether its rows may come in any order.
    #[serde(default)]
    any_order: bool,
    /// Whether the client proves a scale that the server does not say.
    #[serde(default, rename = "proven")]
    _proven: bool,
    /// Whether the source splits it by itself.
    #[serde(default)]
    pub split: bool,
    /// The major version of the database that it needs.
    #[serde(default)]
    pub since: u32,
    /// Why the database's Python driver is not asked for the same values.
    #[serde(rename = "driver")]
    _driver: Option<String>,
}

/// A column of a result.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name, if it matters.
    pub name: Option<String>,
    /// Its Arrow type, as `bowshot_core::format_type` writes it.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Whether it may hold NULL, if it matters.
    pub nullable: Option<bool>,
    /// The type's name in the database, if it matters.
    pub source: Option<String>,
    /// Its values from the first row on, as [`display`] writes them.
    #[serde(default)]
    pub values: Vec<Value>,
}

/// A value of a column, as [`display`] writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// In full; `{n}` stands for the column's number.
    Text(String),
    /// A long one.
    Repeated {
        /// What it consists of.
        repeat: String,
        /// How often.
        times: usize,
    },
}

/// The error that a query ends in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failing {
    /// The name of its kind.
    pub kind: String,
    /// The column that it names.
    pub column: Option<String>,
    /// The database's own code.
    pub sqlstate: Option<String>,
    /// The character of the query that it points at, from 1.
    pub position: Option<usize>,
    /// A part of its message.
    #[serde(default)]
    pub message: String,
    /// A part of its hint.
    pub hint: Option<String>,
}

fn once() -> usize {
    1
}

impl Case {
    /// The columns that it expects; `None` where it expects an error.
    pub fn columns(&self) -> Option<Vec<Column>> {
        let only = self.type_name.as_ref().map(|type_name| {
            let (type_name, values) = (type_name.clone(), self.values.clone());
            vec![Column { name: None, type_name, nullable: None, source: None, values }]
        });
        let columns = self.columns.clone().or(only)?;
        Some(std::iter::repeat_n(columns, self.copies.unwrap_or(1)).flatten().collect())
    }

    /// Whether it ends in an error.
    pub fn fails(&self) -> bool {
        self.error.is_some()
    }

    /// How its user reads it: in one partition, with the types and settings of the case.
    pub fn options(&self) -> Result<Options> {
        let mut options =
            Options { partitioning: Partitioning::Single, before: self.before.clone(), ..Options::default() };
        for (column, name) in &self.types {
            options.types.insert(column.clone(), parse_type(name)?);
        }
        options.infinity = impossible("infinity", self.infinity.as_deref())?;
        options.zero_dates = impossible("zero_dates", self.zero_dates.as_deref())?;
        options.one_snapshot = self.one_snapshot.unwrap_or(true);
        Ok(options)
    }

    /// The queries of its request.
    pub fn queries(&self) -> Result<Vec<Query>> {
        if !self.list.is_empty() {
            return Ok(self.list.iter().map(Query::new).collect());
        }
        let params = self.params.iter().map(param).collect::<Result<Vec<_>>>()?;
        let params = if params.is_empty() { Params::None } else { Params::Positional(params) };
        Ok(vec![Query { sql: self.sql.clone(), params }])
    }
}

fn impossible(name: &str, word: Option<&str>) -> Result<Impossible> {
    match word {
        None | Some("error") => Ok(Impossible::Error),
        Some("null") => Ok(Impossible::Null),
        Some(other) => Err(format!("{name} is error or null, not {other}").into()),
    }
}

/// `"null"` stands for NULL, which TOML lacks.
fn param(value: &toml::Value) -> Result<Param> {
    Ok(match value {
        toml::Value::String(text) if text == "null" => Param::Null,
        toml::Value::String(text) => Param::Text(text.clone()),
        toml::Value::Integer(number) => Param::Int(*number),
        toml::Value::Float(number) => Param::Float(*number),
        toml::Value::Boolean(truth) => Param::Bool(*truth),
        other => return Err(format!("{other:?} is no parameter").into()),
    })
}
