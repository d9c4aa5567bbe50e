//! Runs every case of a database, by every way in which it can be read.

use std::fmt::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, Options, Partitioning, Request, Source, Stream};

use super::{Case, Database, Situation, Table, check, read, read_by_tickets, suites};
use crate::Result;

/// How long an error may take to be told.
const SOON: Duration = Duration::from_secs(10);

/// Turns a URI into its source.
type Connect<'a> = &'a dyn Fn(&str) -> Result<Arc<dyn Source>, Error>;

/// Runs every case of a database over every protocol, whole and in partitions; the number of cases.
///
/// # Errors
/// Everything that is not as the cases say.
pub fn run(database: &mut dyn Database, connect: Connect<'_>) -> Result<usize> {
    let (mut failures, mut checked) = (String::new(), 0);
    let mut last = Vec::new();
    for suite in suites(database.name())? {
        let cases = suite.cases_of(database.version());
        if cases.is_empty() {
            continue;
        }
        let uri = database.prepare(&suite.name, &suite.setup_of(database.version()))?;
        for case in cases {
            checked += 1;
            if case.at == Situation::KilledInMidStream {
                last.push((suite.name.clone(), uri.clone(), case.clone()));
                continue;
            }
            for difference in differences(database, &uri, case, connect)? {
                writeln!(failures, "{}, {}: {difference}", suite.name, case.name)?;
            }
        }
    }
    // Nothing can be read after these.
    for (suite, uri, case) in last {
        let killed = killed(database, &uri, &case, connect).unwrap_or_else(|failure| Err(failure.to_string()));
        if let Err(difference) = killed {
            writeln!(failures, "{suite}, {}: {difference}", case.name)?;
        }
    }
    if failures.is_empty() { Ok(checked) } else { Err(failures.into()) }
}

/// What is not as the case says, by the way it was read.
fn differences(database: &dyn Database, uri: &str, case: &Case, connect: Connect<'_>) -> Result<Vec<String>> {
    match case.at {
        Situation::Well => {}
        Situation::Cancelled => {
            let cancelled = cancelled(uri, case, connect).unwrap_or_else(|failure| Err(failure.to_string()));
            return Ok(cancelled.err().into_iter().collect());
        }
        Situation::SilentHost => {
            // The system accepts what nobody accepts.
            let listener = TcpListener::bind(("127.0.0.1", 0))?;
            let uri = address(database, case.at)?.replace("PORT", &listener.local_addr()?.port().to_string());
            return Ok(soon(&uri, case, connect)?.err().into_iter().collect());
        }
        other => return Ok(soon(&address(database, other)?, case, connect)?.err().into_iter().collect()),
    }
    let source = match connect(uri) {
        Ok(source) => source,
        Err(error) => return Ok(vec![format!("{error:?}")]),
    };
    let (whole, mut differences) = (case.options()?, Vec::new());
    for protocol in std::iter::once(None).chain(database.protocols().iter().map(Some)) {
        if protocol.is_some_and(|name| !case.protocols.is_empty() && !case.protocols.iter().any(|known| known == name))
        {
            continue;
        }
        let options = Options { protocol: protocol.map(|name| (*name).to_owned()), ..whole.clone() };
        let mut try_as = |way: &str, options: Options, in_parts: bool, any_order: bool| -> Result<()> {
            let started = Instant::now();
            let outcome = read(source.as_ref(), case, options)?;
            let parts = outcome.as_ref().map_or(2, |table| table.partitions);
            let result = check(case, &outcome, any_order)
                .and_then(|()| in_time(case, started))
                .and_then(|()| if in_parts && parts < 2 { Err("it was not split".to_owned()) } else { Ok(()) });
            let by = protocol.map_or(String::new(), |name| format!("{name}, "));
            differences.extend(result.err().map(|difference| format!("{by}{way}: {difference}")));
            Ok(())
        };
        try_as("whole", options.clone(), false, case.any_order)?;
        if case.split {
            let auto = Options { partitioning: Partitioning::Auto, connections: Some(2), ..options.clone() };
            try_as("split", auto, true, case.any_order)?;
        }
        if let Some(column) = &case.partition_on {
            let partitioning = Partitioning::Column { column: column.clone(), count: 3, range: None };
            try_as("by column", Options { partitioning, connections: Some(2), ..options }, true, true)?;
        }
    }
    // As other processes read it: by column where that is asked for, else as the source splits it by itself.
    let partitioning = match &case.partition_on {
        Some(column) => Partitioning::Column { column: column.clone(), count: 3, range: None },
        None if case.split => Partitioning::Auto,
        None => whole.partitioning.clone(),
    };
    let any_order = case.any_order || case.partition_on.is_some();
    // Where no snapshot travels, ranges of a column do if each may see another state.
    let one_snapshot = case.partition_on.is_none() && whole.one_snapshot;
    let options = Options { partitioning, one_snapshot, connections: Some(2), ..whole };
    if let Some(outcome) = read_by_tickets(source.as_ref(), case, options)? {
        let result = check(case, &outcome, any_order);
        differences.extend(result.err().map(|difference| format!("by tickets: {difference}")));
    }
    Ok(differences)
}

