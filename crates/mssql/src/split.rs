//! Which query is split by the server's own knowledge of its table, and into what.

use bowshot_core::{Error, ErrorKind, Estimate, Options, Part, Partition, Result};
use bowshot_sql::{Division, KeyRange, Prepared, balanced_ranges, splice};

use crate::describe::{self, Described};
use crate::key::Key;
use crate::session::Session;
use crate::snapshot;

/// A table with fewer rows is read by one connection: starting others takes longer.
const LEAST_ROWS: u64 = 50_000;
/// No partition is smaller than this.
const LEAST_ROWS_A_PARTITION: u64 = 8_192;
/// Partitions a connection, so that one that is done early finds more to do.
const PARTITIONS_A_CONNECTION: u64 = 8;
/// More partitions than this only cost.
const MOST_PARTITIONS: u64 = 256;

/// Functions, and types that look like them (`decimal(9, 2)`), whose result depends on nothing but their arguments.
const PURE: &[&str] = &[
    "abs",
    "acos",
    "ascii",
    "asin",
    "atan",
    "atn2",
    "bigint",
    "binary",
    "bit",
    "cast",
    "ceiling",
    "char",
    "charindex",
    "checksum",
    "choose",
    "coalesce",
    "concat",
    "concat_ws",
    "convert",
    "cos",
    "cot",
    "datalength",
    "date",
    "dateadd",
    "datediff",
    "datediff_big",
    "datefromparts",
    "datepart",
    "datetime2",
    "datetime2fromparts",
    "datetimefromparts",
    "datetimeoffset",
    "day",
    "dec",
    "decimal",
    "degrees",
    "difference",
    "eomonth",
    "exp",
    "float",
    "floor",
    "hashbytes",
    "iif",
    "int",
    "isjson",
    "isnull",
    "isnumeric",
    "json_query",
    "json_value",
    "left",
    "len",
    "log",
    "log10",
    "lower",
    "ltrim",
    "month",
    "nchar",
    "nullif",
    "numeric",
    "nvarchar",
    "parsename",
    "patindex",
    "pi",
    "power",
    "quotename",
    "radians",
    "real",
    "replace",
    "replicate",
    "reverse",
    "right",
    "round",
    "rtrim",
    "sign",
    "sin",
    "smallint",
    "soundex",
    "space",
    "sqrt",
    "square",
    "str",
    "stuff",
    "substring",
    "tan",
    "time",
    "timefromparts",
    "tinyint",
    "todatetimeoffset",
    "translate",
    "trim",
    "try_cast",
    "try_convert",
    "unicode",
    "upper",
    "varbinary",
    "varchar",
    "year",
];

/// One partition where the server refuses what only planning asks for: the query may do without a column of the key, and the login
/// have no right to it.
fn refused(query: &Prepared, error: Error) -> Result<Division> {
    match error.kind() {
        ErrorKind::Sql => {
            Ok(Division::whole(query, format!("the server refused what planning asked: {}", error.message())))
        }
        _ => Err(error),
    }
}

/// How a query over one table is divided, on the server's own judgement of the table.
pub(crate) fn split(
    session: &mut Session,
    query: &Prepared,
    options: &Options,
    columns: &[Described],
) -> Result<Division> {
    let whole = |reason: String| Ok(Division::whole(query, reason));
    if options.workers() < 2 {
        return whole("only one connection is allowed".to_owned());
    }
    let (candidate, table) = match snapshot::table(query) {
        Ok(found) => found,
        Err(reason) => return whole(reason),
    };
    if let Some(function) = query
        .shape
        .functions
        .iter()
        .find(|function| function.0.len() > 1 || !PURE.contains(&function.last().to_ascii_lowercase().as_str()))
    {
        return whole(format!("{function} may not return the same each time"));
    }
    // It looks like no call: NEXT VALUE FOR a sequence.
    if query.shape.mentions("next") && query.shape.mentions("value") {
        return whole("it takes numbers from a sequence".to_owned());
    }
    // Variables of the server, such as @@ROWCOUNT and @@SPID.
    if query.sql.contains("@@") {
        return whole("it reads a variable of the session".to_owned());
    }
    let key = match Key::of(session, &table) {
        Ok(Some(key)) => key,
        Ok(None) => return whole(format!("{table} has no clustered index on whole numbers that are NOT NULL")),
        Err(error) => return refused(query, error),
    };
    if key.rows < LEAST_ROWS {
        return whole(format!("{table} has only about {} rows", key.rows));
    }
    let connections = u64::try_from(options.workers()).unwrap_or(1);
    let count = (connections * PARTITIONS_A_CONNECTION).min(MOST_PARTITIONS);
    let probed = balanced_ranges(key.high, count, LEAST_ROWS_A_PARTITION, |probes| {
        probes.iter().map(|probe| key.after(session, &table, *probe)).collect()
    });
    let ranges = match probed {
        Ok(ranges) => ranges,
        Err(error) => return refused(query, error),
    };
    if ranges.len() < 2 {
        return whole(format!("the keys of {table} leave nothing to split"));
    }
    let part = |range: &KeyRange| {
        let slice = format!("(SELECT * FROM {table} WHERE {})", key.condition(range));
        Part {
            sql: splice(&query.sql, candidate, &slice),
            values: query.values.clone(),
            partition: Partition { label: key.label(range), rows: Some(range.rows) },
        }
    };
    let parts: Vec<Part> = ranges.iter().map(part).collect();
    // Hints behind the table's name, columns that `*` does not show: whatever it is, the server then says no.
    if let Some(part) = parts.first() {
        match describe::ask(session, &part.sql, &part.values) {
            Ok(found) if found == columns => {}
            Ok(_) => return whole(format!("a slice of {table} has other columns")),
            Err(error) if error.kind() == ErrorKind::Sql => {
                return whole(format!("a slice of {table} cannot stand for it ({})", error.message()));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Division {
        parts,
        reason: format!("{table} is split by its clustered key {}", key.name),
        estimate: Estimate { rows: Some(key.rows), bytes: None },
    })
}
