//! SQLite, written to.

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Ingest, Result, Value, Writer};

use crate::{Sqlite, ingest, update};

impl Writer for Sqlite {
    fn update(&self, sql: &str, rows: &mut dyn Iterator<Item = Result<Vec<Value>>>, cancel: &Cancel) -> Result<u64> {
        update::update(&self.location, sql, rows, cancel)
    }

    fn ingest(
        &self,
        target: &Ingest,
        batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
        cancel: &Cancel,
    ) -> Result<u64> {
        ingest::ingest(&self.location, target, batches, cancel)
    }
}
