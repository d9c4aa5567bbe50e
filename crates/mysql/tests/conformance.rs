//! Every conformance case, over both protocols, whole and in partitions: always the same schema and the same cells.

use std::sync::Arc;

use bowshot_core::{Error, Source};
use bowshot_mysql::MySql;
use bowshot_testkit::Result;
use bowshot_testkit::conformance::{databases, run};

fn connect(uri: &str) -> Result<Arc<dyn Source>, Error> {
    Ok(Arc::new(MySql::from_uri(uri)?))
}

#[test]
fn every_case_is_read_as_written() -> Result<()> {
    let checked = run(&mut databases::MySql::start()?, &connect)?;
    assert!(checked > 60, "only {checked} cases were found");
    Ok(())
}
