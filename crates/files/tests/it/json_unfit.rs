//! JSON lines that are none, and records unlike the others: errors with the line, the column, the value and the way out.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use bowshot_core::Options;

use crate::json::{file, types, wishes};
use crate::support::*;

/// What does not fit, each with words of its message and of its hint.
#[test]
fn what_does_not_fit_is_an_error_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(50), "]".repeat(50));
    for (text, words, way) in [
        (
            "{\"a\":1}\n{\"a\":\"x\"}",
            "column \"a\" holds a number in line 1 of x.jsonl and text in line 2",
            "\"a\": \"utf8\"",
        ),
        (
            "{\"a\":{\"b\":[{}]}}\n\n{\"a\":{\"b\":[true]}}",
            "column \"a.b[]\" holds an object in line 1",
            "{\"a\": \"utf8\"}",
        ),
        ("{\"a\":true}\n{\"a\":0}", "true or false in line 1", "utf8"),
        (
            "{\"a\":9223372036854775808}",
            "column \"a\" is int64, as the records that planning saw, and line 1 of x.jsonl holds 9223372036854775808",
            "\"uint64\"",
        ),
        ("{\"a\":-9223372036854775809}", "holds -9223372036854775809", "decimal128(38, 0)"),
        (
            "{\"a\":1}\n{\"a\":18446744073709551616}",
            "line 2 of x.jsonl holds 18446744073709551616",
            "decimal128(38, 0)",
        ),
        ("{\"a\":[1,18446744073709551616]}", "column \"a[]\" is int64", "{\"a\": \"utf8\"}"),
        ("{\"a\":1e400}", "holds 1e400", "utf8"),
        ("{\"a\":1e-400}", "holds 1e-400", "utf8"),
        ("{\"a\":0.1234567890123456789}", "holds 0.1234567890123456789", "float64"),
        ("{\"a\":1.5}\n{\"a\":9007199254740993}", "line 2 of x.jsonl holds 9007199254740993", "{\"a\": \"utf8\"}"),
        ("{\"a\":1,\"b\":2,\"a\":3}", "line 1 of x.jsonl has the key \"a\" twice", "which of the two"),
        ("{\"b\":{\"a\":1,\"\\u0061\":3}}", "has the key \"a\" twice in one object, in column \"b\"", ""),
        ("{\"a\":NaN}", "line 1 of x.jsonl is no JSON: \"NaN\" from byte 6 on", "null"),
        ("{\"a\":-Infinity}", "\"-Infinity\"", "null"),
        ("{\"a\":\"\\ud800\"}", "half of a surrogate pair from byte 7", "column"),
        ("{\"a\":1,}", "is no JSON: byte 8 is '}', in the place of a key in quotes", ""),
        ("{\"a\":1", "ends within its record", "jq -c"),
        ("{\n  \"a\": 1\n}\n", "line 1 of x.jsonl ends within its record", "jq -c"),
        ("[{\"a\":1},\n{\"a\":2}]", "begins with [", "jq -c '.[]'"),
        ("[\n{\"a\":1}]", "begins with [", "jq -c '.[]'"),
        ("{\"a\":1}\n[1]", "line 2 of x.jsonl begins with [", "object per line"),
        ("{\"a\":1}\n12", "line 2 of x.jsonl is no object", "object per line"),
        ("{\"a\":1} {\"a\":2}", "something behind its record, from byte 9", "jq -c"),
        ("a,b\n1,2", "line 1 of x.jsonl is no JSON: byte 1 is 'a', in the place of {", ""),
        (deep.as_str(), "more than 50 deep", ""),
        ("", "has no record with a key", "types="),
        ("\n\n", "has no record with a key", "types="),
        ("{}\n{}", "has no record with a key", "types="),
        ("{\"a\":\"a\tb\"}", "control character 0x09", "\\t"),
        ("{\"a\":\"\\x\"}", "is no escape", ""),
        ("{\"a\":01}", "is no number of its kind", ""),
    ] {
        let path = file(folder.path(), "x.jsonl", text);
        let error = failure(&uri(&path), "");
        let message = error.message().replace(&path.display().to_string(), "x.jsonl");
        assert!(message.contains(words), "{text}: {message}");
        assert!(error.hint().unwrap_or_default().contains(way) || message.contains(way), "{text}: {error}");
    }
    let path = file(folder.path(), "x.jsonl", b"{\"a\":1}\n{\"a\":1,\"b\":{\"c\":[\"ok\",\"\xe9t\xe9\"]}}\n");
    let error = failure(&uri(&path), "");
    assert!(error.message().contains("line 2"), "{error}");
    assert!(error.message().ends_with("is not UTF-8 (byte 24 is 0xe9), in column \"b.c[]\""), "{error}");
    assert!(error.hint().unwrap().contains("iconv"), "{error}");
}

