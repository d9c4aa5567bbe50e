//! Schemas and rows that the caller hands over by Arrow's C data interface.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::{RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result};

use crate::check::check;
use crate::views::emptied;

/// The schema at an address, which stays the caller's to release.
///
/// # Errors
/// Of kind [`Unsupported`](ErrorKind::Unsupported) for what is no schema of columns.
///
/// # Safety
/// An `ArrowSchema` that is not released is at the address.
#[expect(unsafe_code, reason = "Arrow's C data interface")]
pub(crate) unsafe fn schema(address: i64) -> Result<Schema> {
    let at = pointer::<FFI_ArrowSchema>(address, "an ArrowSchema")?;
    // SAFETY: the caller says so, and nothing changes it meanwhile.
    Schema::try_from(unsafe { &*at }).map_err(|error| {
        Error::new(ErrorKind::Unsupported, format!("the schema is none of columns: {error}"))
            .with_hint("export the schema of a VectorSchemaRoot, or of a record batch")
    })
}

/// Takes the rows at an address: the array there is released, at the latest when the batch is. They are of the schema at the other address,
/// or of the `known` one where that is 0.
///
/// # Errors
/// Of kind [`Value`](ErrorKind::Value) for what is not of the schema, or no valid Arrow data.
///
/// # Safety
/// An `ArrowArray` of the schema is at the address, as the C data interface describes it, and an `ArrowSchema` or 0 at the other.
#[expect(unsafe_code, reason = "Arrow's C data interface")]
pub(crate) unsafe fn take(address: i64, of: i64, known: &SchemaRef) -> Result<RecordBatch> {
    let at = pointer::<FFI_ArrowArray>(address, "an ArrowArray")?;
    // SAFETY: moved out of the caller's place, which is left released.
    let array = unsafe { FFI_ArrowArray::from_raw(at) };
    let schema = match of {
        0 => SchemaRef::clone(known),
        // SAFETY: the caller says so.
        of => SchemaRef::new(unsafe { schema(of) }?),
    };
    if array.is_released() {
        return Err(Error::new(ErrorKind::Internal, "the array was released already"));
    }
    let fields = schema.fields();
    if array.num_children() != fields.len() {
        let message = format!("the batch has {} columns, the file {}", array.num_children(), fields.len());
        return Err(other_schema(message));
    }
    // SAFETY: the caller promises an array of this schema.
    let data = unsafe { from_ffi_and_data_type(array, DataType::Struct(fields.clone())) }.map_err(not_arrow)?;
    let data = emptied(&data).unwrap_or(data);
    for (field, column) in fields.iter().zip(data.child_data()) {
        check(field, column)?;
    }
    if data.null_count() > 0 {
        let message = "a row of the batch is NULL as a whole, and so is no row of values";
        return Err(Error::new(ErrorKind::Value, message).with_hint("make each of its values NULL instead"));
    }
    let options = RecordBatchOptions::new().with_row_count(Some(data.len()));
    let columns = StructArray::from(data).into_parts().1;
    // The writer refuses a NULL that must not be there by its row, the batch only by its column.
    let nullable = fields.iter().map(|field| field.as_ref().clone().with_nullable(true));
    let nullable = SchemaRef::new(Schema::new(nullable.collect::<Vec<_>>()));
    RecordBatch::try_new_with_options(nullable, columns, &options).map_err(not_arrow)
}

fn not_arrow(error: ArrowError) -> Error {
    other_schema(format!("the batch is no Arrow data of the writer's schema: {error}"))
}

fn other_schema(message: String) -> Error {
    Error::new(ErrorKind::Value, message).with_hint("write batches of the schema that the writer was opened with")
}

fn pointer<T>(address: i64, what: &str) -> Result<*mut T> {
    match usize::try_from(address) {
        Ok(address) if address != 0 => Ok(std::ptr::with_exposed_provenance_mut(address)),
        _ => Err(Error::new(ErrorKind::Internal, format!("the address of {what} is needed, and {address} is none"))),
    }
}
