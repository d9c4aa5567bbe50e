//! What in the tokens of a text databases read in different ways, by version, setting or kind.

use sqlparser::keywords::ALL_KEYWORDS;

use crate::Dialect;
use crate::lex::{Kind, Token};

/// PostgreSQL's types whose values are names: a cast to them says whether a table exists
/// (<https://www.postgresql.org/docs/current/datatype-oid.html>).
const TYPES_OF_NAMES: &[&str] = &[
    "regclass",
    "regcollation",
    "regconfig",
    "regdictionary",
    "regnamespace",
    "regoper",
    "regoperator",
    "regproc",
    "regprocedure",
    "regrole",
    "regtype",
];

/// Reserved words of SQL Server that begin a statement, for which it needs no semicolon before: where the parser sees an alias, it
/// may see a command.
const STATEMENTS: &[&str] = &[
    "alter",
    "backup",
    "begin",
    "bulk",
    "checkpoint",
    "commit",
    "create",
    "dbcc",
    "declare",
    "delete",
    "deny",
    "drop",
    "exec",
    "execute",
    "goto",
    "grant",
    "insert",
    "kill",
    "merge",
    "print",
    "raiserror",
    "reconfigure",
    "restore",
    "return",
    "revert",
    "revoke",
    "rollback",
    "save",
    "shutdown",
    "truncate",
    "update",
    "use",
    "waitfor",
    "while",
];

/// All that is doubtful, each once.
pub(super) fn doubts(sql: &str, tokens: &[Token], dialect: Dialect) -> Vec<&'static str> {
    let mut doubts: Vec<&'static str> = Vec::new();
    if has_control_character(sql) {
        doubts.push("holds a control character, or a carriage return without a line feed");
    }
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1);
        let doubt = match token.kind {
            Kind::Space => None,
            Kind::Comment => of_comment(token.text(sql), dialect),
            Kind::Text | Kind::QuotedName => of_quoted(token.text(sql), token.kind, dialect),
            Kind::Word => of_word(sql, token, next, tokens.get(index + 2), dialect),
            Kind::Symbol => of_symbol(sql, token, next, dialect),
        };
        let doubt = doubt.or_else(|| of_constant(sql, token, tokens.get(index + 1..).unwrap_or_default(), dialect));
        if let Some(doubt) = doubt
            && !doubts.contains(&doubt)
        {
            doubts.push(doubt);
        }
    }
    doubts
}

/// A NUL ends the text for servers that are written in C, a carriage return ends a comment for some of them.
fn has_control_character(sql: &str) -> bool {
    let bytes = sql.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| match byte {
        b'\t' | b'\n' => false,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        byte => *byte < b' ' || *byte == 0x7f,
    })
}

fn of_comment(text: &str, dialect: Dialect) -> Option<&'static str> {
    if let Some(inside) = text.strip_prefix("/*") {
        if inside.starts_with(['+', '!']) || inside.starts_with("M!") {
            return Some("has a comment that a database may run");
        }
        // PostgreSQL and SQL Server nest comments, the others do not.
        return inside.contains("/*").then_some("has a comment inside of a comment");
    }
    // In MySQL, `--1` is no comment.
    let spaced =
        text.strip_prefix("--").is_none_or(|inside| inside.is_empty() || inside.starts_with([' ', '\t', '\r']));
    (dialect == Dialect::Standard && !spaced).then_some("has a comment without a space after its dashes")
}

fn of_quoted(text: &str, kind: Kind, dialect: Dialect) -> Option<&'static str> {
    if dialect == Dialect::MySql && kind == Kind::Text && text.starts_with('"') {
        // By ANSI_QUOTES.
        return Some("has double quotes, in which the server's mode sees a string or a name");
    }
    // By standard_conforming_strings, NO_BACKSLASH_ESCAPES, and an E before the quote.
    let mut backslashes = 0_usize;
    for character in text.chars() {
        match character {
            '\\' => backslashes += 1,
            '\'' | '"' | '`' if backslashes % 2 == 1 => {
                return Some("has a backslash before a quote, which the server's settings may take for its escape");
            }
            _ => backslashes = 0,
        }
    }
    None
}

