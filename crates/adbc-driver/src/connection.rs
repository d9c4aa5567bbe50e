//! A connection: what its statements have in common. Each query has connections of its own to the database.

use std::collections::HashSet;

use adbc_core::constants::ADBC_OPTION_ISOLATION_LEVEL_DEFAULT;
use adbc_core::error::{Error as AdbcError, Result as AdbcResult, Status};
use adbc_core::options::{InfoCode, ObjectDepth, OptionConnection, OptionValue};
use adbc_core::{CancelHandle, Connection, Optionable};
use arrow_schema::Schema;
use bowshot_core::{Cancel, Error, ErrorKind, Result, Ticket};

use crate::error::{guarded, is_missing, to_adbc};
use crate::objects::Asked;
use crate::option_value::{absent, number, text, unknown};
use crate::reader::{Batches, Reader, one};
use crate::running::Running;
use crate::target::Target;
use crate::{BowshotStatement, info, objects, statistics};
use bowshot_connect::Settings;
use bowshot_connect::settings::truth;

/// A connection of the driver's.
pub struct BowshotConnection {
    target: Target,
    settings: Settings,
    running: Running,
    /// Statements that change something are refused.
    read_only: bool,
}

impl BowshotConnection {
    pub(crate) fn new(target: Target, settings: Settings) -> Self {
        BowshotConnection { target, settings, running: Running::default(), read_only: false }
    }

    /// Does something that the caller waits for, and another thread may end.
    fn run<T>(&self, work: impl FnOnce(&Target, &Cancel) -> Result<T>) -> AdbcResult<T> {
        let running = self.running.begin();
        guarded(|| work(&self.target, &running.cancel).map_err(|error| self.target.hide(error)))
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match OptionConnection::from(key) {
            OptionConnection::AutoCommit if truth(key, value)? => Ok(()),
            OptionConnection::AutoCommit => Err(no_transactions()),
            OptionConnection::ReadOnly => {
                self.read_only = truth(key, value)?;
                Ok(())
            }
            OptionConnection::IsolationLevel if value == ADBC_OPTION_ISOLATION_LEVEL_DEFAULT => Ok(()),
            OptionConnection::IsolationLevel => {
                Err(Error::new(ErrorKind::Unsupported, "the isolation level is the database's own")
                    .with_hint("a query of several partitions always sees one state of the database"))
            }
            OptionConnection::CurrentCatalog | OptionConnection::CurrentSchema => {
                Err(Error::new(ErrorKind::Unsupported, format!("{key} cannot be changed: each query connects anew"))
                    .with_hint("name the database in the uri, and the schema by a statement in bowshot.before"))
            }
            _ if self.settings.set(key, value)? => Ok(()),
            _ => Err(unknown(key, "connection")),
        }
    }

    fn get(&self, key: &str) -> AdbcResult<String> {
        let found = match OptionConnection::from(key) {
            OptionConnection::AutoCommit => Ok(Some("true".to_owned())),
            OptionConnection::ReadOnly => Ok(Some(self.read_only.to_string())),
            OptionConnection::IsolationLevel => Ok(Some(ADBC_OPTION_ISOLATION_LEVEL_DEFAULT.to_owned())),
            OptionConnection::CurrentCatalog => {
                self.run(|target, cancel| target.lister(self.settings.options()?).catalog_name(cancel))
            }
            OptionConnection::CurrentSchema => {
                self.run(|target, cancel| target.lister(self.settings.options()?).schema_name(cancel))
            }
            _ => Ok(self.settings.get(key).map(ToOwned::to_owned)),
        };
        found?.ok_or_else(|| absent(to_adbc(&unknown(key, "connection"))))
    }
}

/// The error of transactions of several statements.
fn no_transactions() -> Error {
    let message = "there are no transactions of several statements: each statement is one of its own";
    Error::new(ErrorKind::Unsupported, message).with_hint("leave autocommit on; an ingest happens whole or not at all")
}

impl Optionable for BowshotConnection {
    type Option = OptionConnection;

    fn set_option(&mut self, key: OptionConnection, value: OptionValue) -> AdbcResult<()> {
        guarded(|| {
            let value = text(key.as_ref(), &value)?;
            self.set(key.as_ref(), &value)
        })
    }

    fn get_option_string(&self, key: OptionConnection) -> AdbcResult<String> {
        self.get(key.as_ref())
    }

