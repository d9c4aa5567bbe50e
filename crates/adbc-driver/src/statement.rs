//! A statement: a text, what is bound to it, and how it is read.

use adbc_core::constants::{ADBC_STATEMENT_OPTION_INCREMENTAL, ADBC_STATEMENT_OPTION_PROGRESS};
use adbc_core::error::{Error as AdbcError, Result as AdbcResult, Status};
use adbc_core::options::{OptionStatement, OptionValue};
use adbc_core::{CancelHandle, Optionable, PartitionedResult, Statement};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::Schema;
use bowshot_core::{Cancel, Error, ErrorKind, Holder, Options, Plan, Query, Request, Result, Stream};
use bowshot_sql::{changes, is_change, is_of_session, parameters};

use crate::bound::Bound;
use crate::error::{guarded, to_adbc};
use crate::ingest::{IngestOptions, conflict};
use crate::option_value::{absent, number, text, unknown};
use crate::parameters::{Parameters, nothing, schema};
use crate::partitions::partitions;
use crate::reader::{Batches, Reader, ready};
use crate::running::Running;
use crate::target::Target;
use bowshot_connect::Settings;
use bowshot_connect::settings::{refused, truth};

/// Whether parameters are bound by the names of their columns.
const BY_NAME: &str = "adbc.statement.bind_by_name";

/// A statement of the driver's.
pub struct BowshotStatement {
    target: Target,
    settings: Settings,
    running: Running,
    read_only: bool,
    query: Option<String>,
    bound: Option<Bound>,
    by_name: bool,
    ingest: IngestOptions,
    /// Keeps the snapshot of the last partitions alive until their lease ends or the statement does.
    holder: Option<Holder>,
}

impl BowshotStatement {
    pub(crate) fn new(target: Target, settings: Settings, running: Running, read_only: bool) -> Self {
        BowshotStatement {
            target,
            settings,
            running,
            read_only,
            query: None,
            bound: None,
            by_name: false,
            ingest: IngestOptions::default(),
            holder: None,
        }
    }

    /// Does something that another thread may end.
    fn run<T>(&self, work: impl FnOnce(&Cancel) -> Result<T>) -> AdbcResult<T> {
        let running = self.running.begin();
        guarded(|| work(&running.cancel).map_err(|error| self.target.hide(error)))
    }

    fn sql(&self) -> AdbcResult<String> {
        let missing =
            || AdbcError::with_message_and_status("the statement has no query: set one first", Status::InvalidState);
        self.query.clone().ok_or_else(missing)
    }

