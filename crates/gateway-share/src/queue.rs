//! What waits for a reader: batches in memory, then batches on disk, in the order of the result.

use std::collections::VecDeque;

use arrow_array::RecordBatch;

use crate::space::Space;
use crate::spill::Spilled;

/// The batches that no reader was given yet, and the room for more.
pub(crate) struct Queue {
    waiting: VecDeque<Waiting>,
    /// Bytes of the batches in memory.
    bytes: usize,
    /// How many these may be.
    most: usize,
    disk: Space,
}

enum Waiting {
    /// With its bytes, which are counted once.
    InMemory(RecordBatch, usize),
    OnDisk(Spilled),
}

/// The next batch, or where it is.
pub(crate) enum Next {
    Batch(RecordBatch),
    /// To be read back, and then to be [forgotten](Queue::forget).
    Spilled(Spilled),
}

impl Queue {
    /// For so many bytes in memory and on disk.
    pub(crate) fn new(memory_bytes: usize, disk_bytes: u64) -> Self {
        Queue { waiting: VecDeque::new(), bytes: 0, most: memory_bytes, disk: Space::new(disk_bytes) }
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether a batch of so many bytes may wait in memory.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.bytes.saturating_add(bytes) <= self.most
    }

    /// Has a batch wait in memory.
    pub(crate) fn push(&mut self, batch: RecordBatch, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.waiting.push_back(Waiting::InMemory(batch, bytes));
    }

    /// Whether a batch of so many bytes is worth an attempt to spill it.
    pub(crate) fn may_spill(&self, bytes: usize) -> bool {
        u64::try_from(bytes).is_ok_and(|bytes| bytes > 0 && self.disk.place(bytes).is_some())
    }

    /// The position in the file for so many bytes, if there is room.
    pub(crate) fn reserve(&mut self, length: usize) -> Option<u64> {
        self.disk.reserve(u64::try_from(length).ok()?)
    }

    /// Has a batch wait on disk, whose bytes were written to their reserved place.
    pub(crate) fn push_spilled(&mut self, spilled: Spilled) {
        self.waiting.push_back(Waiting::OnDisk(spilled));
    }

    /// Spills nothing any more; what was spilled before stays.
    pub(crate) fn stop_spilling(&mut self) {
        self.disk.close();
    }

    /// The batch that has waited longest.
    pub(crate) fn pop(&mut self) -> Option<Next> {
        Some(match self.waiting.pop_front()? {
            Waiting::InMemory(batch, bytes) => {
                self.bytes = self.bytes.saturating_sub(bytes);
                Next::Batch(batch)
            }
            Waiting::OnDisk(spilled) => Next::Spilled(spilled),
        })
    }

    /// Gives back the place of a batch that was read from disk.
    pub(crate) fn forget(&mut self, spilled: &Spilled) {
        self.disk.release(spilled.start());
    }
}