fn of_word(
    sql: &str,
    token: &Token,
    next: Option<&Token>,
    after: Option<&Token>,
    dialect: Dialect,
) -> Option<&'static str> {
    let text = token.text(sql);
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    let quotes = |token: Option<&Token>| token.is_some_and(|it| matches!(it.kind, Kind::Text | Kind::QuotedName));
    let touches = |symbol: &str| next.is_some_and(|next| next.is_symbol(sql, symbol));
    if !text.is_ascii() {
        // Servers fold and compare such letters by their encoding and collation; some are white space to some.
        return Some("has letters beyond ASCII outside of quotes");
    }
    if is("u") && touches("&") && quotes(after) && after.is_some_and(|after| after.kind == Kind::QuotedName) {
        return Some("has a name with Unicode escapes (U&\"…\")");
    }
    if dialect == Dialect::Standard && (is("q") || is("nq")) && quotes(next) {
        return Some("has a string in quotes of its own (q'…')");
    }
    if text.starts_with(|first: char| first.is_ascii_digit()) && !is_number(text, touches("+") || touches("-")) {
        // A number and a name in PostgreSQL before 15 and in Oracle, one name in MySQL, an error elsewhere.
        return Some("has a number that touches a name");
    }
    let names = dialect == Dialect::Postgres || dialect == Dialect::Standard;
    if names && TYPES_OF_NAMES.iter().any(|word| is(word)) {
        return Some("casts to a type whose values are names in the catalog");
    }
    let statements = matches!(dialect, Dialect::SqlServer | Dialect::Standard);
    if statements && STATEMENTS.iter().any(|word| is(word)) {
        return Some("has a word outside of quotes that begins another statement in SQL Server");
    }
    (is("nextval") || is("currval")).then_some("uses a sequence")
}

/// A string after a name: in PostgreSQL a constant of the type with that name, which each table is. After a keyword (`LIKE 'x'`,
/// `date 'x'`) and after a prefix (`E'x'`) it is not.
fn of_constant(sql: &str, token: &Token, after: &[Token], dialect: Dialect) -> Option<&'static str> {
    if !matches!(dialect, Dialect::Postgres | Dialect::Standard) {
        return None;
    }
    let is_name = match token.kind {
        Kind::QuotedName => true,
        Kind::Word => {
            let word = token.text(sql).to_ascii_uppercase();
            let is_prefix = matches!(word.as_str(), "B" | "E" | "N" | "X") && is_text(after.first());
            !is_prefix && ALL_KEYWORDS.binary_search(&word.as_str()).is_err()
        }
        _ => false,
    };
    let next = after.iter().find(|token| !token.is_blank());
    (is_name && is_text(next)).then_some("has a string after a name, which may be a constant of a table's type")
}

fn is_text(token: Option<&Token>) -> bool {
    token.is_some_and(|token| token.kind == Kind::Text)
}

fn of_symbol(sql: &str, token: &Token, next: Option<&Token>, dialect: Dialect) -> Option<&'static str> {
    let touches = |symbol: &str| next.is_some_and(|next| next.is_symbol(sql, symbol));
    match token.text(sql) {
        // Only outside of comments does a star follow: `/*!`.
        "/" if touches("*") => Some("has a comment that a database may run"),
        // Variables, links to other databases.
        "@" if dialect != Dialect::Postgres => Some("has an @ outside of quotes"),
        // ODBC's escapes.
        "{" => Some("has a brace outside of quotes"),
        "\\" => Some("has a backslash outside of quotes"),
        "#" | "`" | "[" if dialect == Dialect::Standard => Some("has a character that quotes in some databases"),
        "$" if dialect != Dialect::Postgres && touches("$") => Some("has a character that quotes in some databases"),
        _ => None,
    }
}

/// Digits, with an exponent, or hexadecimal, octal and binary ones. `signed`: a sign follows.
fn is_number(text: &str, signed: bool) -> bool {
    let text = text.to_ascii_lowercase();
    let digits = |text: &str, radix: u32| text.chars().all(|digit| digit.is_digit(radix) || digit == '_');
    let radix = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(prefix, radix)| {
        let rest = text.strip_prefix(prefix)?;
        Some((rest, radix))
    });
    match (radix, text.split_once('e')) {
        (Some((rest, radix)), _) => !rest.is_empty() && digits(rest, radix),
        (None, Some((before, after))) => digits(before, 10) && digits(after, 10) && (!after.is_empty() || signed),
        (None, None) => digits(&text, 10),
    }
}
