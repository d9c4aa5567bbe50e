//! A plan on Spark's driver, written down as tickets for its tasks.

use arrow_schema::{DataType, Schema};
use bowshot_core::{Cancel, Error, ErrorKind, Holder, Options, Partition, Partitioning, Query, Request, Result};

use crate::ask::{Asked, Looked};
use crate::filter::Filter;
use crate::prune;
use crate::statement::Statement;

/// What Spark needs of a query's result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    /// Which columns; none where only rows are counted.
    pub columns: Vec<String>,
    /// What every row fulfils that Spark keeps, all of them. Spark filters what arrives once more.
    pub filters: Vec<Filter>,
    /// How many rows are enough.
    pub limit: Option<u64>,
}

/// A statement, and the columns of the query that are read by it.
pub struct Written {
    /// The statement.
    pub sql: String,
    /// The columns.
    pub columns: Vec<String>,
}

/// A plan whose partitions are read elsewhere; it keeps their snapshot until it is dropped.
pub struct Planned {
    holder: Holder,
    /// Why it was or was not split, as a sentence.
    pub reason: String,
    /// The state of the database that all partitions see, where it has a name.
    pub snapshot: Option<String>,
    /// The partitions.
    pub partitions: Vec<Partition>,
}

impl Planned {
    /// Plans what was looked at.
    ///
    /// # Errors
    /// Those of planning, and of holding the snapshot.
    pub fn new(asked: &Asked, looked: &Looked, wish: &Wish) -> Result<Self> {
        let cancel = Cancel::new();
        let mut options = asked.options()?;
        let written = written(asked, looked, wish)?;
        options.prune =
            if asked.scheme() == "file" { prune::conditions(&wish.filters, &looked.schema) } else { Vec::new() };
        // Types of columns that are not read would be refused.
        if written.sql != looked.sql {
            options.types.retain(|column, _| written.columns.contains(column));
        }
        let mut request = Request::new(Query::new(written.sql.clone()), options);
        let mut plan = asked.source.plan(&request, &cancel)?;
        if plan.travels(&request.options).is_err() && plan.partitions.len() > 1 {
            if request.options.partitioning != Partitioning::Auto {
                plan.travels(&request.options)?;
            }
            // A snapshot that no other process can see is read by one task.
            request.options.partitioning = Partitioning::Single;
            plan = asked.source.plan(&request, &cancel)?;
        }
        let holder = Holder::new(&plan, &request, asked.settings.lease(), &cancel)?;
        Ok(Planned {
            holder,
            reason: plan.reason.clone(),
            snapshot: plan.snapshot.clone(),
            partitions: plan.partitions.clone(),
        })
    }

    /// One ticket a partition, as bytes.
    ///
    /// # Errors
    /// Of kind [`SnapshotGone`](ErrorKind::SnapshotGone) once the snapshot is lost.
    pub fn tickets(&self) -> Result<Vec<Vec<u8>>> {
        self.holder.tickets()?.iter().map(|ticket| ticket.to_bytes()).collect()
    }

    /// Whether its tickets can still be read.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.holder.is_alive()
    }
}

/// The statement that is read for a wish; no database is asked.
///
/// # Errors
/// Those of options that make no sense.
pub fn written(asked: &Asked, looked: &Looked, wish: &Wish) -> Result<Written> {
    let options = asked.options()?;
    let Looked { schema, sql, is_table, .. } = looked;
    let wish = Wish { columns: needed(wish, schema, &options), ..wish.clone() };
    let statement = Statement { uri: &asked.uri, scheme: asked.scheme(), sql, is_table: *is_table, schema };
    let sql = statement.with(&wish, &|column: &str| options.types.contains_key(column));
    Ok(Written { sql, columns: wish.columns })
}

/// The columns to read: at least one, since a result without columns has no rows to count.
fn needed(wish: &Wish, schema: &Schema, options: &Options) -> Vec<String> {
    let mut columns = wish.columns.clone();
    if columns.is_empty() {
        let width = |kind: &DataType| kind.primitive_width().unwrap_or(if *kind == DataType::Boolean { 0 } else { 64 });
        let narrowest = schema.fields().iter().min_by_key(|field| width(field.data_type()));
        columns.extend(narrowest.map(|field| field.name().clone()));
    }
    if let Partitioning::Column { column, .. } = &options.partitioning
        && !columns.contains(column)
    {
        columns.push(column.clone());
    }
    columns
}

/// The error of a column that Spark asks for and the result does not have.
pub(crate) fn absent(column: &str, schema: &Schema) -> Error {
    let known: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    Error::new(ErrorKind::SnapshotGone, format!("the result has no column \"{column}\" any more"))
        .with_column(column)
        .with_hint(format!("its columns are {}; make the DataFrame again", known.join(", ")))
}
