//! Views below NULLs, which may be anything: Arrow for Java leaves there what the memory held before, and whoever follows such a view reads
//! what is not the array's.

use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

/// The array with empty views below its NULLs, at any depth; `None` where it has no such views.
#[expect(unsafe_code, reason = "arrays of a caller's, which are checked afterwards")]
pub(crate) fn emptied(data: &ArrayData) -> Option<ArrayData> {
    if let (DataType::Utf8View | DataType::BinaryView, Some(nulls)) = (data.data_type(), data.nulls()) {
        let mut buffers = data.buffers().to_vec();
        let views = buffers.first_mut().filter(|_| nulls.null_count() > 0)?;
        *views = below(views, data.offset(), nulls);
        // SAFETY: the same array but for views that nobody may follow; whether it is a valid one is the caller's next question.
        return Some(unsafe { data.clone().into_builder().buffers(buffers).build_unchecked() });
    }
    let children: Vec<Option<ArrayData>> = data.child_data().iter().map(emptied).collect();
    if children.iter().all(Option::is_none) {
        return None;
    }
    let children = children.into_iter().zip(data.child_data());
    let children = children.map(|(changed, child)| changed.unwrap_or_else(|| child.clone())).collect();
    // SAFETY: as above.
    Some(unsafe { data.clone().into_builder().child_data(children).build_unchecked() })
}

fn below(views: &Buffer, offset: usize, nulls: &NullBuffer) -> Buffer {
    let is_null = |place: usize| place.checked_sub(offset).is_some_and(|row| row < nulls.len() && nulls.is_null(row));
    let view = |(place, view): (usize, &u128)| if is_null(place) { 0 } else { *view };
    Buffer::from_vec(views.typed_data::<u128>().iter().enumerate().map(view).collect::<Vec<u128>>())
}
