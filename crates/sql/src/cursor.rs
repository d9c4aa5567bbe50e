//! The statements of the ConnectorX paper (section 5.2) by which connections share one result.

use bowshot_core::{Error, ErrorKind, Result};

use crate::Dialect;
use crate::lex::{Kind, Token, lex};

/// A statement about a result that several connections read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CursorStatement<'a> {
    /// `DECLARE name CURSOR FOR query INTO n`: runs the query once, for `n` connections.
    Declare {
        /// The name, folded to lower case unless it was quoted.
        name: String,
        /// The query, exactly as it was written.
        query: &'a str,
        /// How many connections will fetch.
        count: usize,
    },
    /// `FETCH ALL FROM i OF name`: the rows of connection `i`.
    Fetch {
        /// Which of the connections, from 0.
        index: usize,
        /// The name.
        name: String,
    },
    /// `CLOSE name`: nobody will fetch any more.
    Close {
        /// The name.
        name: String,
    },
}

impl<'a> CursorStatement<'a> {
    /// What `sql` says, if it is such a statement; `None` for all other SQL.
    ///
    /// ```
    /// use bowshot_sql::CursorStatement;
    ///
    /// let declare = CursorStatement::parse("DECLARE c CURSOR FOR SELECT * FROM Students INTO 3")?;
    /// let declared = CursorStatement::Declare { name: "c".into(), query: "SELECT * FROM Students", count: 3 };
    /// assert_eq!(declare, Some(declared));
    /// assert_eq!(CursorStatement::parse("SELECT * FROM Students")?, None);
    /// # Ok::<(), bowshot_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Of kind [`Sql`](ErrorKind::Sql) where it begins like one and goes on otherwise.
    pub fn parse(sql: &'a str) -> Result<Option<Self>> {
        let Ok(tokens) = lex(sql, Dialect::Standard) else { return Ok(None) };
        let tokens: Vec<&Token> = tokens.iter().filter(|token| !token.is_blank()).collect();
        let mut words = Words { sql, tokens: &tokens };
        words.skip_end();
        let form = match words.keyword() {
            Some("DECLARE") => words.declare(),
            Some("FETCH") => words.fetch(),
            Some("CLOSE") => words.close(),
            _ => return Ok(None),
        };
        form.map(Some).map_err(|way| {
            let message = "this statement about a shared result is not complete, or says something else after it";
            Error::new(ErrorKind::Sql, message).with_hint(format!("write {way}"))
        })
    }
}

const DECLARE: &str = "DECLARE name CURSOR FOR SELECT … INTO number";
const FETCH: &str = "FETCH ALL FROM index OF name";
const CLOSE: &str = "CLOSE name";

/// What is left of the statement, without what the database skips.
struct Words<'a, 't> {
    sql: &'a str,
    tokens: &'t [&'t Token],
}

impl<'a, 't> Words<'a, 't> {
    fn declare(&mut self) -> Result<CursorStatement<'a>, &'static str> {
        let name = self.name().ok_or(DECLARE)?;
        self.expect(&["CURSOR", "FOR"]).ok_or(DECLARE)?;
        let [query @ .., into, count] = self.tokens else { return Err(DECLARE) };
        let count = count.text(self.sql).parse().ok().filter(|&count| count > 0).ok_or(DECLARE)?;
        if into.kind != Kind::Word || !into.text(self.sql).eq_ignore_ascii_case("INTO") {
            return Err(DECLARE);
        }
        let (first, last) = query.first().zip(query.last()).ok_or(DECLARE)?;
        let query = self.sql.get(first.range.start..last.range.end).ok_or(DECLARE)?;
        Ok(CursorStatement::Declare { name, query, count })
    }

    fn fetch(&mut self) -> Result<CursorStatement<'a>, &'static str> {
        self.expect(&["ALL", "FROM"]).ok_or(FETCH)?;
        let sql = self.sql;
        let index = self.next().and_then(|token| token.text(sql).parse().ok()).ok_or(FETCH)?;
        self.expect(&["OF"]).ok_or(FETCH)?;
        let name = self.name().ok_or(FETCH)?;
        if self.tokens.is_empty() { Ok(CursorStatement::Fetch { index, name }) } else { Err(FETCH) }
    }

