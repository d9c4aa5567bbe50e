use proptest::prelude::*;

use super::*;

#[test]
fn values_come_one_by_one() {
    let text = r#" [1, -2.5e3 ,null,"plain","q\"\\\u00e9\ud83d\ude00\n", true,{"k" : [false]}, {}]"#;
    let mut cursor = Cursor::default();
    assert_eq!(cursor.token(text), Ok(Token::List));
    let mut first = true;
    for expected in [
        Token::Number("1"),
        Token::Number("-2.5e3"),
        Token::Null,
        Token::Text("plain"),
        Token::Text("q\"\\é😀\n"),
        Token::Bool(true),
        Token::Object,
    ] {
        assert_eq!(cursor.item(text, &mut first), Ok(true));
        assert_eq!(cursor.token(text), Ok(expected));
    }
    let mut members = true;
    assert_eq!(cursor.key(text, &mut members), Ok(Some("k")));
    assert_eq!(cursor.colon(text), Ok(()));
    assert_eq!(cursor.raw(text), Ok("[false]"));
    assert_eq!(cursor.key(text, &mut members), Ok(None));
    assert_eq!(cursor.item(text, &mut first), Ok(true));
    assert_eq!(cursor.raw(text), Ok("{}"));
    assert_eq!(cursor.item(text, &mut first), Ok(false));
    assert_eq!(cursor.position(), text.len());
}

#[test]
fn half_characters_are_refused() {
    for text in [r#""\ud800""#, r#""\ud800\u0041""#, r#""\udc00""#, r#""\u12"#, r#""\x""#, "\"abc", "", "nul", "\"\\"] {
        assert!(Cursor::default().token(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in "[\\[\\]{}\",:\\\\u0-9a-f é-]{0,40}") {
        let mut cursor = Cursor::default();
        let mut first = true;
        for step in 0..50 {
            match step % 4 {
                0 => { let _ = cursor.token(&text); }
                1 => { let _ = cursor.item(&text, &mut first); }
                2 => { let _ = cursor.key(&text, &mut first); }
                _ => { let _ = cursor.raw(&text); }
            }
        }
    }

    #[test]
    fn strings_read_as_serde_reads_them(text in any::<String>()) {
        let json = serde_json::to_string(&text).unwrap();
        assert_eq!(Cursor::default().token(&json), Ok(Token::Text(&text)));
    }
}
