//! Plain reads of files: what DataFusion would only hand on comes from the source itself.
//!
//! A query of which nothing is left but one scan has no work for the engine. The source's own partitions are then those of
//! the result, and text comes as it is sent best: behind each other with offsets (`Utf8`), decoded as such, since views
//! take a quarter more on the wire. Where DataFusion computes, views are the faster form.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{DataType, Schema};
use bowshot_core::{Cancel, Options, Partitioning, Plan, Query, Request, Result, Source};
use bowshot_gateway_catalog::TablePath;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};

use crate::push::Select;
use crate::scan::SourceExec;

/// How files are asked once more.
#[derive(Clone)]
pub(crate) struct Plain {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) path: TablePath,
    pub(crate) limit: Option<usize>,
    pub(crate) options: Options,
}

/// The source's plan of an execution that is nothing but a scan of files; `None` where it is more, or the files are no longer
/// those that were described.
pub(crate) fn plain(
    physical: &Arc<dyn ExecutionPlan>,
    partitioning: &Partitioning,
    cancel: &Cancel,
) -> Result<Option<Plan>> {
    let Some((scan, columns)) = scan(physical) else { return Ok(None) };
    let (schema, Some(Plain { source, path, limit, options })) = (physical.schema(), &scan.plain) else {
        return Ok(None);
    };
    if columns.is_empty() {
        return Ok(None);
    }
    let sql = Select { dialect: None, path, columns, filters: Vec::new(), limit: *limit }.sql();
    let options = Options { types: texts(&schema), partitioning: partitioning.clone(), ..options.clone() };
    let request = Request::new(Query::new(sql), options);
    let plan = source.plan(&request, cancel)?;
    if !is_same(&schema, &plan.schema) {
        return Ok(None);
    }
    let reason = format!("nothing of {} is computed: {}", scan.table, plan.reason);
    Ok(Some(Plan { reason, ..plan }))
}

/// The scan that is all of an execution, and the columns that it yields of it.
fn scan(physical: &Arc<dyn ExecutionPlan>) -> Option<(&SourceExec, Vec<&str>)> {
    let node = physical.as_ref() as &dyn Any;
    if let Some(scan) = node.downcast_ref::<SourceExec>() {
        return Some((scan, scan.columns()));
    }
    let (scan, columns) = scan(physical.children().first()?)?;
    if node.is::<CooperativeExec>() {
        // It only lets other streams have their turn.
        return Some((scan, columns));
    }
    let column = |projected: &ProjectionExpr| {
        let column = (projected.expr.as_ref() as &dyn Any).downcast_ref::<Column>()?;
        columns.get(column.index()).copied().filter(|name| *name == projected.alias)
    };
    let chosen = node.downcast_ref::<ProjectionExec>()?.expr().iter().map(column).collect::<Option<_>>()?;
    Some((scan, chosen))
}

/// The columns of views, and what they are sent as.
fn texts(schema: &Schema) -> BTreeMap<String, DataType> {
    let fields = schema.fields().iter().filter(|field| sent_as(field.data_type()) != field.data_type());
    fields.map(|field| (field.name().clone(), sent_as(field.data_type()).clone())).collect()
}

fn sent_as(of: &DataType) -> &DataType {
    match of {
        DataType::Utf8View => &DataType::Utf8,
        DataType::BinaryView => &DataType::Binary,
        other => other,
    }
}

fn is_same(described: &Schema, found: &Schema) -> bool {
    described.fields().len() == found.fields().len()
        && described.fields().iter().zip(found.fields()).all(|(described, found)| {
            described.name() == found.name()
                && sent_as(described.data_type()) == found.data_type()
                && described.is_nullable() == found.is_nullable()
        })
}
