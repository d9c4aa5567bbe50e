//! A table and the key that its rows are kept in the order of.

use bowshot_core::Result;
use bowshot_sql::Candidate;

use super::Reasoned;
use crate::catalog::{Table, cell, identifier, literal, scalar};
use crate::connect::Session;

/// A table that may be split.
pub(crate) struct Keyed {
    pub(crate) table: Table,
    /// The name of the index that the rows are kept by.
    pub(crate) key: String,
    /// The key's columns, in the key's order.
    pub(crate) columns: Vec<KeyColumn>,
    /// The size of the rows.
    pub(crate) bytes: u64,
    /// Every column's name.
    names: Vec<String>,
}

/// A column of a key.
#[derive(Clone, Debug)]
pub(crate) struct KeyColumn {
    pub(crate) name: String,
    /// `int`, `varchar`, …
    pub(crate) data_type: String,
    pub(crate) charset: String,
    pub(crate) collation: String,
    /// Digits of a decimal, and how many of them stand behind the point.
    pub(crate) precision: u32,
    pub(crate) scale: u32,
}

impl Keyed {
    /// The candidate's table, or why it cannot be split.
    pub(super) fn find(session: &mut Session, candidate: &Candidate) -> Result<Reasoned<Self>> {
        let name = candidate.name.last();
        let schema = match candidate.name.schema() {
            Some(schema) => Some(schema.to_owned()),
            None => scalar(session, "SELECT DATABASE()")?,
        };
        let Some(schema) = schema else { return Ok(Err(format!("{name} is in no database"))) };
        let found = session.query(&format!(
            "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE, DATA_LENGTH FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {}",
            literal(&schema),
            literal(name)
        ))?;
        // Where names tell cases apart, there may be another table that is called nearly the same.
        let exact = found.iter().find(|row| (cell(row, 0), cell(row, 1)) == (schema.as_str(), name));
        let Some(row) = exact.or(if found.len() == 1 { found.first() } else { None }) else {
            return Ok(Err(format!("{name} is no table")));
        };
        match (cell(row, 2), cell(row, 3)) {
            ("BASE TABLE", "InnoDB") => {}
            ("BASE TABLE", engine) => return Ok(Err(format!("{name} is stored by {engine}, which has no snapshots"))),
            ("VIEW", _) => return Ok(Err(format!("{name} is a view"))),
            ("SYSTEM VERSIONED", _) => return Ok(Err(format!("{name} keeps its history"))),
            (kind, _) if kind.contains("TEMPORARY") => return Ok(Err(format!("{name} is temporary"))),
            _ => return Ok(Err(format!("{name} is no table"))),
        }
        let table = Table { schema: cell(row, 0).to_owned(), name: cell(row, 1).to_owned() };
        let bytes = cell(row, 4).parse().unwrap_or(0);
        let columns = columns(session, &table)?;
        let (key, parts) = match key(session, &table)? {
            Ok(key) => key,
            Err(reason) => return Ok(Err(reason)),
        };
        let of = |name: &String| columns.iter().find(|column| column.name == *name).cloned();
        let Some(key_columns) = parts.iter().map(of).collect::<Option<Vec<_>>>() else {
            return Ok(Err(format!("the columns of {name}'s key are not all shown")));
        };
        let names = columns.into_iter().map(|column| column.name).collect();
        Ok(Ok(Keyed { table, key, columns: key_columns, bytes, names }))
    }

    /// Whether it has a column of this name.
    pub(super) fn has_column(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The names of the key's columns.
    pub(super) fn key_names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// The key's name as SQL writes it.
    pub(crate) fn quoted_key(&self) -> String {
        identifier(&self.key)
    }
}

fn columns(session: &mut Session, table: &Table) -> Result<Vec<KeyColumn>> {
    let rows = session.query(&format!(
        "SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_SET_NAME, COLLATION_NAME, NUMERIC_PRECISION, NUMERIC_SCALE \
         FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} AND BINARY TABLE_NAME = {} \
         ORDER BY ORDINAL_POSITION",
        literal(&table.schema),
        literal(&table.name),
        literal(&table.name)
    ))?;
    let column = |row: &Vec<Option<String>>| KeyColumn {
        name: cell(row, 0).to_owned(),
        data_type: cell(row, 1).to_ascii_lowercase(),
        charset: cell(row, 2).to_owned(),
        collation: cell(row, 3).to_owned(),
        precision: cell(row, 4).parse().unwrap_or(0),
        scale: cell(row, 5).parse().unwrap_or(0),
    };
    Ok(rows.iter().map(column).collect())
}

/// The key that InnoDB keeps the rows by: the primary one, or else the first that is unique and never NULL.
fn key(session: &mut Session, table: &Table) -> Result<Reasoned<(String, Vec<String>)>> {
    // Table, whether not unique, name, place, column, order, cardinality, prefix, packed, whether NULL.
    let rows = session.query(&format!("SHOW INDEX FROM {}", table.quoted()))?;
    let mut keys: Vec<(String, Vec<&Vec<Option<String>>>)> = Vec::new();
    for row in &rows {
        match keys.last_mut() {
            Some((name, columns)) if name == cell(row, 2) => columns.push(row),
            _ => keys.push((cell(row, 2).to_owned(), vec![row])),
        }
    }
    let serves = |columns: &Vec<&Vec<Option<String>>>| {
        columns.iter().all(|row| cell(row, 1) == "0" && cell(row, 7).is_empty() && cell(row, 9).is_empty())
    };
    let primary = keys.iter().find(|(name, _)| name == "PRIMARY");
    let Some((name, columns)) = primary.or_else(|| keys.iter().find(|(_, columns)| serves(columns))) else {
        return Ok(Err(format!("{} has no primary key", table.name)));
    };
    if !serves(columns) {
        return Ok(Err(format!("the primary key of {} has only the beginning of a column", table.name)));
    }
    if columns.iter().any(|row| cell(row, 5) != "A") {
        return Ok(Err(format!("the primary key of {} is kept in descending order", table.name)));
    }
    Ok(Ok((name.clone(), columns.iter().map(|row| cell(row, 4).to_owned()).collect())))
}
