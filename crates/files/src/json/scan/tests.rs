use proptest::prelude::*;

use super::*;

fn passes(text: &str) -> Result<(), Fault> {
    let mut scanner = Scanner::new(text.as_bytes());
    scanner.pass()?;
    scanner.end()
}

fn fault(text: &str) -> Fault {
    passes(text).unwrap_err()
}

#[test]
fn json_is_read_strictly() {
    for text in [
        "{}",
        "[]",
        " { \"a\" : [ 1 , -2.5e+3 , null ] } ",
        "\"\\u0000\\ud83d\\ude00\"",
        "-0",
        "0.0",
        "1E9",
        "true",
        "\"é\"",
        "{\"a\":{\"a\":[[],[{}]]}}\r",
    ] {
        assert_eq!(passes(text), Ok(()), "{text}");
    }
    for (text, at, kind) in [
        ("{\"a\":1,}", 7, FaultKind::Expected("a key in quotes")),
        ("[1,]", 3, FaultKind::Expected("a value")),
        ("[1 2]", 3, FaultKind::Expected("a comma or ]")),
        ("{\"a\" 1}", 5, FaultKind::Expected("a colon")),
        ("{a:1}", 1, FaultKind::Expected("a key in quotes")),
        ("{'a':1}", 1, FaultKind::Expected("a key in quotes")),
        ("{\"a\":1", 6, FaultKind::Unfinished),
        ("\"abc", 4, FaultKind::Unfinished),
        ("\"abc\\", 5, FaultKind::Unfinished),
        ("\"\\u12", 5, FaultKind::Unfinished),
        ("1 2", 2, FaultKind::Behind),
        ("NaN", 0, FaultKind::Word),
        ("-Infinity", 0, FaultKind::Word),
        ("nulll", 0, FaultKind::Word),
        ("True", 0, FaultKind::Expected("a value")),
        ("01", 0, FaultKind::Number),
        ("1.", 0, FaultKind::Number),
        (".5", 0, FaultKind::Number),
        ("+1", 0, FaultKind::Number),
        ("1e", 0, FaultKind::Number),
        ("-", 0, FaultKind::Number),
        ("0x10", 0, FaultKind::Number),
        ("\"a\tb\"", 2, FaultKind::Control(9)),
        ("\"\\x\"", 1, FaultKind::Escape),
        ("\"\\u12g4\"", 1, FaultKind::Escape),
    ] {
        assert_eq!(fault(text), kind.at(at), "{text}");
    }
    let mut scanner = Scanner::new(b"\"a\xff\"");
    assert_eq!(scanner.pass(), Err(FaultKind::Utf8(0xff).at(2)));
}

#[test]
fn values_within_values_have_an_end() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(passes(&nested(DEEPEST)), Ok(()));
    assert_eq!(fault(&nested(DEEPEST + 1)), FaultKind::Deep.at(DEEPEST));
    assert_eq!(fault(&"[".repeat(1_000_000)), FaultKind::Deep.at(DEEPEST));
    // Side by side there may be as many as one likes.
    assert_eq!(passes(&format!("[{}[]]", "[[]],".repeat(10_000))), Ok(()));
}

#[test]
fn half_a_pair_is_no_character() {
    let mut scratch = String::new();
    for (text, said) in [
        (r#""\ud83d\ude00\u0041\n\/""#, Ok("😀A\n/")),
        (r#""ab\ud83d""#, Err(3)),
        (r#""\ude00\ud83d""#, Err(1)),
        (r#""\ud83dx""#, Err(1)),
        (r#""\n\ud83d\u0041""#, Err(3)),
    ] {
        let Ok(Value::Text(found)) = Scanner::new(text.as_bytes()).value() else { panic!("{text}") };
        let found = found.said(&mut scratch).map_err(|fault| fault.at);
        assert_eq!(found, said, "{text}");
    }
}

const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"a\"",
    "\"b\":",
    "\"",
    "\\",
    "\\\"",
    "\\u0041",
    "\\ud800",
    "\"é\"",
    "1",
    "0",
    "-",
    ".",
    "e",
    "E+",
    "1.5",
    "true",
    "false",
    "null",
    "nul",
    " ",
    "\t",
    "\r",
    "NaN",
    "\"\u{1}\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn what_is_json_is_told_as_others_tell(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..14)) {
        let text = tokens.concat();
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        prop_assert_eq!(passes(&text).is_ok(), theirs, "{}", text);
    }

    #[test]
    fn texts_say_what_others_read(text in "\\PC{0,20}", ascii in any::<bool>()) {
        let mut written = serde_json::to_string(&text).unwrap();
        if ascii {
            let units = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect::<String>();
            written = format!("\"{}\"", text.chars().map(units).collect::<String>());
        }
        let Ok(Value::Text(found)) = Scanner::new(written.as_bytes()).value() else { panic!("{written}") };
        let mut scratch = String::new();
        prop_assert_eq!(found.said(&mut scratch).unwrap(), text);
    }

    #[test]
    fn any_bytes_end_in_a_value_or_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut scanner = Scanner::new(&bytes);
        let _ = scanner.pass();
        prop_assert!(scanner.written(0).len() <= bytes.len());
    }
}
