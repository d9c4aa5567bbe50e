//! Made-up work: what a gateway would tell its monitor on a busy morning.

use std::thread::{sleep, spawn};
use std::time::Duration;

use bowshot_core::{Cancel, Error, ErrorKind};
use bowshot_gateway_monitor::{Monitor, Reading, Running, Sent, Statement};

const LINEITEM: &str = "SELECT l_orderkey, l_partkey, l_quantity, l_extendedprice, l_shipdate\nFROM lineitem\nWHERE l_shipdate >= DATE '1995-01-01'";
const JOIN: &str = "SELECT n_name, o_orderdate, sum(o_totalprice)\nFROM shop.public.orders JOIN lake.nation USING (n_nationkey)\nGROUP BY 1, 2";

/// Fills the history and begins statements that run until they are killed.
pub(crate) fn start(monitor: &Monitor) {
    ended(monitor);
    // Read side by side by one client; another client keeps an endpoint waiting.
    let cancel = Cancel::new();
    let lineitem = begin(monitor, "mira", "ADBC Flight SQL Driver v1.13.0", "shop", LINEITEM, &cancel);
    lineitem.planned(4, "the pages of lineitem were split", Some("00000004-00000F2A-1"));
    for (endpoint, rows) in [(0, 5_400), (1, 4_100), (2, 4_800)] {
        let mut reading = lineitem.endpoint(endpoint);
        reading.opened();
        let cancel = cancel.clone();
        spawn(move || read(&reading, &cancel, rows, u64::try_from(endpoint).unwrap_or_default()));
    }
    until_cancelled(lineitem, cancel);

    let cancel = Cancel::new();
    let join = begin(monitor, "jonas", "JDBC Flight SQL Driver 19.0.0", "shop", JOIN, &cancel);
    join.planned(1, "its rows have an order", None);
    let mut reading = join.endpoint(0);
    reading.opened();
    let stop = cancel.clone();
    spawn(move || read(&reading, &stop, 900, 7));
    until_cancelled(join, cancel);

    let cancel = Cancel::new();
    let queued = begin(monitor, "nightly", "bowshot 0.1.0", "billing", "SELECT * FROM invoices", &cancel);
    queued.queued();
    until_cancelled(queued, cancel);
}

fn begin(monitor: &Monitor, user: &str, client: &str, source: &str, sql: &str, cancel: &Cancel) -> Running {
    let source = Some(source.into());
    let statement = Statement { user: user.into(), client: client.into(), source, sql: sql.into(), session: None };
    monitor.begin(statement, cancel.clone())
}

/// Holds a statement for as long as it runs.
fn until_cancelled(running: Running, cancel: Cancel) {
    spawn(move || {
        while !cancel.is_cancelled() {
            sleep(Duration::from_millis(20));
        }
        running.failed(&Error::cancelled());
    });
}

/// Sends about so many thousand rows a second, in waves.
fn read(reading: &Reading, cancel: &Cancel, thousands: u64, phase: u64) {
    let waves = [10, 10, 9, 9, 10, 11, 12, 12, 11, 12, 13, 13, 12, 11, 11, 10, 9, 8, 8, 9];
    let phase = usize::try_from(phase * 4).unwrap_or_default();
    for wave in waves.iter().cycle().skip(phase) {
        // Three times a second, so that a wave is seven seconds long.
        sleep(Duration::from_millis(333));
        if cancel.is_cancelled() {
            return;
        }
        let rows = thousands * wave * 1_000 / 10 / 3;
        let waited = Duration::from_millis(wave * 3);
        reading.sent(&Sent { rows, bytes: rows * 44, wire_bytes: rows * 17, waited, codec: "lz4" });
    }
}

/// One statement for each way to end, and a few more.
fn ended(monitor: &Monitor) {
    let finished = |user, client, source, sql, endpoints: usize, rows: u64| {
        let running = begin(monitor, user, client, source, sql, &Cancel::new());
        running.planned(endpoints, "the planner found it worth while", None);
        for endpoint in 0..endpoints {
            let mut reading = running.endpoint(endpoint);
            reading.opened();
            sleep(Duration::from_millis(7));
            reading.sent(&Sent {
                rows,
                bytes: rows * 51,
                wire_bytes: rows * 22,
                waited: Duration::ZERO,
                codec: "zstd",
            });
            reading.done();
        }
    };
    finished("mira", "ADBC Flight SQL Driver v1.13.0", "lake", "SELECT count(*) FROM lineitem", 1, 1);
    finished(
        "mira",
        "ADBC Flight SQL Driver v1.13.0",
        "shop",
        "SELECT * FROM orders WHERE o_orderdate > DATE '1998-01-01'",
        4,
        31_200,
    );
    let wrong =
        begin(monitor, "jonas", "JDBC Flight SQL Driver 19.0.0", "shop", "SELECT * FROM lineitems", &Cancel::new());
    wrong.failed(
        &Error::new(ErrorKind::Sql, "relation \"lineitems\" does not exist").with_sqlstate("42P01").with_position(15),
    );
    finished(
        "jonas",
        "JDBC Flight SQL Driver 19.0.0",
        "shop",
        "SELECT n_name, n_regionkey FROM nation ORDER BY 1",
        1,
        25,
    );
    let late = begin(monitor, "nightly", "bowshot 0.1.0", "lake", "SELECT * FROM partsupp", &Cancel::new());
    late.planned(8, "the row groups of 8 files", None);
    drop(late);
    let left = begin(monitor, "mira", "pyarrow 26.0.1", "lake", "SELECT l_comment FROM lineitem", &Cancel::new());
    left.planned(1, "the client asked for one", None);
    left.endpoint(0).opened();
}
