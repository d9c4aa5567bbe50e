//! Arrays: a header of dimensions, then the elements as cells (`array_send` in PostgreSQL's arrayfuncs.c).

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::FieldRef;

use super::{Decode, Reject, child_offset};
use crate::cells::{Cells, Cursor, NULL};

/// Arrays of `dimensions` dimensions as lists in lists.
pub(crate) struct List {
    /// The fields of the lists, the outermost first; the last one is the element's.
    pub(crate) fields: Vec<FieldRef>,
    /// Decodes the elements.
    pub(crate) element: Box<dyn Decode>,
}

/// PostgreSQL's own limit (MAXDIM).
const MOST_DIMENSIONS: i32 = 6;

impl Decode for List {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let depth = self.fields.len();
        // The ends of the lists of each level, the outermost first.
        let mut ends: Vec<Vec<i32>> = vec![vec![0]; depth];
        let mut elements = Vec::new();
        let mut has_nulls = false;
        for &offset in cells.offsets {
            if offset != NULL {
                let mut cursor = Cursor::new(cells.bytes, offset);
                let lengths = header(&mut cursor, depth)?;
                has_nulls |= self.append(&mut cursor, &lengths, &mut ends, &mut elements)?;
                if !cursor.is_empty() {
                    return Err(Reject::broken("an array is longer than its dimensions say"));
                }
            }
            let outer = ends.get(1).map_or(elements.len(), |inner| inner.len() - 1);
            if let Some(first) = ends.first_mut() {
                first.push(child_offset(outer)?);
            }
        }
        let mut array = self.element.decode(Cells { bytes: cells.bytes, offsets: &elements, has_nulls })?;
        for (level, (field, ends)) in self.fields.iter().zip(ends).enumerate().rev() {
            let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
            let nulls = if level == 0 { cells.validity() } else { None };
            array = Arc::new(ListArray::try_new(Arc::clone(field), offsets, array, nulls)?);
        }
        Ok(array)
    }
}

impl List {
    /// Appends the elements of one array, and the ends of its inner lists. Whether an element is NULL.
    fn append(
        &self,
        cursor: &mut Cursor<'_>,
        lengths: &[usize],
        ends: &mut [Vec<i32>],
        elements: &mut Vec<u32>,
    ) -> Result<bool, Reject> {
        let mut has_nulls = false;
        let Some((&innermost, outer)) = lengths.split_last() else { return Ok(false) };
        let lists = outer.iter().try_fold(1usize, |product, length| product.checked_mul(*length)).unwrap_or(usize::MAX);
        for list in 0..lists {
            for _ in 0..innermost {
                let cell = cursor.cell().ok_or_else(|| Reject::broken("an array ends before its elements do"))?;
                has_nulls |= cell == NULL;
                elements.push(cell);
            }
            // After every list, the lists around it that are complete now; the outermost level ends with the row.
            let mut complete = list + 1;
            for level in (1..lengths.len()).rev() {
                let end = ends.get(level + 1).map_or(elements.len(), |inner| inner.len() - 1);
                if let Some(ends) = ends.get_mut(level) {
                    ends.push(child_offset(end)?);
                }
                let around = lengths.get(level - 1).copied().unwrap_or(1);
                if level == 1 || complete % around != 0 {
                    break;
                }
                complete /= around;
            }
        }
        Ok(has_nulls)
    }
}

/// The lengths of the array's dimensions; none for an empty array.
fn header(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<usize>, Reject> {
    let cut = || Reject::broken("an array ends within its header");
    let dimensions = cursor.int().filter(|count| (0..=MOST_DIMENSIONS).contains(count)).ok_or_else(cut)?;
    let (_has_nulls, _element_type) = (cursor.int().ok_or_else(cut)?, cursor.int().ok_or_else(cut)?);
    let mut lengths = Vec::with_capacity(depth);
    for _ in 0..dimensions {
        // An empty array has no dimensions at all, so none is 0 long; but for int2vector and oidvector.
        let fits = |length: &usize| *length > 0 || dimensions == 1;
        let length = cursor.int().and_then(|length| usize::try_from(length).ok()).filter(fits).ok_or_else(cut)?;
        let _lower_bound = cursor.int().ok_or_else(cut)?;
        lengths.push(length);
    }
    if lengths.is_empty() || lengths.len() == depth {
        return Ok(lengths);
    }
    Err(Reject::value(format!("an array of {} dimensions, where the plan expects {depth}", lengths.len())))
}