    fn close(&mut self) -> Result<CursorStatement<'a>, &'static str> {
        let name = self.name().ok_or(CLOSE)?;
        if self.tokens.is_empty() { Ok(CursorStatement::Close { name }) } else { Err(CLOSE) }
    }

    /// Leaves out semicolons at the end.
    fn skip_end(&mut self) {
        while let [rest @ .., last] = self.tokens
            && last.is_symbol(self.sql, ";")
        {
            self.tokens = rest;
        }
    }

    fn next(&mut self) -> Option<&'t Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    /// The first word, if it is one of those that a statement of this kind begins with.
    fn keyword(&mut self) -> Option<&'static str> {
        let sql = self.sql;
        let word = self.next().filter(|token| token.kind == Kind::Word)?.text(sql);
        ["DECLARE", "FETCH", "CLOSE"].into_iter().find(|known| known.eq_ignore_ascii_case(word))
    }

    fn expect(&mut self, words: &[&str]) -> Option<()> {
        let sql = self.sql;
        for word in words {
            self.next().filter(|token| token.kind == Kind::Word && token.text(sql).eq_ignore_ascii_case(word))?;
        }
        Some(())
    }

    fn name(&mut self) -> Option<String> {
        let sql = self.sql;
        let token = self.next()?;
        let text = token.text(sql);
        match token.kind {
            Kind::Word => Some(text.to_lowercase()),
            Kind::QuotedName => Some(text.strip_prefix('"')?.strip_suffix('"')?.replace("\"\"", "\"")),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(sql: &str) -> Option<CursorStatement<'_>> {
        CursorStatement::parse(sql).unwrap()
    }

    #[test]
    fn the_query_stays_as_it_was_written() {
        let sql = "declare \"My \"\"c\" Cursor FOR /* all */ WITH a AS (SELECT 'INTO 2; FETCH') SELECT * FROM a -- x\n INTO 12 ; ;";
        let query = "WITH a AS (SELECT 'INTO 2; FETCH') SELECT * FROM a";
        assert_eq!(parsed(sql), Some(CursorStatement::Declare { name: "My \"c".into(), query, count: 12 }));
    }

    #[test]
    fn connections_are_counted_from_0() {
        let fetch = |index| CursorStatement::Fetch { index, name: "example".into() };
        assert_eq!(parsed("FETCH ALL FROM 0 OF Example"), Some(fetch(0)));
        assert_eq!(parsed("  fetch all from 17 of example;"), Some(fetch(17)));
        assert_eq!(parsed("CLOSE example"), Some(CursorStatement::Close { name: "example".into() }));
    }

    #[test]
    fn other_sql_is_left_alone() {
        for sql in
            ["", ";", "SELECT 1", "-- DECLARE", "'DECLARE", "\"FETCH\" ALL", "WITH c AS (SELECT 1) SELECT 2 INTO 3"]
        {
            assert_eq!(parsed(sql), None, "{sql}");
        }
    }

    #[test]
    fn what_is_not_complete_says_how_it_is_written() {
        for sql in [
            "DECLARE",
            "DECLARE c CURSOR FOR",
            "DECLARE c CURSOR FOR INTO 3",
            "DECLARE c CURSOR FOR SELECT 1",
            "DECLARE c CURSOR FOR SELECT 1 INTO 0",
            "DECLARE c CURSOR FOR SELECT 1 INTO x",
            "DECLARE c CURSOR WITH HOLD FOR SELECT 1 INTO 3",
            "FETCH 100 FROM c",
            "FETCH ALL FROM -1 OF c",
            "FETCH ALL FROM 1 OF c, d",
            "CLOSE",
            "CLOSE ALL THINGS",
        ] {
            let error = CursorStatement::parse(sql).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Sql, "{sql}");
            assert!(error.hint().is_some_and(|hint| hint.starts_with("write ")), "{sql}");
        }
    }
}
