use super::*;

fn path(uri: &str) -> String {
    Location::parse(uri).unwrap().shown().to_owned()
}

#[test]
fn uris_name_files() {
    for (uri, wanted) in [
        ("file:///a/b.parquet", "/a/b.parquet"),
        ("file://localhost/a", "/a"),
        ("file:/a", "/a"),
        ("file:data/*.csv?header=false", "data/*.csv"),
        ("FILE:///a%20b", "/a b"),
        ("data/50%?.csv", "data/50%?.csv"),
        ("C:\\data\\x.csv", "C:\\data\\x.csv"),
    ] {
        assert_eq!(path(uri), wanted, "{uri}");
    }
}

#[test]
fn options_are_read() {
    let location =
        Location::parse("file:x?delimiter=;&quote='&null=NA&null=-&format=csv&hive=0&mmap=false&trusted=1").unwrap();
    assert_eq!(location.dialect.delimiter, Some(b';'));
    assert_eq!(location.dialect.quote, Some(b'\''));
    assert_eq!(location.dialect.nulls, [b"NA".to_vec(), b"-".to_vec()]);
    assert_eq!(location.format, Some(Format::Csv));
    assert!(!location.hive && !location.mmap && location.trusted);
    assert_eq!(Location::parse("file:x?range=0-512").unwrap().range, Some(0..512));
    assert_eq!(Location::parse("file:x?quote=").unwrap().dialect.quote, None);
    assert_eq!(Location::parse("file:x?delimiter=%09").unwrap().dialect.delimiter, Some(b'\t'));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (uri, kind) in [
        ("file://server/share/x", ErrorKind::Config),
        ("file:x?delimiter=ab", ErrorKind::Config),
        ("file:x?header=maybe", ErrorKind::Config),
        ("file:x?format=xlsx", ErrorKind::Config),
        ("file:x?color=red", ErrorKind::Config),
        ("file:x?range=7", ErrorKind::Config),
        ("file:x?range=7-6", ErrorKind::Config),
        ("file:x?range=-1-6", ErrorKind::Config),
        ("ftp://host/x.csv", ErrorKind::Unsupported),
    ] {
        assert_eq!(Location::parse(uri).unwrap_err().kind(), kind, "{uri}");
    }
}

#[cfg(feature = "remote")]
#[test]
fn secrets_are_not_shown() {
    let location = Location::parse("s3://bucket/prefix?secret_access_key=hunter2&region=x").unwrap();
    assert!(!format!("{location:?}").contains("hunter2"), "{location:?}");
    for uri in ["https://ada:hunter2@host/x.csv", "https://host/x.parquet?X-Amz-Signature=hunter2#format=parquet"] {
        let error = Location::parse(uri).unwrap_err();
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
    assert_eq!(Location::parse("https://host/x.txt#format=csv").unwrap().format, Some(Format::Csv));
}
