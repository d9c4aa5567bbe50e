//! What the tokens of a query tell without its structure: functions, literals, names.

use std::collections::HashSet;

use crate::lex::{Kind, Token};
use crate::name::unquote;
use crate::{Dialect, Name, NamePart};

/// Words before a parenthesis that call nothing in any of the databases.
const NO_FUNCTIONS: &[&str] = &[
    "all",
    "and",
    "any",
    "as",
    "between",
    "by",
    "case",
    "distinct",
    "else",
    "except",
    "exists",
    "filter",
    "from",
    "group",
    "having",
    "in",
    "intersect",
    "is",
    "join",
    "like",
    "limit",
    "not",
    "offset",
    "on",
    "or",
    "order",
    "over",
    "partition",
    "returning",
    "select",
    "set",
    "some",
    "then",
    "union",
    "using",
    "values",
    "when",
    "where",
    "with",
];

/// Functions that are called without parentheses.
const BARE_FUNCTIONS: &[&str] = &[
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
    "system_user",
    "user",
    "utc_date",
    "utc_time",
    "utc_timestamp",
];

/// What the tokens of a query tell.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Everything that looks like a call, each name once.
    pub(crate) functions: Vec<Name>,
    /// What string literals say, in the order of the text.
    pub(crate) literals: Vec<String>,
    /// Names with all their dots; `t.*` ends in a part `*`.
    pub(crate) chains: HashSet<Name>,
}

impl Facts {
    /// Reads the tokens of a whole query.
    pub(crate) fn collect(sql: &str, tokens: &[Token], dialect: Dialect) -> Facts {
        let mut facts = Facts::default();
        for token in tokens {
            // SQLite reads a double-quoted name that it does not know as a string.
            if token.kind == Kind::Text || (dialect == Dialect::Sqlite && token.kind == Kind::QuotedName) {
                facts.literals.push(literal(token.text(sql)));
            }
        }
        let code: Vec<&Token> = tokens.iter().filter(|token| !token.is_blank()).collect();
        let mut rest = code.as_slice();
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            let Some(first) = NamePart::from_token(token, sql, dialect) else { continue };
            let mut parts = vec![first];
            while let [dot, next, after @ ..] = rest
                && dot.is_symbol(sql, ".")
            {
                if next.is_symbol(sql, "*") {
                    parts.push(NamePart { text: "*".to_owned(), quoted: false });
                } else if let Some(part) = NamePart::from_token(next, sql, dialect) {
                    parts.push(part);
                } else {
                    break;
                }
                rest = after;
            }
            let called = rest.first().is_some_and(|next| next.is_symbol(sql, "("));
            facts.add(Name(parts), called);
        }
        facts
    }

    fn add(&mut self, name: Name, called: bool) {
        if is_function(&name, called) {
            // Functions have no case in SQLite and MySQL, and no unquoted one in PostgreSQL.
            let function = Name(name.0.iter().map(lower).collect());
            if !self.functions.contains(&function) {
                self.functions.push(function);
            }
        }
        self.chains.insert(name);
    }
}

/// Whether a name, which a parenthesis follows if it is `called`, may be that of a function.
pub(crate) fn is_function(name: &Name, called: bool) -> bool {
    let word = match name.0.as_slice() {
        [NamePart { text, quoted: false }] => Some(text.to_ascii_lowercase()),
        _ => None,
    };
    let among = |words: &[&str]| word.as_deref().is_some_and(|word| words.contains(&word));
    (called && !among(NO_FUNCTIONS)) || among(BARE_FUNCTIONS)
}

/// A part of a function's name: in lower case unless it was quoted.
pub(crate) fn lower(part: &NamePart) -> NamePart {
    let text = if part.quoted { part.text.clone() } else { part.text.to_ascii_lowercase() };
    NamePart { text, quoted: part.quoted }
}

/// What a literal says.
fn literal(text: &str) -> String {
    if !text.starts_with('$') {
        return unquote(text);
    }
    // A dollar quote: the tag, the text, the tag.
    let tag = text.get(1..).and_then(|rest| rest.find('$')).map_or(0, |length| length + 2);
    text.get(tag..text.len().saturating_sub(tag)).unwrap_or_default().to_owned()
}
