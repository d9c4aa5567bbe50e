//! Columns with columns inside: taken apart so that nothing hidden is left in them, and built again.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, StructArray,
    UInt64Array, UnionArray, make_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take;
use bowshot_core::Result;

/// A column of a batch, or the column inside of one.
pub(super) struct Part {
    pub(super) array: ArrayRef,
    /// Rows that are NULL further out; what stands in their place means nothing.
    hidden: Option<NullBuffer>,
}

impl Part {
    pub(super) fn new(array: ArrayRef, hidden: Option<NullBuffer>) -> Self {
        Part { array, hidden: hidden.filter(|hidden| hidden.null_count() > 0) }
    }

    /// The array, with NULL in the place of what is hidden.
    pub(super) fn masked(&self) -> Result<ArrayRef> {
        if self.hidden.is_none() || self.array.data_type() == &DataType::Null {
            return Ok(Arc::clone(&self.array));
        }
        let data = self.array.to_data().into_builder().nulls(self.nulls()).build()?;
        Ok(make_array(data))
    }

    /// The values of a dictionary or of runs, one a row.
    pub(super) fn plain(self) -> Result<Part> {
        let array = match (self.array.as_any_dictionary_opt(), self.array.data_type()) {
            (Some(dictionary), _) => {
                // Runs have no place for the NULLs of keys.
                let values = Part::new(Arc::clone(dictionary.values()), None).plain()?.array;
                taken(&values, dictionary.keys())?
            }
            (None, DataType::RunEndEncoded(_, values)) => arrow_cast::cast(&self.array, values.data_type())?,
            (None, _) => self.array,
        };
        Ok(Part::new(array, self.hidden))
    }

    fn nulls(&self) -> Option<NullBuffer> {
        NullBuffer::union(self.array.nulls(), self.hidden.as_ref())
    }
}

/// A nested column, taken apart.
pub(super) struct Opened {
    /// Where each list begins among the values, and where the last one ends.
    pub(super) offsets: Vec<usize>,
    pub(super) nulls: Option<NullBuffer>,
    pub(super) children: Vec<Part>,
    pub(super) length: usize,
}

impl Opened {
    pub(super) fn new(part: &Part) -> Result<Self> {
        let array = &part.array;
        let (nulls, length) = (part.nulls(), array.len());
        let lists = |values: &ArrayRef, ranges: Vec<(usize, usize)>| -> Result<Opened> {
            let (offsets, values) = gathered(values, ranges, nulls.as_ref())?;
            Ok(Opened { offsets, nulls: nulls.clone(), children: vec![Part::new(values, None)], length })
        };
        match array.data_type() {
            DataType::List(_) => lists(array.as_list::<i32>().values(), ranges(array.as_list::<i32>().offsets())),
            DataType::LargeList(_) => lists(array.as_list::<i64>().values(), ranges(array.as_list::<i64>().offsets())),
            DataType::Map(..) => {
                let entries: ArrayRef = Arc::new(array.as_map().entries().clone());
                lists(&entries, ranges(array.as_map().offsets()))
            }
            DataType::ListView(_) => {
                let views = array.as_list_view::<i32>();
                lists(views.values(), pairs(views.offsets(), views.sizes()))
            }
            DataType::LargeListView(_) => {
                let views = array.as_list_view::<i64>();
                lists(views.values(), pairs(views.offsets(), views.sizes()))
            }
            DataType::FixedSizeList(_, size) => {
                let size = usize::try_from(*size).unwrap_or_default();
                let hidden = nulls.as_ref().map(|nulls| nulls.expand(size));
                let values = Part::new(Arc::clone(array.as_fixed_size_list().values()), hidden);
                let offsets = (0..=length).map(|row| row * size).collect();
                Ok(Opened { offsets, nulls, children: vec![values], length })
            }
            DataType::Struct(_) => {
                let columns = array.as_struct().columns().iter();
                let children = columns.map(|column| Part::new(Arc::clone(column), nulls.clone())).collect();
                Ok(Opened { offsets: Vec::new(), nulls, children, length })
            }
            DataType::Union(fields, _) => {
                let union = array.as_union();
                let child = |id: i8| {
                    // In a sparse union, each child has a row for every row: those of other types are hidden.
                    let of = |row: usize| union.type_ids().get(row).is_some_and(|of| *of == id);
                    let hidden = match union.offsets() {
                        None => Some(NullBuffer::new(BooleanBuffer::collect_bool(length, of))),
                        Some(_) => None,
                    };
                    Part::new(Arc::clone(union.child(id)), hidden)
                };
                let children = fields.iter().map(|(id, _)| child(id)).collect();
                Ok(Opened { offsets: Vec::new(), nulls: None, children, length })
            }
            _ => Ok(Opened { offsets: Vec::new(), nulls, children: Vec::new(), length }),
        }
    }
}

