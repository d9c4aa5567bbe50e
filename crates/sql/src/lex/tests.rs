use super::*;
use Dialect::{MySql, Oracle, Postgres, SqlServer, Sqlite, Standard};

/// The pieces that are not space, each as its kind's first letters and its text.
fn pieces(sql: &str, dialect: Dialect) -> Vec<String> {
    let tokens = lex(sql, dialect).unwrap();
    let shown = tokens.iter().filter(|token| token.kind != Kind::Space);
    shown.map(|token| format!("{:?} {}", token.kind, token.text(sql))).collect()
}

#[test]
fn what_is_no_code_is_one_piece() {
    let cases: &[(Dialect, &str, &str)] = &[
        (Postgres, "'it''s -- no'", "Text"),
        (Postgres, "$$ ' ; $a $$", "Text"),
        (Postgres, "$a$ $$ $b$ $a$", "Text"),
        (Postgres, "$é$ x $é$", "Text"),
        (Postgres, "/* a /* ' */ b */", "Comment"),
        (Postgres, "-- it's", "Comment"),
        (Postgres, "\"a.\"\"b\"", "QuotedName"),
        (Sqlite, "/* a /* ' */", "Comment"),
        (Sqlite, "/* to the end", "Comment"),
        (Sqlite, "[a ' b]", "QuotedName"),
        (Sqlite, "`a``b`", "QuotedName"),
        (Sqlite, "'\\'", "Text"),
        (MySql, "'it\\'s'", "Text"),
        (MySql, "\"it\\\"s \"\"x\"", "Text"),
        (MySql, "# it's", "Comment"),
        (MySql, "--\tit's", "Comment"),
        (MySql, "`a``b`", "QuotedName"),
        (SqlServer, "[a ' ]] b]", "QuotedName"),
        (SqlServer, "/* a /* ' */ b */", "Comment"),
        (SqlServer, "'\\'", "Text"),
        (Oracle, "q'[it's]'", "Text"),
        (Oracle, "Nq'!it's!'", "Text"),
        (Oracle, "/* a /* ' */", "Comment"),
        (Standard, "'\\'", "Text"),
    ];
    for (dialect, sql, kind) in cases {
        assert_eq!(pieces(sql, *dialect), [format!("{kind} {sql}")], "{dialect:?}");
    }
}

#[test]
fn a_literal_s_prefix_decides_its_escapes() {
    assert_eq!(pieces(r"E'\'' x", Postgres), ["Word E", r"Text '\''", "Word x"]);
    assert_eq!(pieces(r"'\' x", Postgres), [r"Text '\'", "Word x"]);
    assert_eq!(pieces(r"U&'\0061' x", Postgres), ["Word U", "Symbol &", r"Text '\0061'", "Word x"]);
    // Continued on the next line with the same escapes, but not on the same line.
    assert_eq!(pieces("e'a'\n  '\\'b'", Postgres), ["Word e", "Text 'a'\n  '\\'b'"]);
    assert_eq!(pieces("e'a' 'b'", Postgres), ["Word e", "Text 'a'", "Text 'b'"]);
}

#[test]
fn code_stays_code() {
    assert_eq!(pieces("a-- 1", MySql), ["Word a", "Comment -- 1"]);
    assert_eq!(pieces("a--1", MySql), ["Word a", "Symbol -", "Symbol -", "Word 1"]);
    assert_eq!(pieces("/*!1 x*/", MySql).len(), 7);
    assert_eq!(pieces("a$b$c", Postgres), ["Word a$b$c"]);
    assert_eq!(pieces("$1", Postgres), ["Symbol $", "Word 1"]);
    assert_eq!(pieces("a[1]", Postgres), ["Word a", "Symbol [", "Word 1", "Symbol ]"]);
    assert_eq!(pieces("grün", Postgres), ["Word grün"]);
}

#[test]
fn what_does_not_end_says_where_it_began() {
    for (sql, start) in [("a 'b", 2), ("ä /* /* */", 3), ("$x$ $y$", 0), ("\"", 0), ("E'\\'", 1)] {
        assert_eq!(lex(sql, Postgres), Err(Unterminated(start)), "{sql}");
    }
    assert_eq!(lex("[a", Sqlite), Err(Unterminated(0)));
}