    fn get_option_bytes(&self, key: OptionConnection) -> AdbcResult<Vec<u8>> {
        self.get(key.as_ref()).map(String::into_bytes)
    }

    fn get_option_int(&self, key: OptionConnection) -> AdbcResult<i64> {
        number(key.as_ref(), &self.get(key.as_ref())?)
    }

    fn get_option_double(&self, key: OptionConnection) -> AdbcResult<f64> {
        number(key.as_ref(), &self.get(key.as_ref())?)
    }
}

impl Connection for BowshotConnection {
    type StatementType = BowshotStatement;

    fn new_statement(&mut self) -> AdbcResult<BowshotStatement> {
        let (target, settings) = (self.target.clone(), self.settings.clone());
        Ok(BowshotStatement::new(target, settings, self.running.part(), self.read_only))
    }

    fn get_cancel_handle(&self) -> Box<dyn CancelHandle> {
        Box::new(self.running.clone())
    }

    fn get_info(&self, codes: Option<HashSet<InfoCode>>) -> AdbcResult<Reader> {
        one(self.run(|target, cancel| info::info(target, codes.as_ref(), cancel)))
    }

    fn get_objects(
        &self,
        depth: ObjectDepth,
        catalog: Option<&str>,
        db_schema: Option<&str>,
        table_name: Option<&str>,
        table_type: Option<Vec<&str>>,
        column_name: Option<&str>,
    ) -> AdbcResult<Reader> {
        let asked = Asked::new(depth, catalog, db_schema, table_name, table_type, column_name);
        one(self.run(|target, cancel| objects::objects(&target.listing(self.settings.options()?)?, &asked, cancel)))
    }

    fn get_table_schema(&self, catalog: Option<&str>, db_schema: Option<&str>, table: &str) -> AdbcResult<Schema> {
        let schema = self.run(|target, cancel| {
            let lister = target.lister(self.settings.options()?);
            if let Some(asked) = catalog.filter(|asked| !asked.is_empty())
                && lister.catalog_name(cancel)?.as_deref() != Some(asked)
            {
                return Ok(Err(format!("there is no catalog \"{asked}\" on this connection")));
            }
            match lister.table_schema(db_schema.filter(|schema| !schema.is_empty()), table, cancel) {
                Ok(schema) => Ok(Ok(schema.as_ref().clone())),
                // Databases refuse a query of a table that is not there in many ways.
                Err(error) if is_missing(&error) => Ok(Err(error.to_string())),
                Err(error) => Err(error),
            }
        })?;
        schema.map_err(|words| AdbcError::with_message_and_status(words, Status::NotFound))
    }

    fn get_table_types(&self) -> AdbcResult<Reader> {
        one(self.run(|target, _| {
            target.listing(self.settings.options()?)?;
            objects::table_types()
        }))
    }

    fn get_statistic_names(&self) -> AdbcResult<Reader> {
        one(self.run(|_, _| statistics::names()))
    }

    fn get_statistics(
        &self,
        catalog: Option<&str>,
        db_schema: Option<&str>,
        table_name: Option<&str>,
        _approximate: bool,
    ) -> AdbcResult<Reader> {
        let asked = Asked::new(ObjectDepth::Tables, catalog, db_schema, table_name, None, None);
        one(self
            .run(|target, cancel| statistics::statistics(&target.listing(self.settings.options()?)?, &asked, cancel)))
    }

    fn commit(&mut self) -> AdbcResult<()> {
        Err(autocommit_is_on())
    }

    fn rollback(&mut self) -> AdbcResult<()> {
        Err(autocommit_is_on())
    }

    fn read_partition(&self, partition: impl AsRef<[u8]>) -> AdbcResult<Reader> {
        let work = self.running.begin();
        guarded(|| {
            let read = || -> Result<Batches> {
                let ticket = Ticket::from_bytes(partition.as_ref())?;
                let plan = self.target.source.join(&ticket, &work.cancel)?;
                let mut options = ticket.options();
                let own = self.settings.options()?;
                (options.batch_bytes, options.buffer_bytes) = (own.batch_bytes, own.buffer_bytes);
                Ok(Batches::start(plan, &options, work))
            };
            read().map(|batches| Box::new(batches) as Reader).map_err(|error| self.target.hide(error))
        })
    }
}

fn autocommit_is_on() -> AdbcError {
    let message = "there is no transaction: autocommit is on, and each statement is a transaction of its own";
    AdbcError::with_message_and_status(message, Status::InvalidState)
}
