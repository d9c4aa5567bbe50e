use super::*;
use crate::csv::Dialect;
use crate::format::Format;

fn rules(escape: Option<u8>) -> Rules {
    Dialect { escape, ..Dialect::default() }.completed(Format::Csv)
}

fn split_by(rules: &Rules, text: &str, last: bool) -> Result<(Vec<Vec<String>>, usize), Fault> {
    let mut records = Records::new(rules, None);
    let end = records.split(text.as_bytes(), last, usize::MAX)?;
    let text = |field: &Field| text[field.start as usize..field.end as usize].to_owned();
    let width = records.width.unwrap_or(1);
    Ok((records.fields.chunks(width).map(|record| record.iter().map(text).collect()).collect(), end))
}

fn split(text: &str, last: bool) -> Result<(Vec<Vec<String>>, usize), Fault> {
    split_by(&rules(None), text, last)
}

#[test]
fn records_are_taken_apart() {
    let (records, end) = split("a,b\r\n\r\n\"x,\ny\",\"\"\n,\"q\"\"r\"\nrest,", false).unwrap();
    assert_eq!(records, [["a", "b"], ["x,\ny", ""], ["", "q\"\"r"]]);
    assert_eq!(end, 25);
    assert_eq!(split("a,b\nc,", true).unwrap().0, [["a", "b"], ["c", ""]]);
    assert_eq!(split("a,\"b\"", false).unwrap(), (vec![], 0));
    assert_eq!(split("a,b\r", true).unwrap().0, [["a", "b"]]);
}

#[test]
fn the_first_line_settles_what_ends_lines() {
    for (text, wanted) in [
        ("a,b\rc,d\r", vec![["a", "b"], ["c", "d"]]),
        ("a,b\r\rc,\"d\"\r\r", vec![["a", "b"], ["c", "d"]]),
        ("a,\"b\n\r\r\n\"\rc,d", vec![["a", "b\n\r\r\n"], ["c", "d"]]),
        ("a,b\r\r\nc,\"d\"\r\r\r\n", vec![["a", "b"], ["c", "d"]]),
        ("a,b\nc,d\r\r\ne,\"\r\"\r\n", vec![["a", "b"], ["c", "d"], ["e", "\r"]]),
        ("a,b\nc,d\r", vec![["a", "b"], ["c", "d"]]),
    ] {
        assert_eq!(split(text, true).unwrap().0, wanted, "{text:?}");
    }
    // What follows a CR at the end of a block is not known.
    assert_eq!(split("a,b\r", false).unwrap(), (vec![], 0));
    assert_eq!(split("a,b\nc,d\r\r", false).unwrap().1, 4);
    assert_eq!(split("a,b\rc,d\r", false).unwrap().1, 8);
}

#[test]
fn escapes_take_the_meaning_of_what_follows() {
    let rules = rules(Some(b'\\'));
    for (text, wanted) in [
        ("\"a\\\"b\",c\\,d\n", vec![["a\\\"b", "c\\,d"]]),
        ("\"a\\\\\",b\\\n\n", vec![["a\\\\", "b\\\n"]]),
        ("a\\\r\nb,\"\"\"\\\r\"\n", vec![["a\\\r\nb", "\"\"\\\r"]]),
    ] {
        assert_eq!(split_by(&rules, text, true).unwrap().0, wanted, "{text:?}");
    }
    assert_eq!(split_by(&rules, "a\\", false).unwrap().1, 0);
    assert_eq!(split_by(&rules, "\"a\\\r", false).unwrap().1, 0);
    for (text, at, found) in [("a,b\\n\n", 3, Some('n')), ("\"\\0\"", 1, Some('0')), ("a\\", 1, None)] {
        let fault = Fault { at, kind: FaultKind::Escape(found) };
        assert_eq!(split_by(&rules, text, true).unwrap_err(), fault, "{text:?}");
    }
}

#[test]
fn what_is_no_record_is_named() {
    for (text, at, kind) in [
        ("a,b\nc,d\"e\n", 7, FaultKind::Quote),
        ("a,\"b\"c\n", 5, FaultKind::Quote),
        ("a,\"b\n", 2, FaultKind::Open),
        ("a,b\nc\n", 4, FaultKind::Width(1)),
        ("a,b\nc\rd,e\n", 5, FaultKind::Return),
        ("a,b\r\nc,d\r\re,f\n", 8, FaultKind::Return),
        ("a,b\rc,d\ne,f\r", 7, FaultKind::Feed),
        ("a,b\rc,d\r\n", 8, FaultKind::Feed),
    ] {
        assert_eq!(split(text, true).unwrap_err(), Fault { at, kind }, "{text:?}");
    }
}
