//! Reads a query from a Flight SQL server and says how long that took: `read_flight URI SQL [CONNECTIONS] [TIMES]`.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::time::Instant;

use bowshot_core::{Cancel, Options, Query, Request, Result, Source, Stream};
use bowshot_flight::Flight;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [uri, sql] = [0, 1].map(|place| arguments.get(place).cloned().unwrap_or_default());
    let connections = arguments.get(2).and_then(|count| count.parse().ok());
    let times = arguments.get(3).and_then(|count| count.parse().ok()).unwrap_or(1);
    for _ in 0..times {
        let started = Instant::now();
        let request = Request::new(Query::new(&sql), Options { connections, ..Options::default() });
        let cancel = Cancel::new();
        let plan = Flight::from_uri(&uri)?.plan(&request, &cancel)?;
        let partitions = plan.partitions.len();
        // Kept, as a table would keep them.
        let batches = Stream::start(plan, &request.options, cancel).collect::<Result<Vec<_>>>()?;
        let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
        let (count, seconds) = (batches.len(), started.elapsed().as_secs_f64());
        println!("{rows} rows in {count} batches of {partitions} partitions: {seconds:.3} s");
    }
    Ok(())
}
