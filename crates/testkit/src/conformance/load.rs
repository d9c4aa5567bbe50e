//! The files, and what they say of one database.

use std::path::PathBuf;

use toml::{Table, Value};

use super::{Case, Suite};
use crate::Result;

/// The suites of a database: those in the folder of its name, and those that every source runs, with what they say
/// otherwise of this one.
pub fn suites(database: &str) -> Result<Vec<Suite>> {
    let mut suites = folder(database, database)?;
    suites.extend(folder("every", database)?);
    if suites.is_empty() { Err(format!("there are no cases of {database}").into()) } else { Ok(suites) }
}

/// The project's folder, above the current one. Not `env!("CARGO_MANIFEST_DIR")`: two clones that share a build cache may
/// take a program from each other, and must not read each other's files.
pub fn project() -> Result<PathBuf> {
    let current = std::env::current_dir()?;
    let found = current.ancestors().find(|folder| folder.join("conformance").is_dir());
    Ok(found.ok_or_else(|| format!("no folder above {} has the conformance cases", current.display()))?.to_path_buf())
}

fn folder(name: &str, database: &str) -> Result<Vec<Suite>> {
    let folder = project()?.join("conformance").join(name);
    let mut suites = Vec::new();
    // A source may have no cases of its own.
    for entry in std::fs::read_dir(&folder).into_iter().flatten() {
        let path = entry?.path();
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut table: Table = std::fs::read_to_string(&path)?.parse().map_err(|error| wrong(&error))?;
        choose(&mut table, database);
        for case in table.get_mut("case").and_then(Value::as_array_mut).into_iter().flatten() {
            case.as_table_mut().into_iter().for_each(|case| choose(case, database));
        }
        let suite: Suite = table.try_into().map_err(|error| wrong(&error))?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        suites.push(Suite { name, ..suite });
    }
    suites.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(suites)
}

/// Puts what `on.<database>` says in the place of what is said of all. `columns`, `type` and `error` exclude each other.
fn choose(table: &mut Table, database: &str) {
    let Some(Value::Table(mut on)) = table.remove("on") else { return };
    let Some(Value::Table(own)) = on.remove(database) else { return };
    if ["columns", "type", "error"].iter().any(|key| own.contains_key(*key)) {
        for key in ["columns", "type", "values", "error"] {
            table.remove(key);
        }
    }
    table.extend(own);
}

impl Suite {
    /// The cases that a database of this version runs.
    pub fn cases_of(&self, version: u32) -> Vec<&Case> {
        self.cases.iter().filter(|case| case.skip.is_none() && case.since <= version).collect()
    }

    /// The SQL that makes what those cases need.
    pub fn setup_of(&self, version: u32) -> String {
        let own = self.cases_of(version).into_iter().map(|case| &case.setup);
        let setup: Vec<&str> = std::iter::once(&self.setup)
            .chain(own)
            .map(|sql| sql.trim().trim_end_matches(';'))
            .filter(|sql| !sql.is_empty())
            .collect();
        setup.join(";\n")
    }
}
