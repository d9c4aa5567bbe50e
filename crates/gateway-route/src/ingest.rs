//! Rows for a table.

use bowshot_core::ErrorKind;
use bowshot_gateway_access::TablePath;

use crate::asking::{Asking, NAME_ONE};
use crate::refused::Refused;
use crate::system::is_system;

impl Asking<'_> {
    /// The source that takes rows for a table; the table's own source is the preferred one by now.
    pub(crate) fn ingest(&self, table: &TablePath) -> Result<usize, Refused> {
        let home = self.home_of_changes().and_then(|home| Some((home, self.served(home)?)));
        let Some((index, served)) = home else {
            return Err(Refused::failed(ErrorKind::Config, "nobody can tell which source the rows are for", NAME_ONE));
        };
        let path = TablePath { source: served.name.clone(), ..table.clone() };
        let system = self.strict && is_system(path.schema.as_deref(), &path.table);
        if system || !self.rights.may_write(&path) {
            return Err(Refused::target(&path.to_string()));
        }
        if !served.writable {
            return Err(Refused::read_only(&served.name));
        }
        Ok(index)
    }
}