fn address(database: &dyn Database, situation: Situation) -> Result<String> {
    database.address(situation).ok_or_else(|| format!("{} has no {}", database.name(), situation.title()).into())
}

/// An error that has to come soon.
fn soon(uri: &str, case: &Case, connect: Connect<'_>) -> Result<Result<(), String>> {
    let started = Instant::now();
    let outcome = match connect(uri) {
        Ok(source) => read(source.as_ref(), case, case.options()?)?,
        Err(error) => Err(error),
    };
    Ok(check(case, &outcome, false).and_then(|()| in_time(case, started)))
}

fn in_time(case: &Case, started: Instant) -> Result<(), String> {
    let took = started.elapsed();
    if case.fails() && took > SOON { Err(format!("the error took {took:.1?}")) } else { Ok(()) }
}

/// Reads until the first batch, then lets the server be killed.
fn killed(database: &mut dyn Database, uri: &str, case: &Case, connect: Connect<'_>) -> Result<Result<(), String>> {
    let (mut stream, _) = begin(uri, case, connect)?;
    database.crash()?;
    let started = Instant::now();
    Ok(check(case, &rest(&mut stream), false).and_then(|()| in_time(case, started)))
}

fn cancelled(uri: &str, case: &Case, connect: Connect<'_>) -> Result<Result<(), String>> {
    let (mut stream, cancel) = begin(uri, case, connect)?;
    let started = Instant::now();
    cancel.cancel();
    let outcome = rest(&mut stream);
    drop(stream);
    let took = started.elapsed();
    let quick = if took > Duration::from_secs(2) { Err(format!("the cancel took {took:.1?}")) } else { Ok(()) };
    Ok(check(case, &outcome, false).and(quick))
}

/// The stream of a case, of which the first batch was read.
fn begin(uri: &str, case: &Case, connect: Connect<'_>) -> Result<(Stream, Cancel)> {
    // What waits for the consumer is little, so that most of the result is still to come.
    let options = Options { buffer_bytes: 1 << 16, batch_bytes: 1 << 14, ..case.options()? };
    let cancel = Cancel::new();
    let request = Request { queries: case.queries()?, options };
    let plan = connect(uri)?.plan(&request, &cancel)?;
    let mut stream = Stream::start(plan, &request.options, cancel.clone());
    stream.next().ok_or("the result is empty")??;
    Ok((stream, cancel))
}

/// What is left of a stream.
fn rest(stream: &mut Stream) -> Result<Table, Error> {
    let schema = stream.schema();
    let batches = stream.collect::<Result<Vec<_>, _>>()?;
    Ok(Table { schema, batches, partitions: 1 })
}
