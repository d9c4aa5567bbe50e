//! Plans a text that is SQL or the name of a table, as `pandas.read_sql` takes it.

use bowshot_core::{Cancel, Error, ErrorKind, Options, Params, Plan, Query, Request, Result, Source};
use bowshot_sql::{Reading, TableReference, reading, table_names};

/// A plan, and whether it reads a table that the user named.
pub struct Named {
    /// How it will be read.
    pub plan: Plan,
    /// Whether the text was the name of a table.
    pub is_table: bool,
    /// The statement that was planned: the text itself, or what reads the table.
    pub sql: String,
}

/// What a user gives to be read.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// SQL, or the name of a table.
    pub text: &'a str,
    /// Which columns to read where it is a table; all where there are none.
    pub columns: &'a [String],
    /// What the placeholders of SQL stand for.
    pub params: &'a Params,
}

/// Plans a text: a string that is the name of an existing table or view is that table, as in pandas; anything else is SQL.
///
/// Text that can only be SQL costs nothing more than [`Source::plan`]. So does a word: it can only be a name. The database is
/// asked for the rest, by planning the read of the table.
///
/// # Errors
/// Those of [`Source::plan`], and for a table one of kind [`Config`](ErrorKind::Config) that names a column it does not have.
pub fn plan_text(source: &dyn Source, text: Text<'_>, options: &Options, cancel: &Cancel) -> Result<Named> {
    let attempt = Attempt { source, text, options, cancel };
    match reading(text.text) {
        Reading::Statement => attempt.statement(),
        Reading::StatementFirst => match attempt.statement() {
            Err(error) if is_refusal(&error) => {
                attempt.table().map_err(|other| if is_of_the_user(&other) { other } else { error })
            }
            planned => planned,
        },
        Reading::NameFirst => match attempt.table() {
            Err(missing) if is_refusal(&missing) && !is_of_the_user(&missing) => {
                attempt.statement().map_err(|error| neither(error, missing))
            }
            planned => planned,
        },
        Reading::Name => attempt.table(),
    }
}

struct Attempt<'a> {
    source: &'a dyn Source,
    text: Text<'a>,
    options: &'a Options,
    cancel: &'a Cancel,
}

impl Attempt<'_> {
    fn plan(&self, sql: String, params: Params) -> Result<Plan> {
        self.source.plan(&Request::new(Query { sql, params }, self.options.clone()), self.cancel)
    }

    fn statement(&self) -> Result<Named> {
        let plan = self.plan(self.text.text.to_owned(), self.text.params.clone())?;
        Ok(Named { plan, is_table: false, sql: self.text.text.to_owned() })
    }

    /// The first table of the text's name that there is; else the error of the likeliest one.
    fn table(&self) -> Result<Named> {
        let naming = self.source.naming(self.cancel)?;
        let mut missing = None;
        for name in table_names(self.text.text, &naming) {
            let sql = name.select(self.text.columns, &naming);
            match self.plan(sql.clone(), Params::None) {
                Ok(plan) => return Ok(Named { plan, is_table: true, sql }),
                Err(error) if !is_refusal(&error) => return Err(error),
                Err(error) => {
                    if let Some(error) = self.unknown_column(&name, &naming) {
                        return Err(error);
                    }
                    missing.get_or_insert(error);
                }
            }
        }
        Err(missing.unwrap_or_else(|| Error::new(ErrorKind::Config, "the text names no table")))
    }

    /// The error of a table that is there, but not all of the columns that were asked for.
    fn unknown_column(&self, name: &TableReference, naming: &bowshot_core::Naming) -> Option<Error> {
        if self.text.columns.is_empty() {
            return None;
        }
        // Types of columns that are not read would be refused.
        let options = Options { types: Default::default(), ..self.options.clone() };
        let request = Request::new(Query::new(name.select(&[], naming)), options);
        let plan = self.source.plan(&request, self.cancel).ok()?;
        let known: Vec<&str> = plan.schema.fields().iter().map(|field| field.name().as_str()).collect();
        let column = self.text.columns.iter().find(|column| !known.contains(&column.as_str()))?;
        let message = format!("columns= names \"{column}\", which the table {} does not have", self.text.text.trim());
        let error = Error::new(ErrorKind::Config, message).with_column(column);
        Some(error.with_hint(format!("its columns are {}", known.join(", "))))
    }
}

/// Whether the database refused the text, so that it may be meant in another way. An unknown schema is one of
/// [`Config`](ErrorKind::Config) to some databases.
fn is_refusal(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Sql | ErrorKind::Unsupported | ErrorKind::Config)
}

/// The error of a text that is neither a table nor SQL.
fn neither(error: Error, missing: Error) -> Error {
    if !is_refusal(&error) {
        return error;
    }
    if error.message() != missing.message() && is_there(&missing) {
        return missing;
    }
    let also = format!("it is not the name of a table either: {}", missing.message());
    let hint = error.hint().map_or_else(|| also.clone(), |hint| format!("{hint}; {also}"));
    error.with_hint(hint)
}

/// Whether an error is of what the user asks of a table that is there: a column, or an option.
fn is_of_the_user(error: &Error) -> bool {
    error.kind() == ErrorKind::Config && error.sqlstate().is_none()
}

/// Whether an error tells that the table is there, so that the user meant it: nobody may read it, for example.
fn is_there(error: &Error) -> bool {
    let denied = error.message().contains("denied");
    let known = error.sqlstate().and_then(|state| state.get(..2));
    denied || known.is_some_and(|class| !["42", "3D", "3F", "0A", "HY", "S0"].contains(&class))
}

#[cfg(test)]
mod tests;
