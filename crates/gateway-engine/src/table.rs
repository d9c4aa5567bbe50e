//! A table of a source, as DataFusion sees it.

use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use async_trait::async_trait;
use bowshot_core::{Cancel, Error, ErrorKind, Options, Partitioning, Plan, Query, Request, Source};
use bowshot_gateway_catalog::Dialect;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use crate::error::outside;
use crate::feed::Dress;
use crate::member::{Kind, Member};
use crate::plain::Plain;
use crate::push::{Select, knows_limit, prunes, pushed};
use crate::scan::SourceExec;
use crate::tables::{Described, Directory};

/// How many bytes a piece of a file may have that one thread reads at a time.
const PIECE: usize = 16 << 20;

/// A table of a member, for one query.
pub(crate) struct SourceTable {
    source: Arc<dyn Source>,
    /// `None` for files.
    dialect: Option<Dialect>,
    pub(crate) described: Arc<Described>,
    options: Options,
    directory: Arc<Directory>,
    cancel: Cancel,
}

impl SourceTable {
    pub(crate) fn new(
        member: &Member,
        described: Arc<Described>,
        options: &Options,
        directory: &Arc<Directory>,
        cancel: &Cancel,
    ) -> Self {
        let dialect = match &member.kind {
            Kind::Files(_) => None,
            Kind::Database(dialect) => Some(*dialect),
        };
        let source = Arc::clone(&member.source);
        let (options, directory) = (options.clone(), Arc::clone(directory));
        SourceTable { source, dialect, described, options, directory, cancel: cancel.clone() }
    }

    /// The names of the columns that the source is asked for.
    fn asked(&self, schema: &Schema) -> Vec<&str> {
        let all = self.described.schema.fields();
        if !schema.fields().is_empty() || self.dialect.is_some() {
            return schema
                .fields()
                .iter()
                .filter_map(|field| all.find(field.name()).map(|(_, f)| f.name().as_str()))
                .collect();
        }
        // Files cannot be asked for a number: the narrowest column is read for its rows.
        let width = |data_type: &arrow_schema::DataType| data_type.primitive_width().unwrap_or(usize::MAX);
        all.iter().min_by_key(|field| width(field.data_type())).map(|field| field.name().as_str()).into_iter().collect()
    }

    /// How the source is read for one scan.
    fn request(&self, sql: &str, schema: &Schema) -> Request {
        let mut options = Options { protocol: None, deal: false, excerpts: false, ..self.options.clone() };
        options.partitioning = Partitioning::Auto;
        options.types.clear();
        match self.dialect {
            // SQLite's types may follow from the values, which differ with the filters.
            Some(Dialect::Sqlite) => {
                options.types =
                    schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect();
            }
            Some(_) => {}
            None => {
                options.before.clear();
                // Its batches wait for the engine, which takes few at a time: large pieces cost no memory, and small ones of a
                // row group each read its dictionaries.
                options.buffer_bytes = options.buffer_bytes.max(PIECE * options.workers());
            }
        }
        Request::new(Query::new(sql), options)
    }

    /// An error where the source's columns are no longer those that were described.
    fn check(&self, wanted: &Schema, found: &Schema) -> Result<()> {
        let same =
            wanted.fields().is_empty()
                || wanted.fields().len() == found.fields().len()
                    && wanted.fields().iter().zip(found.fields()).all(|(wanted, found)| {
                        wanted.name() == found.name() && wanted.data_type() == found.data_type()
                    });
        if same {
            return Ok(());
        }
        self.directory.forget(&self.described.path);
        let message = format!("the columns of {} changed while the query was planned", self.described.path);
        Err(outside(Error::new(ErrorKind::Sql, message).with_hint("ask the query again")))
    }

    /// How many rows a scan has, as far as that is known before it is read.
    fn rows(&self, plan: &Plan) -> Precision<usize> {
        let all: Option<u64> = plan.partitions.iter().map(|partition| partition.rows).sum();
        let number = |rows: u64| usize::try_from(rows).ok();
        match self.dialect {
            // Files count their rows; databases estimate.
            None => all.and_then(number).map_or(Precision::Absent, Precision::Exact),
            Some(_) => plan.estimate.rows.or(all).and_then(number).map_or(Precision::Absent, Precision::Inexact),
        }
    }
}

impl fmt::Debug for SourceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceTable({})", self.described.path)
    }
}

#[async_trait]
impl TableProvider for SourceTable {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.described.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let decide = |filter: &&Expr| match self.dialect {
            // They only leave out what they know without reading it.
            None if !prunes(filter, &self.described).is_empty() => TableProviderFilterPushDown::Inexact,
            Some(_) if pushed(filter, &self.described, self.dialect).is_some() => TableProviderFilterPushDown::Exact,
            _ => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(decide).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(places) => Arc::new(self.described.schema.project(places)?),
            None => SchemaRef::clone(&self.described.schema),
        };
        let prune: Vec<_> = match self.dialect {
            None => filters.iter().flat_map(|filter| prunes(filter, &self.described)).collect(),
            Some(_) => Vec::new(),
        };
        let written = filters.iter().filter(|_| self.dialect.is_some());
        let written = written.map(|filter| pushed(filter, &self.described, self.dialect));
        let filters = written.collect::<Option<Vec<_>>>().ok_or_else(|| {
            DataFusionError::Internal(format!("a filter of {} was to be pushed and cannot be", self.described.path))
        })?;
        // Of rows that a filter looks at again, nobody knows how many are the first ones.
        let limit = limit.filter(|_| knows_limit(self.dialect) && prune.is_empty());
        let columns = self.asked(&schema);
        let sql = Select { dialect: self.dialect, path: &self.described.path, columns, filters, limit }.sql();
        let mut request = self.request(&sql, &schema);
        request.options.prune = prune;
        let (source, cancel) = (Arc::clone(&self.source), self.cancel.clone());
        let plain = self.dialect.is_none().then(|| {
            let (source, path) = (Arc::clone(&source), self.described.path.clone());
            // Nothing lies between it and the client.
            let options = Options { excerpts: self.options.excerpts, ..request.options.clone() };
            Plain { source, path, limit, options }
        });
        let planned = tokio::task::spawn_blocking(move || source.plan(&request, &cancel)).await;
        let plan = planned.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?.map_err(outside)?;
        self.check(&schema, &plan.schema)?;
        let rows = self.rows(&plan);
        Ok(Arc::new(SourceExec::new(
            self.described.path.to_string(),
            sql,
            SchemaRef::clone(&schema),
            Arc::new(plan),
            rows,
            dress(schema),
            state.config().target_partitions(),
            plain,
            self.cancel.clone(),
        )))
    }
}

/// Gives batches the schema of the scan; the columns of rows that are only counted are dropped.
fn dress(schema: SchemaRef) -> Dress {
    Arc::new(move |batch: RecordBatch| {
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let (_, mut columns, _) = batch.into_parts();
        if schema.fields().is_empty() {
            columns.clear();
        }
        Ok(RecordBatch::try_new_with_options(SchemaRef::clone(&schema), columns, &options)?)
    })
}
