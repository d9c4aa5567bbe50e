//! What a read left behind: threads, connections, file descriptors, memory.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bowshot_testkit::Postgres as Server;

use crate::reading::eventually;

static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` with a name for its connections (`application_name`) and asserts that a few seconds later there is no
/// thread of its left and no connection.
///
/// Threads inherit the name of the thread that starts them, so that other tests' threads are not counted.
#[track_caller]
pub(crate) fn leaves_nothing(server: &Server, work: impl FnOnce(&str) + Send + 'static) {
    let name = format!("fault-{}", NUMBER.fetch_add(1, Ordering::SeqCst));
    let named = name.clone();
    thread::Builder::new().name(name.clone()).spawn(move || work(&named)).unwrap().join().unwrap();
    assert!(eventually(|| threads(&name) == 0), "{} threads are left", threads(&name));
    if server.pid().is_some() {
        assert!(eventually(|| connections(server, &name) == 0), "{} connections are left", connections(server, &name));
    }
}

/// How many threads of this process have this name.
fn threads(name: &str) -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    // A task may end while it is looked at.
    let is = |path: std::path::PathBuf| fs::read_to_string(path).is_ok_and(|comm| comm.trim_end() == name);
    tasks.filter(|task| is(task.as_ref().unwrap().path().join("comm"))).count()
}

/// How many connections of this name the server has.
pub(crate) fn connections(server: &Server, name: &str) -> usize {
    let sql = format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'");
    // A server that recovers from a crash answers a little later.
    server.psql(&sql).ok().and_then(|count| count.parse().ok()).unwrap_or(usize::MAX)
}

/// How many threads this process has.
pub(crate) fn all_threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

/// How many files this process has open.
pub(crate) fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// A line of /proc/self/status in bytes: `VmRSS`, `VmHWM`.
pub(crate) fn memory(what: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// Runs a test of this binary alone in a process of its own, where it can count what belongs to a whole process;
/// true in that process, false in the one that started it.
#[track_caller]
pub(crate) fn alone(test: &str) -> bool {
    const CHILD: &str = "BOWSHOT_TEST_ALONE";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let arguments = ["--exact", test, "--nocapture", "--test-threads=1"];
    let output = std::process::Command::new(program).args(arguments).env(CHILD, "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{test} is no test: {text}");
    false
}