    fn parameters<'a>(&self, sql: &'a str) -> Parameters<'a> {
        Parameters { sql, dialect: self.target.sql, by_name: self.by_name }
    }

    /// Whether a statement changes something.
    fn is_change(&self, sql: &str) -> Result<bool> {
        if is_of_session(sql, self.target.sql) {
            let message = "each statement has a session and a transaction of its own, which this one would be about";
            return Err(Error::new(ErrorKind::Unsupported, message).with_hint(
                "set what every session is to have in the uri or in bowshot.before; changes happen whole or not at all",
            ));
        }
        Ok(is_change(sql, self.target.sql))
    }

    /// Runs a statement that changes something; how many rows it changed.
    fn change(&mut self, sql: &str) -> AdbcResult<u64> {
        let bound = self.bound.take();
        self.writable()?;
        self.run(|cancel| {
            let (sql, mut rows) = self.parameters(sql).rows(bound, cancel)?;
            self.target.source.writer()?.update(&sql, &mut rows, cancel)
        })
    }

    /// Puts the rows that were bound into the table that the options name; how many they were.
    fn put(&mut self, table: &str) -> AdbcResult<u64> {
        let unbound =
            || AdbcError::with_message_and_status("no rows are bound that could be ingested", Status::InvalidState);
        let bound = self.bound.take().ok_or_else(unbound)?;
        self.writable()?;
        let columns = bound.schema.clone();
        let ingest = self.run(|cancel| self.ingest.target(table, columns, &self.target, cancel))?;
        let put =
            |cancel: &Cancel| self.target.source.writer()?.ingest(&ingest, &mut bound.into_batches(cancel), cancel);
        self.run(put).map_err(|mut error| {
            if error.status == Status::InvalidArguments {
                let status = self.run(|cancel| Ok(conflict(&ingest, &self.target.lister(Options::default()), cancel)));
                error.status = status.ok().flatten().unwrap_or(error.status);
            }
            error
        })
    }

    fn writable(&self) -> AdbcResult<()> {
        match self.read_only {
            false => Ok(()),
            true => Err(AdbcError::with_message_and_status(
                "the connection is read-only, as its option adbc.connection.readonly says",
                Status::InvalidState,
            )),
        }
    }

    /// The plan of a query whose columns are wanted, and how many parameters it has.
    fn describe(&self, sql: &str, cancel: &Cancel) -> Result<(Plan, usize)> {
        let options = self.settings.options()?;
        let plan = |query: Query| self.target.source.plan(&Request::new(query, options.clone()), cancel);
        let count = parameters(sql, self.target.sql);
        match plan(self.parameters(sql).with_nulls(self.bound.as_ref())) {
            // PostgreSQL's JSON has operators of question marks, which look like parameters.
            Err(error) if count > 0 => Ok((plan(Query::new(sql)).map_err(|_| error)?, 0)),
            planned => Ok((planned?, count)),
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let option = OptionStatement::from(key);
        if self.ingest.set(&option, value)? {
            if option == OptionStatement::TargetTable {
                self.query = None;
            }
            return Ok(());
        }
        match key {
            BY_NAME => self.by_name = truth(key, value)?,
            ADBC_STATEMENT_OPTION_INCREMENTAL if truth(key, value)? => {
                return Err(Error::new(ErrorKind::Unsupported, "all partitions of a query are known at once")
                    .with_hint("leave incremental execution off"));
            }
            ADBC_STATEMENT_OPTION_INCREMENTAL => {}
            ADBC_STATEMENT_OPTION_PROGRESS => return Err(refused(key, "it is only read")),
            _ if self.settings.set(key, value)? => {}
            _ => return Err(unknown(key, "statement")),
        }
        Ok(())
    }

    fn get(&self, key: &str) -> AdbcResult<String> {
        let found = match key {
            BY_NAME => Some(self.by_name.to_string()),
            ADBC_STATEMENT_OPTION_INCREMENTAL => Some("false".to_owned()),
            _ => self.ingest.get(&OptionStatement::from(key)).or_else(|| self.settings.get(key).map(ToOwned::to_owned)),
        };
        found.ok_or_else(|| absent(to_adbc(&unknown(key, "statement"))))
    }
}

impl Optionable for BowshotStatement {
    type Option = OptionStatement;

    fn set_option(&mut self, key: OptionStatement, value: OptionValue) -> AdbcResult<()> {
        guarded(|| {
            let value = text(key.as_ref(), &value)?;
            self.set(key.as_ref(), &value)
        })
    }

    fn get_option_string(&self, key: OptionStatement) -> AdbcResult<String> {
        self.get(key.as_ref())
    }

    fn get_option_bytes(&self, key: OptionStatement) -> AdbcResult<Vec<u8>> {
        self.get(key.as_ref()).map(String::into_bytes)
    }

    fn get_option_int(&self, key: OptionStatement) -> AdbcResult<i64> {
        number(key.as_ref(), &self.get(key.as_ref())?)
    }

    fn get_option_double(&self, key: OptionStatement) -> AdbcResult<f64> {
        number(key.as_ref(), &self.get(key.as_ref())?)
    }
}

impl Statement for BowshotStatement {
    fn bind(&mut self, batch: RecordBatch) -> AdbcResult<()> {
        self.bound = Some(Bound::batch(batch));
        Ok(())
    }

    fn bind_stream(&mut self, reader: Box<dyn RecordBatchReader + Send>) -> AdbcResult<()> {
        self.bound = Some(guarded(|| Ok(Bound::stream(reader)))?);
        Ok(())
    }

    fn execute(&mut self) -> AdbcResult<Reader> {
        if let Some(table) = self.ingest.table.clone() {
            self.put(&table)?;
            return Ok(ready(nothing().schema(), Vec::new()));
        }
        let sql = self.sql()?;
        if guarded(|| self.is_change(&sql))? {
            guarded(|| refuse_returning(&sql, self.target.sql))?;
            self.change(&sql)?;
            return Ok(ready(nothing().schema(), Vec::new()));
        }
        let (work, bound) = (self.running.begin(), self.bound.take());
        guarded(|| {
            let start = || -> Result<Reader> {
                let found = self.parameters(&sql).queries(bound, &work.cancel)?;
                let request = Request { queries: found.queries, options: self.settings.options()? };
                let plan = self.target.source.plan(&request, &work.cancel)?;
                if found.is_empty {
                    return Ok(ready(plan.schema.clone(), Vec::new()));
                }
                Ok(Box::new(Batches::start(plan, &request.options, work)))
            };
            start().map_err(|error| self.target.hide(error))
        })
    }

