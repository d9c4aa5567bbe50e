//! The Flight SQL driver, as far as it goes without a server.

use std::time::{Duration, Instant};

use bowshot_core::ErrorKind;

use crate::drivers::error;

#[test]
fn a_dead_host_fails_at_once_and_tells_no_secret() {
    let begin = Instant::now();
    let uri = "adbc:flightsql?uri=grpc://127.0.0.1:1&username=ada&password=hunter2";
    let failed = error(uri, "SELECT 1");
    assert_eq!(failed.kind(), ErrorKind::Connect, "{failed}");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert!(!format!("{failed:?}").contains("hunter2"), "{failed:?}");
}
