//! How the console behaves.

use std::time::Duration;

/// How the console behaves, and what it gives at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleOptions {
    /// Names of hosts under which browsers may reach it, besides `localhost` and addresses in digits. Other names are
    /// refused: a stranger's page could have its own name resolve to this machine (DNS rebinding).
    pub names: Vec<String>,
    /// Whether an open gateway shows its console to other machines too. Without, it answers this machine alone.
    pub insecure: bool,
    /// Whether browsers reach it by TLS: cookies then travel by nothing else.
    pub secure_cookies: bool,
    /// Whether `/metrics` asks nobody for a login. It holds figures, no names and no SQL.
    pub open_metrics: bool,
    /// How long a login holds without being looked at again.
    pub login_time: Duration,
    /// How many rows a query in the console returns at most.
    pub query_rows: usize,
    /// How many bytes of text these may take together.
    pub query_bytes: usize,
    /// How many bytes of text a value may have; the rest of it is cut off.
    pub cell_bytes: usize,
    /// How long a query in the console may take.
    pub query_time: Duration,
    /// How long a probe of readiness, or of the sources, may take before it counts as hung.
    pub probe_time: Duration,
}

impl Default for ConsoleOptions {
    fn default() -> Self {
        ConsoleOptions {
            names: Vec::new(),
            insecure: false,
            secure_cookies: false,
            open_metrics: false,
            login_time: Duration::from_secs(15 * 60),
            query_rows: 10_000,
            query_bytes: 8 << 20,
            cell_bytes: 4 << 10,
            query_time: Duration::from_secs(60),
            probe_time: Duration::from_secs(2),
        }
    }
}
