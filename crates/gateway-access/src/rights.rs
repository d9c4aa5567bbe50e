//! What a user may read and write.

use bowshot_core::{Error, ErrorKind, Result};

use crate::pattern::Pattern;
use crate::refusal::{Refusal, RefusalKind};

/// A table, as the source itself names it: resolved, folded, without quotes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TablePath {
    /// The source, as the gateway's configuration names it.
    pub source: String,
    /// The schema; `None` where nobody knows which it is.
    pub schema: Option<String>,
    /// The table or view.
    pub table: String,
}

impl TablePath {
    /// A table whose schema is known.
    pub fn new(source: impl Into<String>, schema: impl Into<String>, table: impl Into<String>) -> Self {
        TablePath { source: source.into(), schema: Some(schema.into()), table: table.into() }
    }
}

impl std::fmt::Display for TablePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.schema {
            Some(schema) => write!(f, "{}.{schema}.{}", self.source, self.table),
            None => write!(f, "{}.{}", self.source, self.table),
        }
    }
}

/// The rules of a user. **The first rule that fits decides**, as in PostgreSQL's `pg_hba.conf`; where none fits, the answer
/// is no. A user without rules may read and write everything.
///
/// A rule is `allow PATTERN` (to read), `write PATTERN` (to read and to write, where the source itself is writable) or `deny PATTERN`; a
/// pattern is `source.schema.table` with `*` for any characters within a part,
/// and parts left out at the end mean `*`. Doubt counts against the user: `deny` takes capital letters for small ones, the
/// others do not; a table whose schema is not known fits every schema of a `deny`, and only the schema `*` of the others.
///
/// ```
/// use bowshot_gateway_access::{Rights, TablePath};
///
/// let rights = Rights::parse(&["deny shop.public.salaries", "allow shop.public", "allow files.*.sales*"])?;
/// assert!(rights.may_read(&TablePath::new("shop", "public", "orders")));
/// assert!(!rights.may_read(&TablePath::new("shop", "public", "salaries")));
/// assert!(!rights.may_read(&TablePath::new("shop", "private", "orders")));
/// assert!(rights.may_see_schema("shop", "public") && !rights.may_see_schema("shop", "private"));
///
/// let rights = Rights::parse(&["write shop.staging", "allow shop"])?;
/// assert!(rights.may_write(&TablePath::new("shop", "staging", "new")));
/// assert!(!rights.may_write(&TablePath::new("shop", "public", "orders")));
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    /// To read.
    allow: bool,
    /// To write, too.
    write: bool,
    pattern: Pattern,
}

impl Rights {
    /// The rights of a user without rules: everything.
    pub fn all() -> Self {
        Rights::default()
    }

    /// Reads rules, the first to be asked first. No rules at all are [`all`](Self::all) rights.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): a rule that is not understood, or rules of which none allows anything.
    pub fn parse<T: AsRef<str>>(rules: &[T]) -> Result<Self> {
        let rules = rules.iter().map(|rule| Rule::parse(rule.as_ref())).collect::<Result<Vec<_>>>()?;
        if !rules.is_empty() && !rules.iter().any(|rule| rule.allow) {
            return Err(Error::new(ErrorKind::Config, "the rules of a user allow nothing")
                .with_hint("what no rule allows is denied: end the rules with \"allow *\""));
        }
        Ok(Rights { rules })
    }

    /// Whether there are no rules.
    pub fn is_all(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether the user may read the table, and may learn of it from metadata.
    pub fn may_read(&self, path: &TablePath) -> bool {
        match self.rules.iter().find(|rule| rule.fits(path)) {
            Some(rule) => rule.allow,
            None => self.rules.is_empty(),
        }
    }

    /// Whether the user may change the table, or make one of this name.
    pub fn may_write(&self, path: &TablePath) -> bool {
        match self.rules.iter().find(|rule| rule.fits(path)) {
            Some(rule) => rule.write,
            None => self.rules.is_empty(),
        }
    }

    /// Whether some table of the source may be one that the user may change.
    pub fn may_write_source(&self, source: &str) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|rule| rule.write && rule.fits_source(source))
    }

    /// Whether the user may learn that the source exists: some table of it may be readable.
    pub fn may_see_source(&self, source: &str) -> bool {
        self.reaches(
            |rule| rule.fits_source(source),
            |deny, allow| {
                deny.pattern.schema.covers(&allow.pattern.schema) && deny.pattern.table.covers(&allow.pattern.table)
            },
        )
    }

    /// Whether the user may learn that the schema exists: some table of it may be readable.
    pub fn may_see_schema(&self, source: &str, schema: &str) -> bool {
        self.reaches(
            |rule| rule.fits_source(source) && rule.fits_schema(Some(schema)),
            |deny, allow| deny.pattern.table.covers(&allow.pattern.table),
        )
    }

    /// Refuses the first of a query's tables that the user may not read.
    ///
    /// # Errors
    /// Of kind [`PermissionDenied`](RefusalKind::PermissionDenied). The client is told which of its own names it was, and not
    /// whether such a table exists.
    pub fn check<'a>(&self, tables: impl IntoIterator<Item = &'a TablePath>) -> std::result::Result<(), Refusal> {
        match tables.into_iter().find(|table| !self.may_read(table)) {
            Some(table) => {
                let message = format!("the table {:?} may not be read, if it exists", table.to_string());
                Err(Refusal::new(RefusalKind::PermissionDenied, message)
                    .with_hint("ask who runs the gateway for a rule that allows it"))
            }
            None => Ok(()),
        }
    }

    /// Whether a rule that allows something there is not made void by one that comes before it.
    fn reaches(&self, there: impl Fn(&Rule) -> bool, covers: impl Fn(&Rule, &Rule) -> bool) -> bool {
        let rules: Vec<_> = self.rules.iter().filter(|rule| there(rule)).collect();
        self.rules.is_empty()
            || rules
                .iter()
                .enumerate()
                .any(|(at, allow)| allow.allow && !rules.iter().take(at).any(|deny| !deny.allow && covers(deny, allow)))
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self> {
        let (verb, pattern) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let (allow, write) = match verb {
            "allow" => (true, false),
            "write" => (true, true),
            "deny" => (false, false),
            _ => {
                return Err(Error::new(
                    ErrorKind::Config,
                    format!("the rule {text:?} is neither allow, write nor deny"),
                )
                .with_hint(
                    "write \"allow source.schema.table\", \"write …\" to let the user write too, or \"deny …\"",
                ));
            }
        };
        Ok(Rule { allow, write, pattern: Pattern::parse(pattern.trim_start())? })
    }

    fn fits(&self, path: &TablePath) -> bool {
        let Pattern { table, .. } = &self.pattern;
        self.fits_source(&path.source)
            && self.fits_schema(path.schema.as_deref())
            && if self.allow { table.fits(&path.table) } else { table.fits_ignoring_case(&path.table) }
    }

    fn fits_source(&self, source: &str) -> bool {
        let pattern = &self.pattern.source;
        if self.allow { pattern.fits(source) } else { pattern.fits_ignoring_case(source) }
    }

    fn fits_schema(&self, schema: Option<&str>) -> bool {
        let pattern = &self.pattern.schema;
        match (schema, self.allow) {
            (Some(schema), true) => pattern.fits(schema),
            (Some(schema), false) => pattern.fits_ignoring_case(schema),
            (None, true) => pattern.is_any(),
            (None, false) => true,
        }
    }
}

#[cfg(test)]
mod tests;
