//! Of the small functions, and of all of them on arbitrary text.

use bowshot_core::{Params, Query, Value};
use proptest::prelude::*;

use crate::*;

const DIALECTS: [Dialect; 3] = [Dialect::Postgres, Dialect::Sqlite, Dialect::MySql];

#[test]
fn the_end_of_a_query_is_stripped() {
    let cases = [
        ("SELECT 1", "SELECT 1"),
        ("SELECT 1 ; \n;-- done", "SELECT 1"),
        ("SELECT 1 /* ; */ -- x\n ;", "SELECT 1"),
        ("SELECT ';' -- it's\n", "SELECT ';'"),
        ("SELECT '-- no';", "SELECT '-- no'"),
        ("SELECT $$ ; -- $$ ;", "SELECT $$ ; -- $$"),
        ("SELECT 1; SELECT 2;", "SELECT 1; SELECT 2"),
        (" \t SELECT 1 ", " \t SELECT 1"),
        ("-- nothing\n;", ""),
        ("", ""),
        ("SELECT 'open ;", "SELECT 'open ;"),
        ("SELECT 1 /* open ;", "SELECT 1 /* open ;"),
    ];
    for (sql, expected) in cases {
        assert_eq!(strip_end(sql, Dialect::Postgres), expected, "{sql}");
    }
    assert_eq!(strip_end("SELECT 1 # x;", Dialect::MySql), "SELECT 1");
    assert_eq!(strip_end("SELECT 1 /*! + 1 */;", Dialect::MySql), "SELECT 1 /*! + 1 */");
}

#[test]
fn names_and_literals_are_quoted() {
    assert_eq!(quote_identifier("Ä\"b.c", Dialect::Sqlite), "\"Ä\"\"b.c\"");
    assert_eq!(quote_identifier("a`b\"", Dialect::MySql), "`a``b\"`");
    assert_eq!(quote_literal("a'b", Dialect::Postgres), "'a''b'");
    assert_eq!(quote_literal("a\\'b", Dialect::Postgres), "E'a\\\\''b'");
    assert_eq!(quote_literal("a\\'b", Dialect::MySql), "'a\\\\''b'");
    assert_eq!(quote_literal("a\\'b", Dialect::Sqlite), "'a\\''b'");
}

/// Pieces of SQL, between bars; a few of them open what others close.
const PIECES: &str = "SELECT ¦a¦b¦t¦*¦ FROM ¦t¦\"T\"\"t\"¦`q`¦[x]¦.¦,¦(¦)¦ JOIN ¦ ON ¦ LEFT JOIN ¦ WHERE ¦=¦ AND ¦'x'¦\
    'it''s'¦E'\\''¦$$¦$a$¦$1¦?¦%s¦%%¦%(a)s¦:a¦::int¦[1:2]¦--¦/*¦*/¦\n¦\t¦é¦€¦😀¦;¦'¦\"¦ LIMIT 1¦ USING (a)¦count(¦@x¦#¦\\¦\0";

/// Text that looks enough like SQL to reach far into the code.
fn sql() -> impl Strategy<Value = String> {
    let pieces: Vec<&str> = PIECES.split('¦').collect();
    let piece = prop_oneof![4 => proptest::sample::select(pieces).prop_map(str::to_owned), 1 => any::<String>()];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(sql in sql()) {
        for dialect in DIALECTS {
            let stripped = strip_end(&sql, dialect);
            prop_assert!(sql.starts_with(stripped));
            if let Ok(tokens) = lex::lex(&sql, dialect) {
                let whole: String = tokens.iter().map(|token| token.text(&sql)).collect();
                prop_assert_eq!(&whole, &sql);
            }
            let shape = analyse(&sql, dialect);
            for candidate in shape.split.iter().flatten() {
                let spliced = splice(&sql, candidate, "(x)");
                let (start, end) = (candidate.range.start, candidate.range.end);
                prop_assert!(spliced.starts_with(&sql[..start]) && spliced.ends_with(&sql[end..]));
            }
            let values = vec![Value::Int(1), Value::Null];
            for params in [Params::Positional(values), Params::Named(vec![("a".into(), Value::Null)])] {
                let _ = bind(&Query { sql: sql.clone(), params }, dialect);
            }
        }
    }

    #[test]
    fn without_parameters_bind_is_the_identity(sql in sql()) {
        for dialect in DIALECTS {
            let (bound, values) = bind(&Query::new(sql.clone()), dialect).unwrap();
            prop_assert_eq!(&bound, &sql);
            prop_assert!(values.is_empty());
        }
    }

    #[test]
    fn what_is_quoted_is_read_back(text in any::<String>()) {
        for dialect in DIALECTS {
            for quoted in [quote_identifier(&text, dialect), quote_literal(&text, dialect)] {
                let tokens = lex::lex(&quoted, dialect).unwrap();
                prop_assert!(tokens.len() == 1 || (tokens.len() == 2 && quoted.starts_with('E')), "{}", quoted);
            }
        }
    }
}
