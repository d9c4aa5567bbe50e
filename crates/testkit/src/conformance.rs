//! The conformance cases: which query becomes which Arrow values, or which error. `conformance/README.md` describes
//! the files.

mod check;
mod display;
mod document;

use std::collections::BTreeMap;
use std::path::Path;

use bowshot_core::{Impossible, Options, Partitioning, parse_type};
use serde::Deserialize;

pub use check::{check, read};
pub use display::display;
pub use document::TypeTable;

use crate::Result;

/// The cases of one file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// SQL that runs once, before the first case, in a database of the suite's own.
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
    /// SQL that runs before it.
    #[serde(default)]
    pub setup: String,
    /// The query.
    pub sql: String,
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
    /// The protocols that can read it; all of them if none is named.
    #[serde(default)]
    pub protocols: Vec<String>,
    /// A whole-numbered column by whose ranges it is read as well, in any order.
    pub partition_on: Option<String>,
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
    /// A part of its message.
    pub message: String,
    /// A part of its hint.
    pub hint: Option<String>,
}

fn once() -> usize {
    1
}

/// The suites of a database: the files in the folder of this name.
pub fn suites(database: &str) -> Result<Vec<Suite>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(database);
    let mut suites = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        let suite: Suite =
            toml::from_str(&std::fs::read_to_string(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        suites.push(Suite { name, ..suite });
    }
    suites.sort_by(|a, b| a.name.cmp(&b.name));
    if suites.is_empty() { Err(format!("{} holds no cases", folder.display()).into()) } else { Ok(suites) }
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

    /// How its user reads it: in one partition, with the types and settings of the case.
    pub fn options(&self) -> Result<Options> {
        let mut options =
            Options { partitioning: Partitioning::Single, before: self.before.clone(), ..Options::default() };
        for (column, name) in &self.types {
            options.types.insert(column.clone(), parse_type(name)?);
        }
        match self.infinity.as_deref() {
            None | Some("error") => {}
            Some("null") => options.infinity = Impossible::Null,
            Some(other) => return Err(format!("infinity is error or null, not {other}").into()),
        }
        Ok(options)
    }
}
