//! Drivers that are not there or not drivers, and what the URI gets wrong.

use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options};

use crate::drivers::{error, packages, read_with};

#[test]
fn drivers_that_are_missing_say_how_to_get_them() {
    for (uri, words) in [
        ("adbc:snowglobe?uri=x", "pip install adbc-driver-snowglobe"),
        ("adbc:/nowhere/libadbc_driver_x.so", "check the path"),
        ("adbc:libnowhere_at_all.so", "cannot be loaded"),
    ] {
        let failed = error(uri, "SELECT 1");
        assert_eq!(failed.kind(), ErrorKind::Config, "{uri}: {failed}");
        assert!(failed.to_string().contains(words), "{uri}: {failed}");
    }
}

#[test]
fn a_library_that_is_no_driver_is_named() {
    let sqlite = packages().join("adbc_driver_sqlite/libadbc_driver_sqlite.so");
    let odd = format!("adbc:{}?entrypoint=NoSuchFunction", sqlite.display());
    // The driver's default entry point is tried as well, and there it is.
    assert_eq!(read_with(&odd, "SELECT 1", Options::default()).unwrap().rows(), 1);
    let libc = ["/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib64/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6"];
    let libc = libc.iter().find(|path| std::path::Path::new(path).exists()).unwrap();
    let failed = error(&format!("adbc:{libc}"), "SELECT 1");
    assert_eq!(failed.kind(), ErrorKind::Config);
    assert!(failed.to_string().contains("entrypoint"), "{failed}");
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("libtext.so");
    std::fs::write(&text, "not a library").unwrap();
    assert!(error(&format!("adbc:{}", text.display()), "SELECT 1").message().contains("cannot be loaded"));
}

#[test]
fn manifests_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = packages().join("adbc_driver_sqlite/libadbc_driver_sqlite.so");
    let manifest = folder.path().join("lite.toml");
    let text = format!("manifest_version = 1\nname = \"lite\"\n[Driver]\nshared = \"{}\"\n", sqlite.display());
    std::fs::write(&manifest, text).unwrap();
    for uri in [
        format!("adbc:{}?uri=:memory:", manifest.display()),
        format!("adbc:{}?uri=:memory:", folder.path().join("lite").display()),
    ] {
        assert_eq!(read_with(&uri, "SELECT 1 AS n", Options::default()).unwrap().ints(0), [Some(1)], "{uri}");
    }
}

#[test]
fn options_that_a_driver_does_not_know_are_refused() {
    for uri in [
        "adbc:sqlite?uri=:memory:&no_such_option=1",
        "adbc:sqlite?uri=:memory:&connection.no_such_option=1",
        "adbc:sqlite?uri=:memory:&statement.no_such_option=1",
    ] {
        let failed = error(uri, "SELECT 1");
        assert_eq!(failed.kind(), ErrorKind::Config, "{uri}: {failed}");
        assert!(failed.message().contains("no_such_option"), "{uri}: {failed}");
    }
    let options = Options { protocol: Some("copy".into()), ..Options::default() };
    assert_eq!(read_with("adbc:sqlite?uri=:memory:", "SELECT 1", options).unwrap_err().kind(), ErrorKind::Config);
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    // It takes connections and says nothing.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let uri = format!("adbc:postgresql?uri=postgresql://ada:hunter2@127.0.0.1:{port}/x&connect_timeout=1");
    let begin = Instant::now();
    let failed = error(&uri, "SELECT 1");
    assert_eq!(failed.kind(), ErrorKind::Timeout, "{failed}");
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    assert!(!format!("{failed:?}").contains("hunter2"));
}

#[test]
fn more_than_one_statement_is_refused_where_the_driver_would_not_mind() {
    for uri in ["duckdb:", "adbc:sqlite?uri=:memory:"] {
        let failed = error(uri, "SELECT 1; SELECT 2");
        assert!(
            failed.kind() == ErrorKind::Unsupported && failed.to_string().contains("several statements"),
            "{uri}: {failed}"
        );
        assert_eq!(
            read_with(uri, "SELECT ';' AS a; -- the end;", Options::default()).unwrap().shown(0),
            [";"],
            "{uri}"
        );
    }
}
