//! Every conformance case over every protocol, whole and in partitions: always the same schema and the same cells.

use std::fmt::Write;

use bowshot_core::{Options, Partitioning, Source};
use bowshot_postgres::Postgres;
use bowshot_testkit::conformance::{Case, Suite, TypeTable, check, read, suites};
use bowshot_testkit::{Postgres as Server, Result};

/// No protocol named: the source chooses.
const PROTOCOLS: [Option<&str>; 4] = [None, Some("copy"), Some("extended"), Some("cursor")];

#[test]
fn every_case_is_read_as_written() -> Result<()> {
    let server = Server::start()?;
    let version: u32 = server.psql("SELECT current_setting('server_version_num')::int / 10000")?.parse()?;
    let mut failures = String::new();
    let mut checked = 0;
    let mut types = TypeTable::default();
    for suite in suites("postgres")? {
        let source = database(&server, &suite)?;
        for case in suite.cases.iter().filter(|case| case.since <= version) {
            server.psql_in(&suite.name, &case.setup)?;
            for difference in differences(&source, case)? {
                writeln!(failures, "{}, {}: {difference}", suite.name, case.name)?;
            }
            checked += 1;
            // What users define has names of their own.
            if suite.name != "defined" {
                types.note(case);
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(checked > 150, "only {checked} cases were found");
    types.compare("postgres")
}

/// A database of the suite's own.
fn database(server: &Server, suite: &Suite) -> Result<Postgres> {
    server.psql(&format!("CREATE DATABASE {}", suite.name))?;
    server.psql_in(&suite.name, &suite.setup)?;
    Ok(Postgres::from_uri(&server.uri_of(server.superuser(), server.password(), &suite.name))?)
}

/// What is not as the case says, by the way it was read.
fn differences(source: &dyn Source, case: &Case) -> Result<Vec<String>> {
    let whole = case.options()?;
    let mut differences = Vec::new();
    for protocol in PROTOCOLS {
        if protocol.is_some_and(|name| !case.protocols.is_empty() && !case.protocols.iter().any(|known| known == name))
        {
            continue;
        }
        let options = Options { protocol: protocol.map(str::to_owned), ..whole.clone() };
        let mut try_as = |way: &str, options: Options, in_parts: bool, any_order: bool| {
            let outcome = read(source, case, options);
            let parts = outcome.as_ref().map_or(2, |table| table.partitions);
            let result = check(case, &outcome, any_order)
                .and_then(|()| if in_parts && parts < 2 { Err("it was not split".to_owned()) } else { Ok(()) });
            differences.extend(result.err().map(|difference| format!("{protocol:?}, {way}: {difference}")));
        };
        try_as("whole", options.clone(), false, false);
        if case.split {
            let auto = Options { partitioning: Partitioning::Auto, connections: Some(2), ..options.clone() };
            try_as("split", auto, true, false);
        }
        if let Some(column) = &case.partition_on {
            let partitioning = Partitioning::Column { column: column.clone(), count: 3, range: None };
            try_as("by column", Options { partitioning, connections: Some(2), ..options }, true, true);
        }
    }
    Ok(differences)
}
