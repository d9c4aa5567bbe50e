//! Why a text is not sent, in one wording for every source.

use bowshot_core::{Error, ErrorKind};

/// Why a text is not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is no statement in it.
    Empty,
    /// There is more than one.
    Several,
    /// It begins with a word that is not known to read, and the byte where that stands.
    Verb(String, Option<usize>),
    /// A clause of it writes.
    Clause(String),
    /// It runs what it does not show, and the user's word is missing.
    Call(String),
    /// It never ends: the byte where a literal, a name or a comment begins.
    Open(usize),
    /// A NUL, which some servers take for the end of the text.
    Nul,
    /// It is nested deeper than any query.
    Deep,
    /// More versions of MySQL in its comments than can be tried.
    Versions,
}

/// The ways out for what writes.
const WAYS: &str = "Bowshot reads, and a source is written to only by a gateway that serves it with writable = true; change data with \
     the database's own client";

/// The way out for a word that nobody knows.
const SPELLING: &str =
    "check how it is spelt; Bowshot sends statements that read: SELECT, WITH, VALUES, SHOW, EXPLAIN and their like";

/// The way out for procedures.
const CALLS: &str = "add calls=allow to the source's URI if it may run, which then decides what is written, or serve the source by a \
     gateway with writable = true; the database's own client runs it, too";

/// The words that begin statements of some database which change something, or which no list of what reads has.
const STATEMENTS: &[&str] = &[
    "abort",
    "alter",
    "analyse",
    "analyze",
    "attach",
    "audit",
    "backup",
    "begin",
    "binlog",
    "bulk",
    "cache",
    "call",
    "change",
    "checkpoint",
    "close",
    "cluster",
    "comment",
    "commit",
    "copy",
    "create",
    "dbcc",
    "deallocate",
    "declare",
    "delete",
    "deny",
    "detach",
    "disable",
    "discard",
    "do",
    "drop",
    "enable",
    "end",
    "exchange",
    "exec",
    "execute",
    "export",
    "fetch",
    "flashback",
    "flush",
    "force",
    "get",
    "grant",
    "handler",
    "if",
    "import",
    "insert",
    "install",
    "kill",
    "listen",
    "load",
    "lock",
    "merge",
    "move",
    "notify",
    "open",
    "optimize",
    "pragma",
    "prepare",
    "purge",
    "reassign",
    "refresh",
    "reindex",
    "release",
    "rename",
    "repair",
    "replace",
    "reset",
    "resignal",
    "restore",
    "return",
    "revoke",
    "rollback",
    "save",
    "savepoint",
    "security",
    "set",
    "shutdown",
    "signal",
    "start",
    "stop",
    "system",
    "truncate",
    "undrop",
    "uninstall",
    "unlisten",
    "unlock",
    "update",
    "upsert",
    "use",
    "vacuum",
    "waitfor",
    "while",
    "xa",
];

/// Whether it may be a statement of some database: more than a word, or one that begins statements.
fn begins_statement(verb: &str) -> bool {
    verb.contains(' ') || STATEMENTS.iter().any(|known| known.eq_ignore_ascii_case(verb))
}

impl Refusal {
    /// The same of a statement inside of another one.
    pub(super) fn inside(self, outer: &str) -> Refusal {
        match self {
            Refusal::Verb(verb, start) => Refusal::Verb(format!("{outer} … {verb}"), start),
            Refusal::Call(call) => Refusal::Call(format!("{outer} … {call}")),
            other => other,
        }
    }
}

impl Refusal {
    /// The error; `sql` is the text, for the place of what is wrong.
    pub(super) fn error(self, sql: &str) -> Error {
        let unsupported = |message: String| Error::new(ErrorKind::Unsupported, message);
        let place = |start: usize| sql.get(..start).map_or(1, |before| before.chars().count() + 1);
        match self {
            Refusal::Empty => Error::new(ErrorKind::Config, "the query is empty").with_hint("write a SELECT"),
            Refusal::Several => unsupported("the text holds several statements, and one is read at a time".to_owned())
                .with_hint(
                    "send them one by one, without a semicolon between them; what prepares the session goes to the \
                     statements that run before the query",
                ),
            Refusal::Verb(verb, start) => {
                let message = format!("the query was not sent: {verb} is not known to only read");
                // A word that begins no statement is a slip, as it would be to the database.
                let error = match begins_statement(&verb) {
                    true => unsupported(message).with_hint(WAYS),
                    false => Error::new(ErrorKind::Sql, message).with_hint(SPELLING),
                };
                match start.map(place) {
                    Some(place) => error.with_position(place),
                    None => error,
                }
            }
            Refusal::Clause(clause) => {
                unsupported(format!("the query was not sent: its {clause} writes or runs something")).with_hint(WAYS)
            }
            Refusal::Call(call) => {
                unsupported(format!("the query was not sent: {call} runs what the text does not show")).with_hint(CALLS)
            }
            Refusal::Open(start) => {
                Error::new(ErrorKind::Sql, "a literal, a quoted name or a comment of the query does not end")
                    .with_position(place(start))
                    .with_hint("close it; where the database reads quotes by another setting, use its defaults")
            }
            Refusal::Nul => Error::new(ErrorKind::Config, "the query holds a NUL character outside of its literals")
                .with_hint("leave it out; as a value it can be a parameter"),
            Refusal::Deep => unsupported("the query is nested too deeply to be sure that it only reads".to_owned())
                .with_hint("put parts of it into views, or into common table expressions"),
            Refusal::Versions => {
                unsupported("the query has comments for too many versions of MySQL (/*!…*/)".to_owned())
                    .with_hint("leave the comments out")
            }
        }
    }
}
