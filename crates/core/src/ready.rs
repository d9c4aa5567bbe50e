//! A result that is there already, as a plan.

use std::sync::Arc;

use arrow_array::RecordBatch;

use crate::{Cancel, Connection, Estimate, Partition, Plan, Reader, Result, Scan, Site};

impl Plan {
    /// The plan whose one partition is this batch; `reason` says why it is one, as a sentence.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
    /// use bowshot_core::{Cancel, Plan};
    ///
    /// let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    /// let batch = RecordBatch::try_from_iter([("n", column)])?;
    /// let plan = Plan::ready(batch.clone(), "it was counted before");
    /// let mut connection = plan.scan.connect(&Cancel::default())?;
    /// let mut reader = connection.open(0)?;
    /// assert_eq!(reader.next()?, Some(batch));
    /// assert_eq!(reader.next()?, None);
    /// # Ok::<(), bowshot_core::Error>(())
    /// ```
    pub fn ready(batch: RecordBatch, reason: impl Into<String>) -> Plan {
        Plan {
            schema: batch.schema(),
            snapshot: None,
            partitions: vec![Partition::default()],
            reason: reason.into(),
            estimate: Estimate { rows: u64::try_from(batch.num_rows()).ok(), bytes: None },
            scan: Arc::new(Ready(batch)),
        }
    }
}

struct Ready(RecordBatch);

impl Scan for Ready {
    fn site(&self) -> Site {
        Site::Here
    }

    fn connect(&self, _: &Cancel) -> Result<Box<dyn Connection>> {
        Ok(Box::new(Ready(self.0.clone())))
    }
}

impl Connection for Ready {
    fn open(&mut self, _: usize) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(Once(Some(self.0.clone()))))
    }
}

struct Once(Option<RecordBatch>);

impl Reader for Once {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.0.take())
    }
}
