//! A source without a database, for examples and for tests of destinations.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::{Cancel, Connection, Estimate, Partition, Plan, Reader, Request, Result, Scan, Source};

/// Counts from 0 in a column `n` (int64), in batches of 10 rows; the query's text does not matter.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// How many partitions.
    pub partitions: usize,
    /// Rows in each partition.
    pub rows: usize,
}

impl Source for Numbers {
    fn plan(&self, _: &Request, _: &Cancel) -> Result<Plan> {
        let rows = u64::try_from(self.rows).ok();
        Ok(Plan {
            schema: schema(),
            snapshot: Some("the numbers never change".into()),
            partitions: (0..self.partitions).map(|index| Partition { label: format!("part {index}"), rows }).collect(),
            reason: "numbers can be counted in parts".into(),
            estimate: Estimate::default(),
            scan: Arc::new(*self),
        })
    }
}

impl Scan for Numbers {
    fn connect(&self, _: &Cancel) -> Result<Box<dyn Connection>> {
        Ok(Box::new(*self))
    }
}

impl Connection for Numbers {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(Counter { next: index * self.rows, end: (index + 1) * self.rows }))
    }
}

struct Counter {
    next: usize,
    end: usize,
}

impl Reader for Counter {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        if self.next == self.end {
            return Ok(None);
        }
        let end = (self.next + 10).min(self.end);
        let column: Int64Array = (self.next..end).map(|value| i64::try_from(value).ok()).collect();
        self.next = end;
        Ok(Some(RecordBatch::try_new(schema(), vec![Arc::new(column)])?))
    }
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, true)]))
}
