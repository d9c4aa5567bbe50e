//! A source without a database, for examples and for tests of destinations.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::{
    Cancel, Connection, Estimate, Hold, Partition, Plan, Reader, Request, Result, Scan, Source, Ticket, write_state,
};

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

    fn join(&self, ticket: &Ticket, cancel: &Cancel) -> Result<Plan> {
        let Some(index) = ticket.state::<usize>(KIND)? else {
            return ticket.joined(self.plan(ticket.request(), cancel)?);
        };
        let one = Numbers { partitions: 1, ..*self };
        let scan = Arc::new(From { numbers: *self, index });
        ticket.joined(Plan { scan, ..one.plan(ticket.request(), cancel)? })
    }
}

/// A ticket that somebody forged: its bytes without the last 8, which are made anew, so that no damage is seen in them.
///
/// # Errors
/// Of kind [`Config`](crate::ErrorKind::Config) where they make no ticket.
pub fn ticket_of(forged: &[u8]) -> Result<Ticket> {
    Ticket::from_bytes(&crate::ticket::sealed(forged.to_vec()))
}

/// What tickets of the numbers are called.
const KIND: &str = "numbers";

/// One partition of the numbers.
struct From {
    numbers: Numbers,
    index: usize,
}

impl Scan for From {
    fn connect(&self, _: &Cancel) -> Result<Box<dyn Connection>> {
        Ok(Box::new(From { ..*self }))
    }
}

impl Connection for From {
    fn open(&mut self, _: usize) -> Result<Box<dyn Reader + '_>> {
        let Numbers { rows, .. } = self.numbers;
        Ok(Box::new(Counter { next: self.index * rows, end: (self.index + 1) * rows }))
    }
}

impl Hold for Numbers {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn state(&self, index: usize) -> Result<Vec<u8>> {
        write_state(&index)
    }
}

impl Scan for Numbers {
    fn connect(&self, _: &Cancel) -> Result<Box<dyn Connection>> {
        Ok(Box::new(*self))
    }

    fn obstacle(&self) -> Option<String> {
        None
    }

    fn hold(&self, _: u128, _: &Cancel) -> Result<Box<dyn Hold>> {
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
