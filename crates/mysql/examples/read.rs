//! Reads a query and says how fast: `cargo run --release -p bowshot-mysql --example read -- URI SQL [connections]`.

use std::time::Instant;

use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
use bowshot_mysql::MySql;

#[expect(clippy::print_stdout, reason = "an example shows what it found")]
fn main() -> bowshot_core::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let uri = arguments.next().unwrap_or_else(|| "mysql://root@127.0.0.1/test".into());
    let sql = arguments.next().unwrap_or_else(|| "SELECT 1".into());
    let options = Options {
        connections: arguments.next().and_then(|count| count.parse().ok()).or(Some(1)),
        protocol: arguments.next(),
        ..Options::default()
    };
    let begin = Instant::now();
    let source = MySql::from_uri(&uri)?;
    let cancel = Cancel::new();
    let plan = source.plan(&Request::new(Query::new(sql), options.clone()), &cancel)?;
    println!("{plan}");
    let (mut rows, mut bytes) = (0, 0);
    for batch in Stream::start(plan, &options, cancel) {
        let batch = batch?;
        rows += batch.num_rows();
        bytes += batch.get_array_memory_size();
    }
    println!("{rows} rows, {bytes} bytes in {:.2} s", begin.elapsed().as_secs_f64());
    Ok(())
}
