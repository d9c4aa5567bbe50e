//! What a user with rules may not write, whatever its tables are.

use bowshot_sql::Tables;

use crate::allowed::{is_allowed_function, is_allowed_table_function, is_allowed_type};
use crate::refused::Refused;

/// Refuses doubt, and calls and casts that may read what no rule knows of.
pub(crate) fn check(read: &Tables) -> Result<(), Refused> {
    if let Some(doubt) = read.doubts.first() {
        return Err(Refused::doubt(doubt));
    }
    if let Some(name) = read.functions.iter().find(|name| !is_allowed_function(name)) {
        return Err(Refused::function(name));
    }
    if let Some(name) = read.table_functions.iter().find(|name| !is_allowed_table_function(name)) {
        return Err(Refused::function(name));
    }
    match read.types.iter().find(|name| !is_allowed_type(name)) {
        Some(name) => Err(Refused::data_type(name)),
        None => Ok(()),
    }
}
