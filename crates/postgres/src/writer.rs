//! PostgreSQL, written to.

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use bowshot_core::{Cancel, Ingest, Result, Value, Writer};

use crate::describe::parameter_type;
use crate::{Postgres, ingest, update};

impl Writer for Postgres {
    fn parameters(&self, sql: &str, cancel: &Cancel) -> Result<Vec<Option<DataType>>> {
        Ok(update::parameters(&self.config, sql, cancel)?.into_iter().map(parameter_type).collect())
    }

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
