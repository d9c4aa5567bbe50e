//! Functions that would not say the same in every partition.

use bowshot_core::{ErrorKind, Result};
use bowshot_sql::Prepared;

use crate::catalog::{cell, literal, stored_function};
use crate::connect::Session;

/// Built-in functions that say something else for each row, statement, connection or moment, or change something.
const VOLATILE: &[&str] = &[
    "benchmark",
    "connection_id",
    "curdate",
    "current_date",
    "current_time",
    "current_timestamp",
    "curtime",
    "found_rows",
    "get_lock",
    "gtid_subset",
    "is_free_lock",
    "is_used_lock",
    "last_insert_id",
    "lastval",
    "load_file",
    "localtime",
    "localtimestamp",
    "master_gtid_wait",
    "master_pos_wait",
    "nextval",
    "now",
    "ps_current_thread_id",
    "rand",
    "random_bytes",
    "release_all_locks",
    "release_lock",
    "row_count",
    "rownum",
    "setval",
    "sleep",
    "source_pos_wait",
    "sys_guid",
    "sysdate",
    "unix_timestamp",
    "utc_date",
    "utc_time",
    "utc_timestamp",
    "uuid",
    "uuid_short",
    "uuid_v4",
    "uuid_v7",
    "wait_for_executed_gtid_set",
    "wait_until_sql_thread_after_gtids",
];

/// Words that are functions without parentheses, or change from row to row.
const VOLATILE_WORDS: &[&str] = &["rownum", "nextval", "next", "previous", "lastval", "sysdate"];

/// Why the query's functions keep it from being split.
pub(super) fn obstacle(session: &mut Session, query: &Prepared) -> Result<Option<String>> {
    let shape = &query.shape;
    let volatile = |name: &str| VOLATILE.iter().any(|known| known.eq_ignore_ascii_case(name));
    if let Some(name) = shape.functions.iter().find(|name| volatile(name.last())) {
        return Ok(Some(format!("{name} may return something else in every partition")));
    }
    // NEXT VALUE FOR and ROWNUM stand without parentheses.
    if let Some(word) = VOLATILE_WORDS.iter().find(|word| shape.mentions(word)) {
        return Ok(Some(format!("{word} may be something else in every partition")));
    }
    if let Some(name) = stored_function(session, std::slice::from_ref(query))? {
        return Ok(Some(format!("{name} is a function that somebody wrote")));
    }
    unknown(session, query)
}

/// A function that is not the server's own: a loaded one, which may aggregate for all that anybody knows.
fn unknown(session: &mut Session, query: &Prepared) -> Result<Option<String>> {
    let mut names: Vec<&str> = query.shape.functions.iter().map(bowshot_sql::Name::last).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let list: Vec<String> = names.iter().map(|name| literal(name)).collect();
    let among = list.join(", ");
    if session.server().maria_db {
        let known = session.query(&format!(
            "SELECT FUNCTION FROM information_schema.SQL_FUNCTIONS WHERE FUNCTION IN ({among}) \
             UNION SELECT WORD FROM information_schema.KEYWORDS WHERE WORD IN ({among})"
        ));
        return match known {
            Ok(known) => {
                names.retain(|name| !known.iter().any(|row| cell(row, 0).eq_ignore_ascii_case(name)));
                Ok(names.first().map(|name| format!("{name} may be anything")))
            }
            // Before MariaDB 10.6 there is no list.
            Err(error) if error.kind() == ErrorKind::Sql => Ok(Some(format!("{} may be anything", names.join(", ")))),
            Err(error) => Err(error),
        };
    }
    let loaded = session
        .query(&format!("SELECT UDF_NAME FROM performance_schema.user_defined_functions WHERE UDF_NAME IN ({among})"));
    match loaded {
        Ok(loaded) => Ok(loaded.first().map(|row| format!("{} was loaded into the server", cell(row, 0)))),
        Err(error) if error.kind() == ErrorKind::Sql => Ok(Some(format!("{} may be anything", names.join(", ")))),
        Err(error) => Err(error),
    }
}
