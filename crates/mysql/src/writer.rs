//! MySQL and MariaDB, written to.

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Ingest, Result, Value, Writer};

use crate::{MySql, ingest, update};

impl Writer for MySql {
    fn update(&self, sql: &str, rows: &mut dyn Iterator<Item = Result<Vec<Value>>>, cancel: &Cancel) -> Result<u64> {
        update::update(&self.config, sql, rows, cancel)
    }

    fn ingest(
        &self,
        target: &Ingest,
        batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
        cancel: &Cancel,
    ) -> Result<u64> {
        ingest::ingest(&self.config, target, batches, cancel)
    }
}
