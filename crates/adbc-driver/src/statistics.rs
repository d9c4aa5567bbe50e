//! About how many rows tables have, as the database's planner believes.

use std::sync::Arc;

use adbc_core::constants::ADBC_STATISTIC_ROW_COUNT_KEY;
use adbc_core::schemas::{
    GET_STATISTIC_NAMES_SCHEMA, GET_STATISTICS_SCHEMA, STATISTIC_VALUE_SCHEMA, STATISTICS_DB_SCHEMA_SCHEMA,
    STATISTICS_SCHEMA,
};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int16Array, RecordBatch, StringArray, UnionArray, new_empty_array,
    new_null_array,
};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;
use bowshot_catalog::Lister;
use bowshot_core::{Cancel, Error, ErrorKind, Result};

use crate::lists::{field, list, structs};
use crate::objects::{Asked, field_of};

/// What the driver has names of its own for: nothing.
pub(crate) fn names() -> Result<RecordBatch> {
    Ok(RecordBatch::new_empty(Arc::clone(&GET_STATISTIC_NAMES_SCHEMA)))
}

/// The row counts of the tables that are asked for, where the database has an idea. Each table is planned, none is read.
pub(crate) fn statistics(lister: &Lister, asked: &Asked, cancel: &Cancel) -> Result<RecordBatch> {
    let schema = &*GET_STATISTICS_SCHEMA;
    let Some(catalog) = asked.catalog(lister, cancel)? else { return Ok(RecordBatch::new_empty(Arc::clone(schema))) };
    let (mut schemas, mut lengths) = (Vec::new(), Vec::new());
    let (mut tables, mut counts) = (Vec::new(), Vec::new());
    for (name, found) in asked.schemas(lister, cancel)? {
        let before = tables.len();
        for table in found {
            cancel.check()?;
            let rows = match lister.table_plan(table.schema.as_deref(), &table.name, cancel) {
                Ok(plan) => plan.estimate.rows,
                // Not everything that is listed can be read.
                Err(error) if matches!(error.kind(), ErrorKind::Sql | ErrorKind::Unsupported) => None,
                Err(error) => return Err(error),
            };
            if let Some(rows) = rows {
                tables.push(table.name);
                counts.push(approximate(rows));
            }
        }
        if tables.len() > before {
            schemas.push(name);
            lengths.push(Some(tables.len() - before));
        }
    }
    let (count, rows) = (schemas.len(), tables.len());
    let inner: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(tables)),
        new_null_array(&DataType::Utf8, rows),
        Arc::new(Int16Array::from(vec![ADBC_STATISTIC_ROW_COUNT_KEY; rows])),
        values(counts)?,
        Arc::new(BooleanArray::from(vec![true; rows])),
    ];
    let of_schemas = &*STATISTICS_DB_SCHEMA_SCHEMA;
    let known = structs(&STATISTICS_SCHEMA, inner, rows)?;
    let known = list(field(of_schemas, "db_schema_statistics")?.data_type(), &lengths, known)?;
    let inner = structs(of_schemas, vec![Arc::new(StringArray::from(schemas)), known], count)?;
    let outer = list(&field_of(schema, "catalog_db_schemas")?, &[Some(count)], inner)?;
    Ok(RecordBatch::try_new(Arc::clone(schema), vec![Arc::new(StringArray::from(vec![catalog])), outer])?)
}

/// A count that is a guess is a floating-point number to ADBC.
#[expect(clippy::cast_precision_loss, reason = "a planner's guess has no fifteen digits")]
fn approximate(rows: u64) -> f64 {
    rows as f64
}

fn values(counts: Vec<f64>) -> Result<ArrayRef> {
    let DataType::Union(fields, _) = &*STATISTIC_VALUE_SCHEMA else {
        return Err(Error::new(ErrorKind::Internal, "ADBC's statistics have another shape; please report this"));
    };
    let count = counts.len();
    let places = (0..).take(count).collect::<ScalarBuffer<i32>>();
    let array = |(id, field): (i8, &arrow_schema::FieldRef)| -> ArrayRef {
        if id == 2 { Arc::new(Float64Array::from(counts.clone())) } else { new_empty_array(field.data_type()) }
    };
    let arrays = fields.iter().map(array).collect();
    let ids = ScalarBuffer::from(vec![2_i8; count]);
    Ok(Arc::new(UnionArray::try_new(fields.clone(), ids, Some(places), arrays)?))
}
