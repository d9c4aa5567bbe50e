use super::*;

#[test]
fn dates_of_every_year() {
    for (text, days) in [
        ("1970-01-01", Some(0)),
        ("2024-02-29", Some(19_782)),
        ("+12024-02-29", Some(19_782 + 25 * DAYS_PER_CYCLE)),
        ("0000-03-01", Some(-719_468)),
        ("-0001-03-01", Some(-719_468 - 366)),
        ("-0400-03-01", Some(-719_468 - DAYS_PER_CYCLE)),
        ("+5881580-07-11", Some(2_147_483_647)),
        ("-5877641-06-23", Some(-2_147_483_648)),
        ("2023-02-29", None),
        ("+2023-02-30", None),
        ("", None),
        ("-", None),
        ("-01-01", None),
        ("+99999999999-01-01", None),
        ("2024-1-1", None),
        ("20é4-01-01", None),
    ] {
        assert_eq!(date(text.as_bytes()), days, "{text}");
    }
}

#[test]
fn times_down_to_picoseconds() {
    assert_eq!(clock(b"01:02:03.123456789012"), Some((3723, 123_456_789_012)));
    assert_eq!(clock(b"23:59:59"), Some((86_399, 0)));
    for text in ["24:00:00", "01:02", "01:02:03.", "01:02:03.1234567890123", "01:02:03.a", "", "é1:02:03"] {
        assert_eq!(clock(text.as_bytes()), None, "{text}");
    }
    assert_eq!(in_unit(1, 500_000_000_000, TimeUnit::Millisecond), Some(1500));
    assert_eq!(in_unit(1, 500, TimeUnit::Nanosecond), None);
    assert_eq!(in_unit(i64::MAX / 1000, 0, TimeUnit::Microsecond), None);
    let least = i64::MIN.div_euclid(1_000_000_000);
    let nanos = i64::MIN.rem_euclid(1_000_000_000);
    assert_eq!(in_unit(least, nanos * 1000, TimeUnit::Nanosecond), Some(i64::MIN));
    assert_eq!(in_unit(least, (nanos - 1) * 1000, TimeUnit::Nanosecond), None);
}

#[test]
fn moments_have_their_place_in_utc() {
    assert_eq!(timestamp("1970-01-02 00:00:01.5"), Some((86_401, 500_000_000_000)));
    assert_eq!(timestamp("-0001-03-01 00:00:00"), Some(((-719_468 - 366) * SECONDS_PER_DAY, 0)));
    assert_eq!(timestamp("1970-01-02 00:00:01 UTC"), None);
    for (text, seconds) in [
        ("1970-01-01 00:00:00 UTC", Ok(0)),
        ("1970-01-01 05:30:00 +05:30", Ok(0)),
        ("1969-12-31 19:00:00 -05:00", Ok(0)),
        ("2020-07-01 00:00:00 America/New_York", Ok(1_593_576_000)),
        ("2020-01-01 00:00:00 America/New_York", Ok(1_577_854_800)),
        ("2020-11-01 01:30:00 America/New_York", Err(NoInstant::Twice)),
        ("2020-03-08 02:30:00 America/New_York", Err(NoInstant::Unknown)),
        ("2020-03-08 02:30:00 Nowhere/Else", Err(NoInstant::Unknown)),
        ("2020-03-08 02:30:00", Err(NoInstant::Malformed)),
        ("2020-03-08 02:30:00 +24:00", Err(NoInstant::Malformed)),
        ("+9999999-03-08 02:30:00 America/New_York", Err(NoInstant::Unknown)),
        ("", Err(NoInstant::Malformed)),
    ] {
        assert_eq!(instant(text).map(|(seconds, _)| seconds), seconds, "{text}");
    }
}

#[test]
fn intervals() {
    for (text, count) in [
        ("-0-3", Some(-3)),
        ("1-2", Some(14)),
        ("-178956970-8", Some(i32::MIN)),
        ("178956970-8", None),
        ("1", None),
        ("--1-2", None),
        ("9999999999-0", None),
    ] {
        assert_eq!(months(text), count, "{text}");
    }
    assert_eq!(days("-2 03:04:05.678"), Some((-2, -11_045_678_000_000)));
    assert_eq!(days("0 00:00:00.000"), Some((0, 0)));
    assert_eq!(days("99999999999 00:00:00.000"), None);
    assert_eq!(days("1"), None);
}
