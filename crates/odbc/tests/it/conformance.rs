//! Every conformance case of `conformance/odbc-postgres` and `conformance/odbc-mariadb`, in blocks and row by row.

use std::fmt::Write;

use bowshot_core::Options;
use bowshot_odbc::Odbc;
use bowshot_testkit::Result;
use bowshot_testkit::conformance::{check, read, suites};

use crate::support::{mariadb, mariadb_uri, postgres, postgres_uri};

#[test]
fn postgres_cases() -> Result<()> {
    all("odbc-postgres", 40, |suite, setup| {
        let server = postgres();
        server.psql(&format!("CREATE DATABASE odbc_{suite}"))?;
        server.psql_in(&format!("odbc_{suite}"), setup)?;
        Ok(postgres_uri(server, &format!("odbc_{suite}")))
    })
}

#[test]
fn mariadb_cases() -> Result<()> {
    all("odbc-mariadb", 18, |suite, setup| {
        let server = mariadb();
        server.sql(&format!("CREATE DATABASE odbc_{suite} CHARACTER SET utf8mb4; USE odbc_{suite};\n{setup}"))?;
        Ok(mariadb_uri(server, &format!("odbc_{suite}")))
    })
}

fn all(database: &str, at_least: usize, prepare: impl Fn(&str, &str) -> Result<String>) -> Result<()> {
    let (mut failures, mut checked) = (String::new(), 0);
    // The suites that every source runs stand in a folder of their own, and are run with the other sources'.
    for suite in suites(database)?.iter().filter(|suite| !matches!(suite.name.as_str(), "errors" | "features")) {
        let uri = prepare(&suite.name, &suite.setup_of(0))?;
        let source = Odbc::from_uri(&uri)?;
        for case in suite.cases_of(0) {
            checked += 1;
            for protocol in [None, Some("row")] {
                let options = Options { protocol: protocol.map(str::to_owned), ..case.options()? };
                if let Err(difference) = check(case, &read(&source, case, options)?, false) {
                    writeln!(
                        failures,
                        "{}, {}, {}: {difference}",
                        suite.name,
                        case.name,
                        protocol.unwrap_or("fastest")
                    )?;
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(checked >= at_least, "only {checked} cases were found");
    Ok(())
}
