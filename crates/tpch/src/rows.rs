//! The rows of a table.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::Result;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};
use tpchgen_arrow::{
    CustomerArrow, LineItemArrow, NationArrow, OrderArrow, PartArrow, PartSuppArrow, RegionArrow, SupplierArrow,
};

/// Part `part`, counted from 1, of `parts` of a table; `None` for a table that TPC-H has not.
pub(crate) fn rows(table: &str, scale: f64, part: i32, parts: i32) -> Option<Box<dyn RecordBatchReader>> {
    Some(match table {
        "part" => Box::new(PartArrow::new(PartGenerator::new(scale, part, parts))),
        "supplier" => Box::new(SupplierArrow::new(SupplierGenerator::new(scale, part, parts))),
        "partsupp" => Box::new(PartSuppArrow::new(PartSuppGenerator::new(scale, part, parts))),
        "customer" => Box::new(CustomerArrow::new(CustomerGenerator::new(scale, part, parts))),
        "orders" => Box::new(OrderArrow::new(OrderGenerator::new(scale, part, parts))),
        "lineitem" => Box::new(LineItemArrow::new(LineItemGenerator::new(scale, part, parts))),
        "nation" => Box::new(NationArrow::new(NationGenerator::new(scale, part, parts))),
        "region" => Box::new(RegionArrow::new(RegionGenerator::new(scale, part, parts))),
        _ => return None,
    })
}

/// The schema with plain text in the place of views.
pub(crate) fn plain(schema: &Schema) -> SchemaRef {
    let field = |field: &Arc<Field>| {
        let field = field.as_ref().clone();
        if field.data_type() == &DataType::Utf8View { field.with_data_type(DataType::Utf8) } else { field }
    };
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}

/// The batch with the columns of `schema`.
pub(crate) fn dressed(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field.data_type())).collect::<Result<Vec<_>, _>>()?;
    Ok(RecordBatch::try_new(SchemaRef::clone(schema), columns)?)
}
