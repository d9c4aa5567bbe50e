//! Ends a query in the database.

use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Cancel, Registration, Result};
use bowshot_runtime::Runtime;

use crate::connect;
use crate::error;
use crate::uri::Location;

/// How long the request may take: who cancels waits for it.
const LIMIT: Duration = Duration::from_millis(900);

/// Kills the query of this number when the work is asked to stop.
pub(crate) fn on_cancel(location: &Arc<Location>, number: String, cancel: &Cancel) -> Registration {
    let location = Arc::clone(location);
    cancel.on_cancel(move || {
        // The connection is dropped in any case, and that ends the query a little later.
        let _ = kill(&location, &number);
    })
}

fn kill(location: &Location, number: &str) -> Result<()> {
    let runtime = Runtime::new()?;
    let client = connect::client(location)?;
    let host = location.host.to_string();
    // The number is ours: letters, digits and hyphens.
    let query = client.query_raw(&format!("KILL QUERY WHERE query_id = '{number}' ASYNC"));
    let mut cursor = query.fetch_bytes("Null").map_err(|error| error::of_driver(error, &host, false))?;
    runtime.wait_for(&Cancel::new(), LIMIT, "ending the query", async {
        while cursor.next().await.map_err(|error| error::of_driver(error, &host, true))?.is_some() {}
        Ok(())
    })
}
