use proptest::prelude::*;

use super::{Pattern, fits, is_asked};

fn like(pattern: &str, name: &str) -> bool {
    Pattern::new(pattern).matches(name)
}

#[test]
fn a_percent_sign_stands_for_any_characters_and_an_underscore_for_one() {
    assert!(like("%", "") && like("%", "orders") && like("or%", "orders") && like("%er%", "orders"));
    assert!(like("order_", "orders") && like("______", "orders") && like("_%_", "orders"));
    assert!(!like("order_", "order") && !like("_", "") && !like("", "orders") && !like("or", "orders"));
    assert!(like("%ab%ab", "abaabab") && !like("%ab%ab", "abaaba"));
}

#[test]
fn everything_else_means_itself() {
    assert!(like(r"a\_b", r"a\xb") && !like(r"a\_b", "a_b"));
    assert!(like("a.b*[c]", "a.b*[c]") && !like("a.b", "axb"));
    assert!(!like("Orders", "orders"));
}

#[test]
fn a_character_is_one_whatever_bytes_it_has() {
    assert!(like("_", "ß") && like("tä_chen", "täß\u{63}hen") && !like("_", "ab"));
}

#[test]
fn an_empty_name_asks_for_what_has_none() {
    assert!(is_asked(Some(""), None) && !is_asked(Some(""), Some("public")));
    assert!(is_asked(None, Some("public")) && is_asked(None, None) && !is_asked(Some("public"), None));
    assert!(fits(Some(&Pattern::new("")), None) && !fits(Some(&Pattern::new("")), Some("public")));
    assert!(fits(None, None) && fits(Some(&Pattern::new("%")), None));
}

/// What LIKE means, written as plainly as can be.
fn plainly(pattern: &[char], name: &[char]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some(('%', rest)), _) => (0..=name.len()).any(|skip| plainly(rest, &name[skip..])),
        (Some(('_', rest)), Some((_, name))) => plainly(rest, name),
        (Some((wanted, rest)), Some((character, name))) => wanted == character && plainly(rest, name),
        _ => false,
    }
}

proptest! {
    #[test]
    fn patterns_mean_what_their_definition_says(pattern in "[%_ab\\\\ß]{0,8}", name in "[%_ab\\\\ß]{0,10}") {
        let (wanted, letters): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
        prop_assert_eq!(like(&pattern, &name), plainly(&wanted, &letters));
    }

    #[test]
    fn a_name_without_wildcards_is_its_own_pattern(name in "[^%_]{0,12}") {
        prop_assert!(like(&name, &name));
    }

    #[test]
    fn a_hostile_pattern_ends_soon(length in 1_usize..400) {
        let pattern = "%a".repeat(length) + "b";
        prop_assert!(!like(&pattern, &"a".repeat(length * 4)));
    }
}
