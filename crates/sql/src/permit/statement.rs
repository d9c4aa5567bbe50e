//! What a statement is, by the word that it begins with.

use super::code::Code;
use super::refusal::Refusal;
use super::verbs::{ABOUT_OPTIONS, PRAGMAS, PRAGMAS_OF, Verbs, WRITES};
use super::{Calls, Database};
use crate::lex::Kind;

/// Parentheses and WITH may stand in each other so often.
const DEEPEST: usize = 256;

/// Looks at statements of one text.
pub(super) struct Statement<'a> {
    pub(super) code: &'a Code<'a>,
    pub(super) database: Database,
    pub(super) verbs: Verbs,
    pub(super) calls: Calls,
}

/// What a statement turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Is {
    /// One that reads, as far as its verb goes.
    Read,
    /// One that runs what the text does not show, with the user's word.
    Call,
    /// The same, and it holds statements.
    Block,
}

impl Statement<'_> {
    /// The statement that begins at `start`.
    pub(super) fn at(&self, start: usize) -> Result<Is, Refusal> {
        self.nested(start, DEEPEST)
    }

    fn nested(&self, start: usize, depth: usize) -> Result<Is, Refusal> {
        let code = self.code;
        let Some(depth) = depth.checked_sub(1) else { return Err(Refusal::Deep) };
        let mut at = start;
        while code.low(at) == "(" {
            at += 1;
        }
        // ODBC's {call p} and {? = call p}.
        if code.low(at) == "{" {
            let words = (at + 1..).find(|index| !matches!(code.low(*index), "?" | "=")).unwrap_or(at);
            return if code.low(words) == "call" { self.call(at, Is::Call) } else { Err(self.unknown(at)) };
        }
        let low = code.low(at);
        let verbs = self.verbs;
        match low {
            "" if at >= code.len() => Err(Refusal::Empty),
            "with" => self.with(at, depth),
            "pragma" if verbs.reads.contains(&"pragma") => self.pragma(at),
            // HANDLER t OPEN and XA START do other things than to read.
            "handler" if verbs.reads.contains(&low) && !(at..code.len()).any(|index| code.low(index) == "read") => {
                Err(self.unknown(at))
            }
            "xa" if verbs.reads.contains(&low) && code.low(at + 1) != "recover" => Err(self.unknown(at)),
            _ if verbs.reads.contains(&low) => Ok(Is::Read),
            _ if verbs.about.contains(&low) => self.about(at, depth),
            _ if verbs.calls.contains(&low) => self.call(at, Is::Call),
            "begin" if self.database == Database::MySql && !code.has(at + 1, &["not", "atomic"]) => {
                Err(self.unknown(at))
            }
            // BEGIN alone opens a transaction.
            "begin" if code.len() <= at + 2 => Err(self.unknown(at)),
            _ if verbs.blocks.contains(&low) && at == 0 => self.call(at, Is::Block),
            "set" if self.database == Database::MySql && code.low(at + 1) == "statement" => {
                self.call(at, Is::Call)?;
                let inner = (at..code.len()).find(|index| code.low(*index) == "for").ok_or_else(|| self.unknown(at))?;
                self.nested(inner + 1, depth)
            }
            _ => Err(self.unknown(at)),
        }
    }

    fn call(&self, at: usize, what: Is) -> Result<Is, Refusal> {
        match self.calls {
            Calls::Allow => Ok(what),
            Calls::Refuse => Err(Refusal::Call(self.code.shown(at, self.words_of_call(at)))),
        }
    }

    /// How many words name a call.
    fn words_of_call(&self, at: usize) -> usize {
        let code = self.code;
        match (code.low(at), code.low(at + 1)) {
            ("execute", "immediate") | ("set", "statement") => 2,
            ("begin", "not") => 3,
            ("{", _) => 2,
            _ => 1,
        }
    }

    fn unknown(&self, at: usize) -> Refusal {
        Refusal::Verb(self.code.shown(at, 1), self.code.start(at))
    }

    /// `WITH`: each common table expression reads, and so does the statement behind them.
    fn with(&self, with: usize, depth: usize) -> Result<Is, Refusal> {
        let code = self.code;
        let mut at = with + 1;
        if code.low(at) == "recursive" {
            at += 1;
        }
        // PL/SQL of its own, which may commit in a transaction of its own. Trino's functions only compute.
        if matches!(code.low(at), "function" | "procedure") && code.is_word(at + 1) {
            return match self.database {
                Database::Trino => Ok(Is::Read),
                _ => self.call(with, Is::Block),
            };
        }
        loop {
            match self.expression(at, depth)? {
                Some(next) if code.low(next) == "," => at = next + 1,
                Some(next) => return self.main(with, next, depth),
                None => return self.somewhere(with, at, depth),
            }
        }
    }

    /// `name (columns) AS (query)` and what may follow it; where it ends, `None` if it is none.
    fn expression(&self, start: usize, depth: usize) -> Result<Option<usize>, Refusal> {
        let code = self.code;
        let mut at = start;
        // U&"…" is three pieces.
        if code.low(at) == "u" && code.low(at + 1) == "&" && code.kind(at + 2) == Some(Kind::QuotedName) {
            at += 2;
        }
        if !matches!(code.kind(at), Some(Kind::Word | Kind::QuotedName)) {
            return Ok(None);
        }
        at += 1;
        if code.low(at) == "(" {
            at = code.behind(at);
        }
        // DuckDB's USING KEY (columns).
        if code.has(at, &["using", "key"]) {
            at = code.behind(at + 2);
        }
        if code.low(at) != "as" {
            return Ok(None);
        }
        at += 1;
        while matches!(code.low(at), "not" | "materialized") {
            at += 1;
        }
        if code.low(at) != "(" {
            return Ok(None);
        }
        if self.database != Database::ClickHouse || self.begins(at + 1) {
            self.nested(at + 1, depth).map_err(|refusal| refusal.inside("WITH"))?;
        }
        Ok(Some(self.after_expression(code.behind(at))))
    }

    /// Behind `SEARCH … SET name` and `CYCLE … SET name TO … DEFAULT … USING name`.
    fn after_expression(&self, start: usize) -> usize {
        let code = self.code;
        let mut at = start;
        while matches!(code.low(at), "search" | "cycle") {
            let Some(set) = (at..code.len()).find(|index| code.low(*index) == "set") else { return at };
            at = set + 2;
            while matches!(code.low(at), "to" | "default" | "using") {
                at += 2;
            }
        }
        at
    }

    /// The statement behind the expressions of a WITH.
    fn main(&self, with: usize, at: usize, depth: usize) -> Result<Is, Refusal> {
        if at >= self.code.len() {
            return Err(self.unknown(with));
        }
        match self.nested(at, depth).map_err(|refusal| refusal.inside("WITH"))? {
            Is::Read => Ok(Is::Read),
            Is::Call | Is::Block => {
                Err(Refusal::Verb(format!("WITH … {}", self.code.shown(at, 1)), self.code.start(at)))
            }
        }
    }

    /// The statement of a WITH that is not written as the standard says (ClickHouse's `WITH 1 AS x`, XMLNAMESPACES): the first word
    /// outside of parentheses that begins one.
    fn somewhere(&self, with: usize, start: usize, depth: usize) -> Result<Is, Refusal> {
        let code = self.code;
        let mut at = start;
        while at < code.len() {
            let low = code.low(at);
            let named = code.before(at) == "as" || code.before(at) == ".";
            if low == "(" {
                at = code.behind(at);
                continue;
            }
            if code.is_word(at) && !named && (self.verbs.reads.contains(&low) || WRITES.contains(&low)) {
                return self.main(with, at, depth);
            }
            at += 1;
        }
        Err(self.unknown(with))
    }

    /// Whether a statement begins at a place.
    fn begins(&self, at: usize) -> bool {
        let low = self.code.low(at);
        low == "("
            || low == "with"
            || [self.verbs.reads, self.verbs.about, WRITES].iter().any(|list| list.contains(&low))
    }

    /// EXPLAIN, DESCRIBE and their like: about a statement that reads, or about a table.
    fn about(&self, verb: usize, depth: usize) -> Result<Is, Refusal> {
        let code = self.code;
        let mut at = self.after_options(verb + 1);
        let name = code.shown(verb, 1);
        let analyze = code.low(verb) == "analyze";
        // ANALYZE TABLE writes statistics.
        if analyze && code.low(at) == "table" {
            return Err(self.unknown(verb));
        }
        if code.has(at, &["for", "connection"]) || at >= code.len() {
            return if analyze { Err(self.unknown(verb)) } else { Ok(Is::Read) };
        }
        if code.low(at) == "for" && matches!(code.low(at + 1), "schema" | "database") {
            at += 3;
        }
        let describes = matches!(code.low(verb), "describe" | "desc") || self.database == Database::MySql;
        let ends = at + 1 >= code.len();
        if self.begins(at) && !(describes && ends) {
            let is = self.nested(at, depth).map_err(|refusal| refusal.inside(&name))?;
            return if is == Is::Read {
                Ok(Is::Read)
            } else {
                Err(Refusal::Call(format!("{name} {}", code.shown(at, 1))))
            };
        }
        let a_name = describes && !analyze && matches!(code.kind(at), Some(Kind::Word | Kind::QuotedName | Kind::Text));
        if a_name { Ok(Is::Read) } else { Err(Refusal::Verb(format!("{name} {}", code.shown(at, 1)), code.start(at))) }
    }

    /// Behind the options of EXPLAIN: words, `name = value`, and lists of them in parentheses.
    fn after_options(&self, start: usize) -> usize {
        let code = self.code;
        let mut at = start;
        loop {
            let low = code.low(at);
            if low == "(" && !self.begins(at + 1) {
                at = code.behind(at);
            } else if code.is_word(at) && code.low(at + 1) == "=" {
                at += if code.low(at + 3) == "," { 4 } else { 3 };
            } else if code.is_word(at) && ABOUT_OPTIONS.contains(&low) && at + 1 < code.len() {
                at += 1;
            } else {
                return at;
            }
        }
    }

    /// `PRAGMA schema.name(of)`, of those that tell something.
    fn pragma(&self, pragma: usize) -> Result<Is, Refusal> {
        let code = self.code;
        let mut at = pragma + 1;
        if code.low(at + 1) == "." {
            at += 2;
        }
        let name = code.low(at);
        let reads = match code.low(at + 1) {
            "" => at + 1 >= code.len() && PRAGMAS.contains(&name),
            "(" => PRAGMAS_OF.contains(&name) && code.behind(at + 1) >= code.len(),
            // SQLite takes `PRAGMA table_info = t`, too.
            "=" => name != "show" && name != "table_list" && PRAGMAS_OF.contains(&name) && code.len() == at + 3,
            _ => false,
        };
        if reads {
            return Ok(Is::Read);
        }
        let shown = code.shown(at, 1).to_lowercase();
        let value = if at + 1 < code.len() { " with a value" } else { "" };
        Err(Refusal::Verb(format!("PRAGMA {shown}{value}"), code.start(pragma)))
    }
}
