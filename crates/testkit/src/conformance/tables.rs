//! The tables of types, features and errors in the documents, as the cases show them.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::load::project;
use super::{Case, Situation, suites};
use crate::Result;

/// Compares what `docs/types.md` says of a database with its cases, or writes it there if `BOWSHOT_UPDATE` is set.
///
/// Suites of `leave_out` are not in the table: what users define has names of their own.
///
/// # Errors
/// What the document says is old.
pub fn compare_types(database: &str, leave_out: &[&str]) -> Result<()> {
    let mut types: BTreeMap<String, String> = BTreeMap::new();
    for suite in suites(database)?.iter().filter(|suite| !leave_out.contains(&suite.name.as_str())) {
        for case in suite.cases.iter().filter(|case| case.types.is_empty() && case.skip.is_none()) {
            for column in case.columns().unwrap_or_default() {
                types.extend(column.source.map(|source| (source, column.type_name)));
            }
        }
    }
    // One row an Arrow type.
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (source, arrow) in &types {
        rows.entry(arrow).or_default().push(format!("`{source}`"));
    }
    let row = |(arrow, names): (&&str, &Vec<String>)| format!("| `{arrow}` | {} |\n", names.join(", "));
    let table = format!("| Arrow | database |\n|---|---|\n{}", rows.iter().map(row).collect::<String>());
    compare("types.md", database, &table)
}

/// Compares what `docs/support.md` says of features and errors with the cases of these databases (a title and a name each),
/// or writes it there if `BOWSHOT_UPDATE` is set.
///
/// # Errors
/// What the document says is old.
pub fn compare_support(databases: &[(&str, &str)]) -> Result<()> {
    let mut features = Matrix::default();
    let mut errors = Matrix::default();
    for (column, (_, database)) in databases.iter().enumerate() {
        for case in suites(database)?.iter().flat_map(|suite| &suite.cases) {
            if let Some(feature) = &case.feature {
                features.set(feature, column, if case.skip.is_none() { "yes" } else { "–" }.to_owned());
            }
            if let Some(outcome) = outcome(case) {
                let row = if case.at == Situation::Well { case.name.as_str() } else { case.at.title() };
                errors.set(row, column, outcome);
            }
        }
    }
    let titles: Vec<&str> = databases.iter().map(|(title, _)| *title).collect();
    compare("support.md", "features", &features.markdown("feature", &titles))?;
    compare("support.md", "errors", &errors.markdown("what happens", &titles))
}

/// How the errors' table shows the end of a case; `None` where it does not.
fn outcome(case: &Case) -> Option<String> {
    if !case.in_errors {
        return None;
    }
    let Some(error) = case.error.as_ref().filter(|_| case.skip.is_none()) else { return Some("–".to_owned()) };
    Some(match &error.sqlstate {
        Some(state) => format!("{} `{state}`", error.kind),
        None => error.kind.clone(),
    })
}

/// A table that grows row by row, in the order of the cases.
#[derive(Default)]
struct Matrix(Vec<(String, BTreeMap<usize, String>)>);

impl Matrix {
    fn set(&mut self, row: &str, column: usize, cell: String) {
        match self.0.iter_mut().find(|(name, _)| name == row) {
            // What works in one case of a feature works.
            Some((_, cells)) => {
                let known = cells.entry(column).or_insert_with(|| cell.clone());
                if known == "–" {
                    *known = cell;
                }
            }
            None => self.0.push((row.to_owned(), BTreeMap::from([(column, cell)]))),
        }
    }

    fn markdown(&self, corner: &str, titles: &[&str]) -> String {
        let mut text = format!("| {corner} | {} |\n|---|{}\n", titles.join(" | "), "---|".repeat(titles.len()));
        for (name, cells) in &self.0 {
            let cell = |column| cells.get(&column).map_or("–", String::as_str);
            let row: Vec<&str> = (0..titles.len()).map(cell).collect();
            // A String takes every line.
            let _ = writeln!(text, "| {name} | {} |", row.join(" | "));
        }
        text
    }
}

/// Compares a marked place of a document with `table`, or writes it there if `BOWSHOT_UPDATE` is set.
fn compare(document: &str, place: &str, table: &str) -> Result<()> {
    let path = project()?.join("docs").join(document);
    let text = std::fs::read_to_string(&path)?;
    let (start, end) = (format!("<!-- {place}:start -->\n"), format!("<!-- {place}:end -->"));
    let (before, rest) = text.split_once(&start).ok_or_else(|| format!("docs/{document} has no place for {place}"))?;
    let (current, after) = rest.split_once(&end).ok_or_else(|| format!("docs/{document}: {place} has no end"))?;
    if current == table {
        return Ok(());
    }
    if std::env::var_os("BOWSHOT_UPDATE").is_none() {
        return Err(format!(
            "docs/{document} is old: BOWSHOT_UPDATE=1 dev/rust_test.sh --test conformance writes {place} anew"
        )
        .into());
    }
    std::fs::write(&path, format!("{before}{start}{table}{end}{after}"))?;
    Ok(())
}
