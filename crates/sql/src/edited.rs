//! A query in words that the parser knows, and the way back to the bytes of the user's own text.

use std::ops::Range;

use crate::Dialect;
use crate::lex::{Kind, Token};
use crate::placeholders::for_parser;

/// A text with some places edited.
#[derive(Debug)]
pub(crate) struct Edited {
    pub(crate) text: String,
    /// Where each edit ends: in the edited text and in the original, in their order.
    ends: Vec<(usize, usize)>,
}

impl Edited {
    /// `TABLE t` as `SELECT * FROM t`, which is what it means in PostgreSQL and MySQL: the parser loses its quotes and
    /// what follows it. With `placeholders`, those too are written as the parser knows them.
    pub(crate) fn of(sql: &str, tokens: &[Token], dialect: Dialect, placeholders: bool) -> Edited {
        let mut edits = table_commands(sql, tokens);
        if placeholders {
            edits.extend(for_parser(sql, tokens, dialect));
            edits.sort_by_key(|(range, _)| range.start);
        }
        let mut edited = Edited { text: String::with_capacity(sql.len() + 8 * edits.len()), ends: Vec::new() };
        let mut done = 0;
        for (range, words) in edits {
            edited.text.push_str(sql.get(done..range.start).unwrap_or_default());
            edited.text.push_str(words);
            done = range.end;
            edited.ends.push((edited.text.len(), done));
        }
        edited.text.push_str(sql.get(done..).unwrap_or_default());
        edited
    }

    /// The bytes of the original that a name in the edited text stands at.
    pub(crate) fn original(&self, range: &Range<usize>) -> Range<usize> {
        self.place(range.start)..self.place(range.end)
    }

    fn place(&self, at: usize) -> usize {
        let before = self.ends.partition_point(|(edited, _)| *edited <= at);
        match before.checked_sub(1).and_then(|last| self.ends.get(last)) {
            Some((edited, original)) => at - edited + original,
            None => at,
        }
    }
}

/// Words before `TABLE` where it commands nothing, in statements that are no queries.
const DEFINES: &[&str] = &[
    "alter",
    "create",
    "drop",
    "external",
    "foreign",
    "global",
    "local",
    "lock",
    "on",
    "rename",
    "temp",
    "temporary",
    "truncate",
    "unlogged",
    "virtual",
];

/// Each `TABLE` before a name: no database has it anywhere else in a query.
fn table_commands(sql: &str, tokens: &[Token]) -> Vec<(Range<usize>, &'static str)> {
    let code: Vec<&Token> = tokens.iter().filter(|token| !token.is_blank()).collect();
    let is_command = |at: usize, token: &Token| {
        let before = at.checked_sub(1).and_then(|before| code.get(before));
        let is_other = before
            .is_some_and(|it| it.is_symbol(sql, ".") || DEFINES.contains(&it.text(sql).to_ascii_lowercase().as_str()));
        let names = code.get(at + 1).is_some_and(|next| matches!(next.kind, Kind::Word | Kind::QuotedName));
        token.kind == Kind::Word && token.text(sql).eq_ignore_ascii_case("table") && !is_other && names
    };
    let commands = code.iter().enumerate().filter(|(at, token)| is_command(*at, token));
    commands.map(|(_, token)| (token.range.clone(), "SELECT * FROM")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::lex;

    #[test]
    fn a_name_is_found_again_in_the_original() {
        let sql = "TABLE a UNION TABLE \"b\" UNION SELECT table.x, ? FROM c";
        let edited = Edited::of(sql, &lex(sql, Dialect::Postgres).unwrap(), Dialect::Postgres, true);
        let text = edited.text.as_str();
        assert_eq!(text, "SELECT * FROM a UNION SELECT * FROM \"b\" UNION SELECT table.x, $1 FROM c");
        for name in ["a", "\"b\"", "c"] {
            let at = text.rfind(&format!("FROM {name}")).unwrap() + 5;
            assert_eq!(&sql[edited.original(&(at..at + name.len()))], name);
        }
    }
}
