//! Every conformance case, whole and in partitions: always the same schema and the same cells.

use std::fmt::Write;

use bowshot_core::{Options, Partitioning, Source};
use bowshot_sqlite::Sqlite;
use bowshot_testkit::Result;
use bowshot_testkit::conformance::{Case, TypeTable, check, read, suites};

#[test]
fn every_case_is_read_as_written() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut failures = String::new();
    let mut checked = 0;
    let mut types = TypeTable::default();
    for suite in suites("sqlite")? {
        let path = folder.path().join(&suite.name);
        let writer = rusqlite::Connection::open(&path)?;
        writer.execute_batch(&suite.setup)?;
        let source = Sqlite::from_uri(&format!("sqlite:///{}", path.display()))?;
        for case in &suite.cases {
            writer.execute_batch(&case.setup)?;
            for difference in differences(&source, case)? {
                writeln!(failures, "{}, {}: {difference}", suite.name, case.name)?;
            }
            checked += 1;
            types.note(case);
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(checked > 50, "only {checked} cases were found");
    types.compare("sqlite")
}

/// What is not as the case says, by the way it was read.
fn differences(source: &dyn Source, case: &Case) -> Result<Vec<String>> {
    let whole = case.options()?;
    let mut differences = Vec::new();
    let mut try_as = |way: &str, options: Options, in_parts: bool, any_order: bool| {
        let outcome = read(source, case, options);
        let parts = outcome.as_ref().map_or(2, |table| table.partitions);
        let result = check(case, &outcome, any_order)
            .and_then(|()| if in_parts && parts < 2 { Err("it was not split".to_owned()) } else { Ok(()) });
        differences.extend(result.err().map(|difference| format!("{way}: {difference}")));
    };
    try_as("whole", whole.clone(), false, false);
    if case.split {
        let auto = Options { partitioning: Partitioning::Auto, connections: Some(2), ..whole.clone() };
        try_as("split", auto, true, false);
    }
    if let Some(column) = &case.partition_on {
        let partitioning = Partitioning::Column { column: column.clone(), count: 3, range: None };
        try_as("by column", Options { partitioning, connections: Some(2), ..whole }, true, true);
    }
    Ok(differences)
}
