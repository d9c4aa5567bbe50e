//! Opens connections: the driver's settings, the login, the first statements.

use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_sql::Database;

use crate::abi;
use crate::driver::{Driver, Family};
use crate::error::{Doing, from_records};
use crate::handle::{Connection, Environment, Records};
use crate::library::library;
use crate::session::Desk;
use crate::stop::Stop;
use crate::uri::Location;

/// Logs in, makes the connection read only and runs the user's statements on it; on the thread that will use it.
pub(crate) fn connect(location: &Arc<Location>, stop: Arc<Stop>, before: &[String]) -> Result<Desk> {
    let environment = Environment::new(library()?).map_err(|records| failed(&records, None, location))?;
    let named = location.get("driver").or_else(|| location.get("dsn")).map_or(Family::Other, Family::of);
    let connection = open(environment, location, named)?;
    let family = Family::of(&connection.text_information(abi::DRIVER_NAME));
    let connection = if family == named || family.keywords(location).is_empty() {
        connection
    } else {
        // Only the open connection tells whose driver it is, and only a new one takes its settings.
        drop(connection);
        let environment = Environment::new(library()?).map_err(|records| failed(&records, None, location))?;
        open(environment, location, family)?
    };
    let information = |what| connection.text_information(what);
    let label = format!(
        "{} {} for {}",
        information(abi::DRIVER_NAME),
        information(abi::DRIVER_VERSION),
        information(abi::DBMS_NAME)
    );
    let any_column = connection.bits_information(abi::GETDATA_EXTENSIONS) & abi::GD_ANY_COLUMN != 0;
    let database = match Database::named(&information(abi::DBMS_NAME)) {
        Database::Unknown => family.database(),
        database => database,
    };
    let driver = Driver { family, database, label, any_column };
    let desk = Desk { connection, driver, location: Arc::clone(location), stop };
    for sql in family.first() {
        desk.run(sql)?;
    }
    for sql in before {
        desk.run(sql)?;
    }
    for sql in family.last() {
        desk.run(sql)?;
    }
    if let Some(sql) = family.perhaps_last(database) {
        // A guard more, where the database knows it; what may be sent at all was decided before.
        let _ = desk.run(sql);
    }
    desk.connection.only_reads();
    Ok(desk)
}

fn open(environment: Environment, location: &Location, family: Family) -> Result<Connection> {
    let string = location.render(&family.keywords(location));
    Connection::open(environment, &string, location.login_time())
        .map_err(|(environment, records)| failed(&records, Some(&environment), location))
}

/// The error of a login, with what is installed where the data source or the driver is not found.
fn failed(records: &Records, environment: Option<&Environment>, location: &Location) -> Error {
    let error = from_records(records, Doing::Connecting, location);
    let unknown =
        records.iter().any(|record| record.state.starts_with("IM") || record.message.contains("Can't open lib"));
    match environment {
        Some(environment) if unknown && error.kind() == ErrorKind::Config => {
            let list = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let (drivers, sources) = (list(environment.drivers()), list(environment.data_sources()));
            error.with_hint(format!("installed drivers: {drivers}; data sources: {sources}"))
        }
        _ if error.kind() == ErrorKind::Connect => error.with_hint("check host, port and whether the server runs"),
        _ => error,
    }
}
