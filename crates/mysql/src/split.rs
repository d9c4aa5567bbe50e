//! Divides a query into ranges of keys.

use bowshot_core::{Options, Result};
use bowshot_sql::{Division, Prepared};

use crate::connect::Session;

/// How a query is divided where the user leaves it to us.
pub(crate) fn divide(_session: &mut Session, query: &Prepared, _options: &Options) -> Result<Division> {
    Ok(Division::whole(query, "one connection reads it"))
}
