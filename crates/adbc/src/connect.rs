//! Opens connections, each in a session of its own.

use std::sync::Arc;

use adbc_core::error::{Error as AdbcError, Status};
use adbc_core::options::{OptionConnection, OptionDatabase, OptionStatement, OptionValue};
use adbc_core::{Connection, Database, Driver, Optionable, Statement};
use adbc_driver_manager::{ManagedConnection, ManagedDatabase, ManagedStatement};
use bowshot_core::{Cancel, Error, ErrorKind, Result, Value};

use crate::error::{Phase, from_driver};
use crate::session::{Objects, Session};
use crate::uri::Location;
use crate::{driver, duckdb, params};

/// Opens the database, and a first connection to it.
pub(crate) fn connect(
    location: &Arc<Location>,
    before: &[String],
    cancel: &Cancel,
) -> Result<(Session, ManagedDatabase)> {
    duckdb::check_file(location)?;
    let session = Session::start()?;
    let (told, stop) = (Arc::clone(location), cancel.clone());
    let database = session.call(cancel, Some(location.patience), move |_| {
        let mut driver = driver::load(&told)?;
        stop.check()?;
        let options = told.database.iter();
        let options = options.map(|(name, value)| (OptionDatabase::from(name.as_str()), text(value)));
        driver.new_database_with_opts(options).map_err(|error| from_driver(&error, Phase::Connect, &told.secrets))
    })?;
    open(&session, location, &database, before, cancel)?;
    Ok((session, database))
}

/// One more connection to the same database.
pub(crate) fn connect_again(
    location: &Arc<Location>,
    database: &ManagedDatabase,
    before: &[String],
    cancel: &Cancel,
) -> Result<Session> {
    let session = Session::start()?;
    open(&session, location, database, before, cancel)?;
    Ok(session)
}

fn open(
    session: &Session,
    location: &Arc<Location>,
    database: &ManagedDatabase,
    before: &[String],
    cancel: &Cancel,
) -> Result<()> {
    let (told, database) = (Arc::clone(location), database.clone());
    session.call(cancel, Some(location.patience), move |objects| {
        objects.database = Some(database.clone());
        let options = told.connection.iter();
        let options = options.map(|(name, value)| (OptionConnection::from(name.as_str()), text(value)));
        let connection = database
            .new_connection_with_opts(options)
            .map_err(|error| from_driver(&error, Phase::Connect, &told.secrets))?;
        objects.keep_connection(connection);
        Ok(())
    })?;
    let (told, before) = (Arc::clone(location), before.to_vec());
    // The user's own statements may take as long as they like.
    session.call(cancel, None, move |objects| {
        for sql in &before {
            execute(objects, &told, sql)?;
        }
        read_only(objects, &told)
    })
}

/// Tells the database that nothing will be written, where it can be told.
fn read_only(objects: &mut Objects, location: &Location) -> Result<()> {
    let own_wish =
        location.connection.iter().any(|(name, _)| OptionConnection::from(name.as_str()) == OptionConnection::ReadOnly);
    if own_wish {
        return Ok(());
    }
    match location.family.read_only() {
        Some(sql) => execute(objects, location, sql),
        None => {
            if let Some(connection) = &mut objects.connection {
                // Few drivers know it; the others are as they are.
                let _ = connection.set_option(OptionConnection::ReadOnly, text("true"));
            }
            Ok(())
        }
    }
}

/// Runs a statement whose result nobody wants.
pub(crate) fn execute(objects: &mut Objects, location: &Location, sql: &str) -> Result<()> {
    let failed = |error: AdbcError| from_driver(&error, Phase::Query, &location.secrets);
    let mut statement = statement(objects, location)?;
    statement.set_sql_query(sql).map_err(failed)?;
    objects.keep_statement(statement.clone());
    let result = statement.execute_update();
    objects.finish();
    result.map(|_| ()).map_err(failed)
}

/// A statement with the query and its values, ready to be executed.
pub(crate) fn prepare(
    objects: &mut Objects,
    location: &Location,
    sql: &str,
    values: &[Value],
) -> Result<ManagedStatement> {
    let failed = |error: AdbcError| from_driver(&error, Phase::Query, &location.secrets);
    if sql.contains('\0') {
        return Err(Error::new(ErrorKind::Config, "the query holds a NUL character, which no ADBC driver takes"));
    }
    let mut statement = statement(objects, location)?;
    statement.set_sql_query(sql).map_err(failed)?;
    objects.keep_statement(statement.clone());
    if !values.is_empty() {
        match statement.prepare() {
            Err(error) if error.status != Status::NotImplemented => return Err(failed(error)),
            _ => {}
        }
        statement.bind(params::batch(values)?).map_err(failed)?;
    }
    Ok(statement)
}

fn statement(objects: &mut Objects, location: &Location) -> Result<ManagedStatement> {
    let closed = || Error::new(ErrorKind::Internal, "an ADBC session without a connection");
    let connection: &mut ManagedConnection = objects.connection.as_mut().ok_or_else(closed)?;
    let failed = |error: AdbcError| from_driver(&error, Phase::Query, &location.secrets);
    let mut statement = connection.new_statement().map_err(failed)?;
    for (name, value) in &location.statement {
        let option = OptionStatement::from(name.as_str());
        statement.set_option(option, text(value)).map_err(|error| {
            from_driver(&error, Phase::Connect, &location.secrets)
                .with_hint(format!("the URI gives the option {name} to every statement"))
        })?;
    }
    Ok(statement)
}

fn text(value: &str) -> OptionValue {
    OptionValue::String(value.to_owned())
}
