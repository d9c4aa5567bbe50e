//! The table of types in the documents, as the cases show it.

use std::collections::BTreeMap;
use std::path::Path;

use super::Case;
use crate::Result;

/// Which Arrow type each type of a database becomes.
#[derive(Debug, Default)]
pub struct TypeTable(BTreeMap<String, String>);

impl TypeTable {
    /// Notes the types of a case that names them and is read without the user's wishes.
    pub fn note(&mut self, case: &Case) {
        let columns = if case.types.is_empty() { case.columns() } else { None };
        for column in columns.unwrap_or_default() {
            if let Some(source) = column.source {
                self.0.insert(source, column.type_name);
            }
        }
    }

    /// Compares with what `docs/types.md` says of the database, or writes it there if `BOWSHOT_UPDATE` is set.
    ///
    /// # Errors
    /// What the document says is old.
    pub fn compare(&self, database: &str) -> Result<()> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/types.md");
        let text = std::fs::read_to_string(&path)?;
        let (start, end) = (format!("<!-- {database}:start -->\n"), format!("<!-- {database}:end -->"));
        let (before, rest) = text.split_once(&start).ok_or("docs/types.md has no place for the table")?;
        let (current, after) = rest.split_once(&end).ok_or("docs/types.md has no end of the table")?;
        let table = self.markdown();
        if current == table {
            return Ok(());
        }
        if std::env::var_os("BOWSHOT_UPDATE").is_none() {
            return Err("docs/types.md is old: BOWSHOT_UPDATE=1 dev/rust_test.sh --test conformance writes it".into());
        }
        std::fs::write(&path, format!("{before}{start}{table}{end}{after}"))?;
        Ok(())
    }

    /// One row an Arrow type.
    fn markdown(&self) -> String {
        let mut sources: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (source, arrow) in &self.0 {
            sources.entry(arrow).or_default().push(format!("`{source}`"));
        }
        let row = |(arrow, names): (&&str, &Vec<String>)| format!("| `{arrow}` | {} |\n", names.join(", "));
        format!("| Arrow | database |\n|---|---|\n{}", sources.iter().map(row).collect::<String>())
    }
}
