//! Geometries: the number of a spatial reference system, then WKB.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::BinaryBuilder;

use super::{Decode, Reject};
use crate::cells::{Cells, values_of};

/// What PostGIS adds to a geometry's type where the number of its spatial reference system follows ("EWKB").
const HAS_REFERENCE: u32 = 0x2000_0000;

/// Geometries as WKB. A spatial reference system other than 0 is kept inside, as PostGIS does it.
pub(crate) struct Geometry;

impl Decode for Geometry {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let mut shapes = BinaryBuilder::with_capacity(cells.len(), 0);
        let mut shape = Vec::new();
        for bytes in values_of(cells) {
            let Some(bytes) = bytes else {
                shapes.append_null();
                continue;
            };
            shape.clear();
            well_known(bytes, &mut shape).ok_or_else(|| Reject::broken("a geometry is cut off"))?;
            shapes.append_value(&shape);
        }
        Ok(Arc::new(shapes.finish()))
    }
}

fn well_known(bytes: &[u8], shape: &mut Vec<u8>) -> Option<()> {
    let (reference, rest) = bytes.split_first_chunk::<4>()?;
    if *reference == [0; 4] {
        shape.extend_from_slice(rest);
        return Some(());
    }
    let (order, rest) = rest.split_first()?;
    let (kind, rest) = rest.split_first_chunk::<4>()?;
    shape.push(*order);
    match order {
        1 => {
            shape.extend((u32::from_le_bytes(*kind) | HAS_REFERENCE).to_le_bytes());
            shape.extend_from_slice(reference);
        }
        0 => {
            shape.extend((u32::from_be_bytes(*kind) | HAS_REFERENCE).to_be_bytes());
            shape.extend(u32::from_le_bytes(*reference).to_be_bytes());
        }
        _ => return None,
    }
    shape.extend_from_slice(rest);
    Some(())
}