/// Records far behind the sample.
#[test]
fn a_record_unlike_the_sample_is_an_error_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let record = |i: usize| format!("{{\"a\":{i},\"n\":null,\"s\":{{\"x\":{i}}},\"t\":\"{}\"}}\n", "x".repeat(40));
    for (bad, words, way, inferred) in [
        ("{\"new\":1}", "has the key \"new\"", "types={\"new\": ", "int64"),
        ("{\"s\":{\"y\":1}}", "has the key \"y\" in column \"s\"", "JSON text", "struct<x: int64, y: int64>"),
        (
            "{\"a\":1.5}",
            "column \"a\" is int64, as the records that planning saw",
            "types={\"a\": \"float64\"}",
            "float64",
        ),
        ("{\"n\":5}", "column \"n\" is utf8", "types={\"n\": \"utf8\"}", "int64"),
        ("{\"s\":{\"x\":2.5}}", "column \"s.x\" is int64", "types={\"s\": \"utf8\"}", "struct<x: float64>"),
    ] {
        let text: String = (0..60_000).map(|i| if i == 33_333 { format!("{bad}\n") } else { record(i) }).collect();
        let path = file(folder.path(), "x.jsonl", &text);
        for options in [options(), Options { buffer_bytes: 1, ..options() }] {
            let error = read_with(&uri(&path), "", &options).unwrap_err();
            assert!(error.message().contains(words) && error.message().contains("line 33334 of "), "{error}");
            let hint = error.hint().unwrap();
            assert!(hint.contains(way) && hint.contains("?infer=all"), "{error}");
            let all = read_with(&format!("{}?infer=all", uri(&path)), "", &options).unwrap();
            assert_eq!(all.num_rows(), 60_000);
            assert!(types(&all).contains(&inferred.to_owned()), "{:?}", types(&all));
        }
        // What is not asked for need not fit.
        let some = read_with(&uri(&path), "SELECT t FROM data", &options()).unwrap();
        assert_eq!((some.num_rows(), some.column(0).null_count()), (60_000, 1));
        let column = ["new", "s", "a", "n"].into_iter().find(|name| bad.contains(&format!("{{\"{name}\""))).unwrap();
        let text = read_with(&uri(&path), "", &wishes(&[(column, "utf8")])).unwrap();
        let text = text.column_by_name(column).unwrap().as_string::<i32>().value(33_333).to_owned();
        assert_eq!(format!("{{\"{column}\":{text}}}"), bad);
    }
    // Broken JSON is an error whatever is asked for.
    let text: String = (0..60_000).map(|i| if i == 33_333 { "{\"t\":\"x\"\n".to_owned() } else { record(i) }).collect();
    let path = file(folder.path(), "x.jsonl", &text);
    let error = read_with(&uri(&path), "SELECT a FROM data", &Options { buffer_bytes: 1, ..options() }).unwrap_err();
    assert!(error.message().contains("line 33334 of "), "{error}");
    let error = failure(&format!("{}?infer=all", uri(&path)), "");
    assert!(error.message().contains("line 33334 of "), "{error}");
}

/// What planning does not see is told by whoever reads it.
#[test]
fn faults_behind_the_sample_are_found_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let record = |i: usize| format!("{{\"a\":{i},\"s\":{{\"x\":true}},\"f\":0.5,\"l\":[\"{}\"]}}\n", "x".repeat(40));
    for (bad, words) in [
        ("{\"a\":1,\"f\":1,\"a\":1}", "has the key \"a\" twice in one object"),
        ("{\"s\":{\"x\":true,\"x\":true}}", "has the key \"x\" twice in one object, in column \"s\""),
        ("{\"a\":\"x\"}", "holds \"x\""),
        ("{\"a\":[1]}", "holds [1]"),
        ("{\"a\":true}", "holds true"),
        ("{\"s\":[1]}", "column \"s\" is a struct, as the records that planning saw"),
        ("{\"s\":{\"x\":\"true\"}}", "column \"s.x\" is bool"),
        ("{\"l\":{}}", "column \"l\" is a list"),
        ("{\"l\":[\"a\",1]}", "column \"l[]\" is utf8"),
        ("{\"f\":9007199254740993}", "column \"f\" is float64"),
        ("{\"f\":1e999}", "holds 1e999"),
        ("{\"l\":[\"\\udead\"]}", "half of a surrogate pair"),
        ("{\"a\":9999999999999999999}", "holds 9999999999999999999"),
        ("[{\"a\":1}]", "begins with ["),
        ("{\"a\":1}}", "something behind its record"),
        ("{\"a\":1", "ends within its record"),
    ] {
        let text: String = (0..40_000).map(|i| if i == 33_333 { format!("{bad}\n") } else { record(i) }).collect();
        let path = file(folder.path(), "x.jsonl", &text);
        for options in [options(), Options { buffer_bytes: 1, ..options() }] {
            let error = read_with(&uri(&path), "", &options).unwrap_err();
            assert!(error.message().contains(words) && error.message().contains("line 33334 of "), "{error}");
        }
    }
}
