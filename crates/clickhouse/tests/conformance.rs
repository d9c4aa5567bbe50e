//! Every conformance case against a ClickHouse server of one's own.

use std::sync::Arc;

use bowshot_clickhouse::ClickHouse;
use bowshot_testkit::Result;
use bowshot_testkit::conformance::{databases, run};

#[test]
fn clickhouse() -> Result<()> {
    let connect = |uri: &str| ClickHouse::from_uri(uri).map(|source| Arc::new(source) as _);
    let checked = run(&mut databases::ClickHouse::start()?, &connect)?;
    assert!(checked >= 35, "only {checked} cases were found");
    Ok(())
}
