//! What a database has to offer to be read by Bowshot.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;

use crate::{
    Aggregate, Cancel, Error, ErrorKind, Excerpt, Hold, Naming, Origin, Part, Plan, Request, Result, Site, Ticket,
    Writer,
};

/// A database or a folder of files, named by a URI.
pub trait Source: Send + Sync {
    /// Connects, asks the database what the request's result looks like, and decides how to read it.
    ///
    /// The plan holds the snapshot open; nothing of the result has been read yet.
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan>;

    /// The plan of the one partition that a ticket names: on the snapshot of the plan that it is of, if that has one.
    ///
    /// Sources whose snapshots can be joined say how; what is executed anew is planned like any request.
    ///
    /// # Errors
    /// Of kind [`SnapshotGone`](ErrorKind::SnapshotGone) where nobody holds the snapshot any more or the result's columns have changed, of
    /// kind [`Config`](ErrorKind::Config) for a ticket of another source, and those of [`plan`](Source::plan).
    fn join(&self, ticket: &Ticket, cancel: &Cancel) -> Result<Plan> {
        ticket.executed_anew()?;
        ticket.joined(self.plan(ticket.request(), cancel)?)
    }

    /// How it writes the names of tables and columns. Most sources know; some have to connect and ask their driver or server.
    ///
    /// # Errors
    /// Those of a connection that has to be asked and cannot be opened.
    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(Naming::default())
    }

    /// What writes to it.
    ///
    /// # Errors
    /// Of kind [`Unsupported`](ErrorKind::Unsupported) where Bowshot only reads this kind of source, which is the default.
    fn writer(&self) -> Result<&dyn Writer> {
        Err(Error::new(ErrorKind::Unsupported, "Bowshot does not write to this kind of source")
            .with_hint("it writes to PostgreSQL, MySQL, MariaDB and SQLite; use this one's own client"))
    }
}

/// The live side of a plan. The executor calls it from several threads.
pub trait Scan: Send + Sync {
    /// Opens a connection that sees the plan's snapshot. The first call may hand out the one that made the plan.
    ///
    /// An error of kind [`ConnectionLimit`](crate::ErrorKind::ConnectionLimit) means "fewer workers", not failure,
    /// as long as one worker reads.
    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>>;

    /// Where its work is done, by which a [`Profile`](crate::Profile) says what it means that a reader waits or works.
    fn site(&self) -> Site {
        Site::Server
    }

    /// The types that the database expects of the query's parameters, in their order; `None` for one of which it says nothing. Empty
    /// where it says nothing of any.
    fn parameters(&self) -> Vec<Option<DataType>> {
        Vec::new()
    }

    /// Whether its readers may have [excerpts](Reader::excerpt). Who asks for them reads partitions by itself.
    fn has_excerpts(&self) -> bool {
        false
    }

    /// Facts about all rows of the plan, each as an array of one value; `None` where one of them is not known for certain without reading
    /// the rows. Counts are of type int64, values of their column's.
    ///
    /// # Errors
    /// Those of looking at what is stored.
    fn aggregates(&self, _asked: &[Aggregate]) -> Result<Option<Vec<ArrayRef>>> {
        Ok(None)
    }

    /// Why nothing but this plan's own connections can see its snapshot, as the end of a sentence; `None` where others can
    /// [join](Source::join) it.
    fn obstacle(&self) -> Option<String> {
        Some("this kind of source has no snapshot that another process could join".into())
    }

    /// The SQL of a partition, where it is one that its source can read alone.
    fn part(&self, _index: usize) -> Option<Part> {
        None
    }

    /// Keeps the snapshot for those that join from elsewhere, under a plan's own number: the connection that planned is not lent to a reader
    /// from now on. Only where there is no [`obstacle`](Scan::obstacle).
    ///
    /// # Errors
    /// Those of the database.
    fn hold(&self, _plan: u128, _cancel: &Cancel) -> Result<Box<dyn Hold>> {
        Err(Error::new(ErrorKind::Internal, "the snapshot cannot be held"))
    }

    /// Whether its snapshot ends where nobody holds it, as that of a transaction does. Of what is found by its own marks, as a file is by its
    /// size and time, any number of plans may travel.
    fn needs_holder(&self) -> bool {
        true
    }

    /// The tables from which the result's columns come, in the order of the columns; `None` for one that is computed. Empty where the
    /// database does not say.
    fn origins(&self) -> Vec<Option<Origin>> {
        Vec::new()
    }
}

/// A connection on the plan's snapshot; it reads one partition after the other.
pub trait Connection: Send {
    /// Starts to read partition `index` of the plan.
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>>;
}

/// Yields the batches of one partition. Threads may take turns with it.
pub trait Reader: Send {
    /// The next batch, about [`Options::batch_bytes`](crate::Options::batch_bytes) large; `None` after the last one.
    ///
    /// Dropping a reader before its end leaves its connection unusable; the executor then drops that too.
    fn next(&mut self) -> Result<Option<RecordBatch>>;

    /// The next rows as they are stored, if they are stored in at most the `smaller`th part of the bytes that their batches would have (0: in
    /// however many); `None` where they have to be read as batches, or where there are no more. Rows that are handed out so are not among the batches.
    ///
    /// # Errors
    /// As for [`next`](Reader::next).
    fn excerpt(&mut self, _smaller: u64) -> Result<Option<Excerpt<'_>>> {
        Ok(None)
    }
}