    fn execute_update(&mut self) -> AdbcResult<Option<i64>> {
        let count = |rows: u64| Some(i64::try_from(rows).unwrap_or(i64::MAX));
        if let Some(table) = self.ingest.table.clone() {
            return self.put(&table).map(count);
        }
        let sql = self.sql()?;
        if guarded(|| self.is_change(&sql))? {
            return self.change(&sql).map(count);
        }
        // A query whose rows nobody wants runs all the same.
        let bound = self.bound.take();
        self.run(|cancel| {
            let found = self.parameters(&sql).queries(bound, cancel)?;
            if found.is_empty {
                return Ok(None);
            }
            let request = Request { queries: found.queries, options: self.settings.options()? };
            let plan = self.target.source.plan(&request, cancel)?;
            for batch in Stream::start(plan, &request.options, cancel.clone()) {
                batch?;
            }
            Ok(None)
        })
    }

    fn execute_schema(&mut self) -> AdbcResult<Schema> {
        let sql = self.sql()?;
        if guarded(|| self.is_change(&sql))? {
            return Ok(Schema::empty());
        }
        self.run(|cancel| Ok(self.describe(&sql, cancel)?.0.schema.as_ref().clone()))
    }

    fn execute_partitions(&mut self) -> AdbcResult<PartitionedResult> {
        let sql = self.sql()?;
        if guarded(|| self.is_change(&sql))? {
            let error = Error::new(ErrorKind::Unsupported, "a statement that changes something has no partitions");
            return Err(to_adbc(&error.with_hint("execute it as an update")));
        }
        // The snapshot of earlier partitions ends first: it holds a connection.
        self.holder = None;
        let bound = self.bound.take();
        let made = self.run(|cancel| {
            let found = self.parameters(&sql).queries(bound, cancel)?;
            let request = Request { queries: found.queries, options: self.settings.options()? };
            let mut made = partitions(self.target.source.as_ref(), request, self.settings.lease(), cancel)?;
            if found.is_empty {
                made.result.partitions.clear();
            }
            Ok(made)
        })?;
        self.holder = Some(made.holder);
        Ok(made.result)
    }

    fn get_parameter_schema(&self) -> AdbcResult<Schema> {
        let sql = self.sql()?;
        self.run(|cancel| {
            let count = parameters(&sql, self.target.sql);
            if self.is_change(&sql)? {
                let types =
                    if count == 0 { Vec::new() } else { self.target.source.writer()?.parameters(&sql, cancel)? };
                return Ok(schema(count, &types));
            }
            if count == 0 {
                return Ok(Schema::empty());
            }
            let (plan, count) = self.describe(&sql, cancel)?;
            Ok(schema(count, &plan.scan.parameters()))
        })
    }

    /// Nothing is sent: whatever the text needs is asked for when it runs.
    fn prepare(&mut self) -> AdbcResult<()> {
        self.sql().map(drop)
    }

    fn set_sql_query(&mut self, query: impl AsRef<str>) -> AdbcResult<()> {
        self.query = Some(query.as_ref().to_owned());
        self.bound = None;
        self.ingest = IngestOptions::default();
        Ok(())
    }

    fn set_substrait_plan(&mut self, _: impl AsRef<[u8]>) -> AdbcResult<()> {
        let error = Error::new(ErrorKind::Unsupported, "plans of Substrait are not executed");
        Err(to_adbc(&error.with_hint("write the query in the SQL of the database")))
    }

    fn get_cancel_handle(&self) -> Box<dyn CancelHandle> {
        Box::new(self.running.clone())
    }
}

/// Rows that a change returns are not kept: who wants them must not take an empty result for them.
fn refuse_returning(sql: &str, dialect: bowshot_sql::Dialect) -> Result<()> {
    if changes(sql, dialect).is_ok_and(|changes| changes.returns_rows) {
        return Err(Error::new(ErrorKind::Unsupported, "the rows that a change returns are not kept")
            .with_hint("leave RETURNING out, or execute the statement as an update, without a result"));
    }
    Ok(())
}
