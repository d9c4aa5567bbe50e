//! Groups without columns: structs without fields. Nothing is stored of them, so that all that is known is that they are there.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray, new_null_array};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use super::elements::Node;

/// Where they stand among the columns of a file: at the top, or in structs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Hollow(Vec<Place>);

/// One child of a group.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    /// A column that is stored, which has nothing hollow below it.
    Whole,
    /// One that has.
    Within(Hollow),
    /// A group without columns.
    Empty(FieldRef),
}

/// The schema without them, and where they were.
pub(super) fn split<'a>(root: &Node<'a>) -> (Node<'a>, Hollow) {
    let mut pruned = root.clone();
    let hollow = prune(&mut pruned);
    (pruned, hollow)
}

fn prune(node: &mut Node<'_>) -> Hollow {
    let mut places = Vec::new();
    node.children.retain_mut(|child| {
        if !child.is_group() {
            places.push(Place::Whole);
            return true;
        }
        let field = field(child);
        let within = prune(child);
        let stays = !child.children.is_empty();
        places.push(match stays {
            false => Place::Empty(field),
            true if within.is_empty() => Place::Whole,
            true => Place::Within(within),
        });
        stays
    });
    if places.iter().all(|place| *place == Place::Whole) { Hollow::default() } else { Hollow(places) }
}

/// A group without columns as a field: NULL is the one value that nothing contradicts.
fn field(node: &Node<'_>) -> FieldRef {
    let fields: Fields = node.children.iter().map(field).collect();
    Arc::new(Field::new(node.name, DataType::Struct(fields), true))
}

impl Hollow {
    /// Whether there are none.
    pub(in super::super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// For each column of the result, its place among those that are stored.
    pub(in super::super) fn places(&self, stored: usize) -> Vec<Option<usize>> {
        if self.is_empty() {
            return (0..stored).map(Some).collect();
        }
        let mut next = 0..stored;
        self.0.iter().map(|place| if matches!(place, Place::Empty(_)) { None } else { next.next() }).collect()
    }

    /// The schema of all columns, of those that are stored.
    pub(in super::super) fn schema(&self, stored: &SchemaRef) -> SchemaRef {
        if self.is_empty() {
            return Arc::clone(stored);
        }
        Arc::new(Schema::new_with_metadata(self.fields(stored.fields()), stored.metadata().clone()))
    }

    fn fields(&self, stored: &Fields) -> Fields {
        let mut stored = stored.iter();
        let field = |place: &Place| match place {
            Place::Empty(field) => Some(Arc::clone(field)),
            Place::Whole => stored.next().cloned(),
            Place::Within(within) => stored.next().map(|field| {
                let of = within.data_type(field.data_type());
                Arc::new(field.as_ref().clone().with_data_type(of))
            }),
        };
        self.0.iter().map_while(field).collect()
    }

    fn data_type(&self, stored: &DataType) -> DataType {
        match stored {
            DataType::Struct(fields) => DataType::Struct(self.fields(fields)),
            // Within lists and maps they are left out.
            other => other.clone(),
        }
    }

    /// The column at a place among all, of what is stored of it.
    pub(in super::super) fn column(&self, place: usize, stored: Option<ArrayRef>, rows: usize) -> Option<ArrayRef> {
        match self.0.get(place) {
            Some(Place::Empty(field)) => Some(new_null_array(field.data_type(), rows)),
            Some(Place::Within(within)) => stored.map(|array| within.array(&array)),
            Some(Place::Whole) | None => stored,
        }
    }

    fn array(&self, stored: &ArrayRef) -> ArrayRef {
        let Some(structs) = stored.as_struct_opt() else { return Arc::clone(stored) };
        let mut columns = structs.columns().iter().cloned();
        let column = |(place, what): (usize, &Place)| match what {
            Place::Empty(_) => self.column(place, None, structs.len()),
            Place::Whole | Place::Within(_) => self.column(place, columns.next(), structs.len()),
        };
        let columns: Vec<ArrayRef> = self.0.iter().enumerate().filter_map(column).collect();
        let made = StructArray::try_new(self.fields(structs.fields()), columns, structs.nulls().cloned());
        made.map_or_else(|_| Arc::clone(stored), |made| Arc::new(made) as ArrayRef)
    }
}