fn ranges<O: OffsetSizeTrait>(offsets: &[O]) -> Vec<(usize, usize)> {
    let ends = offsets.iter().skip(1);
    offsets.iter().zip(ends).map(|(start, end)| (start.as_usize(), end.as_usize() - start.as_usize())).collect()
}

fn pairs<O: OffsetSizeTrait>(offsets: &[O], sizes: &[O]) -> Vec<(usize, usize)> {
    offsets.iter().zip(sizes).map(|(start, size)| (start.as_usize(), size.as_usize())).collect()
}

/// The values that the lists of these starts and lengths hold, one list after the other, and where each begins.
fn gathered(
    values: &ArrayRef,
    ranges: Vec<(usize, usize)>,
    nulls: Option<&NullBuffer>,
) -> Result<(Vec<usize>, ArrayRef)> {
    let valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    let mut offsets = Vec::with_capacity(ranges.len() + 1);
    offsets.push(0);
    let (mut total, mut begin, mut side_by_side) = (0_usize, None, true);
    for (row, (start, length)) in ranges.iter().enumerate() {
        if *length > 0 && valid(row) {
            let first = *begin.get_or_insert(*start);
            side_by_side &= *start == first + total;
            total += length;
        }
        offsets.push(total);
    }
    if side_by_side {
        return Ok((offsets, values.slice(begin.unwrap_or_default(), total)));
    }
    let seen = ranges.into_iter().enumerate().filter(|(row, _)| valid(*row));
    let indices: UInt64Array = seen.flat_map(|(_, (start, length))| start..start + length).map(|i| i as u64).collect();
    Ok((offsets, taken(values, &indices)?))
}

/// The values at these places.
fn taken(values: &ArrayRef, places: &dyn Array) -> Result<ArrayRef> {
    let found = take(values, places, None)?;
    if found.len() == places.len() {
        return Ok(found);
    }
    // Values of no width, of which Arrow forgets the number: they are all the same but for the NULLs.
    let all = BooleanBuffer::collect_bool(values.len(), |row| values.is_valid(row));
    let valid = take(&BooleanArray::from(all), places, None)?;
    let valid = BooleanBuffer::collect_bool(valid.len(), |row| valid.is_valid(row) && valid.as_boolean().value(row));
    let data = values.slice(0, 0).to_data().into_builder().len(places.len()).nulls(Some(NullBuffer::new(valid)));
    Ok(make_array(data.build()?))
}

/// An array of `data_type` from what a nested one was taken apart into.
pub(super) fn built(
    data_type: &DataType,
    from: &ArrayRef,
    opened: (Vec<usize>, Option<NullBuffer>, usize),
    mut children: Vec<ArrayRef>,
) -> Result<ArrayRef, ArrowError> {
    let (offsets, nulls, length) = opened;
    Ok(match data_type {
        DataType::Struct(fields) => {
            Arc::new(StructArray::try_new_with_length(fields.clone(), children, nulls, length)?)
        }
        DataType::Union(fields, _) => {
            let union = from.as_union();
            let offsets = union.offsets().cloned();
            Arc::new(UnionArray::try_new(fields.clone(), union.type_ids().clone(), offsets, children)?)
        }
        nested => {
            let values = children.pop().ok_or_else(|| ArrowError::InvalidArgumentError("a list of nothing".into()))?;
            match nested {
                DataType::List(field) => {
                    Arc::new(GenericListArray::<i32>::try_new(Arc::clone(field), starts(offsets)?, values, nulls)?)
                }
                DataType::LargeList(field) => {
                    Arc::new(GenericListArray::<i64>::try_new(Arc::clone(field), starts(offsets)?, values, nulls)?)
                }
                DataType::FixedSizeList(field, size) => {
                    let field = Arc::clone(field);
                    Arc::new(FixedSizeListArray::try_new_with_length(field, *size, values, nulls, length)?)
                }
                DataType::Map(field, ordered) => {
                    let entries = values.as_struct().clone();
                    Arc::new(MapArray::try_new(Arc::clone(field), starts(offsets)?, entries, nulls, *ordered)?)
                }
                _ => values,
            }
        }
    })
}

fn starts<O: OffsetSizeTrait>(offsets: Vec<usize>) -> Result<OffsetBuffer<O>, ArrowError> {
    let too_many = || ArrowError::InvalidArgumentError("its lists have more values than a list can have".into());
    let offsets = offsets.into_iter().map(|offset| O::from_usize(offset).ok_or_else(too_many));
    Ok(OffsetBuffer::new(ScalarBuffer::from(offsets.collect::<Result<Vec<O>, _>>()?)))
}
