//! What becomes of one column, or of one inside of it.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, FieldRef};
use bowshot_core::Result;

use super::bounds::Bounds;
use super::leaf::Leaf;
use super::nested::{Opened, Part, built};
use super::refusal::Column;
use super::rule::{self, Rule, Shape};

/// What becomes of a column, and of those inside of it.
pub(super) struct Step {
    /// Afterwards.
    field: FieldRef,
    /// What its values must be.
    bounds: Option<Bounds>,
    work: Work,
}

enum Work {
    Keep,
    Become(Leaf),
    /// One value a row first.
    Plain(Box<Step>),
    Nested(Vec<Step>),
}

impl Step {
    /// For a field, whose `parts` are there where its values decide.
    pub(super) fn plan(field: &Field, inside: bool, parts: Vec<Part>, column: &Column) -> Result<Self> {
        let bounds = Bounds::of(field.data_type(), column.destination);
        let (data_type, nullable, work) = match rule::rule(field, inside, column)? {
            Rule::Keep => (field.data_type().clone(), field.is_nullable(), Work::Keep),
            Rule::Become(leaf) => {
                let scale = if let DataType::Decimal256(_, scale) = field.data_type() { Some(*scale) } else { None };
                let arrays: Vec<ArrayRef> = parts.iter().map(Part::masked).collect::<Result<_>>()?;
                let leaf = leaf.settle(scale, &arrays);
                (leaf.data_type(), field.is_nullable(), Work::Become(leaf))
            }
            Rule::Plain(value) => {
                let value = field.clone().with_data_type(value);
                let parts = parts.into_iter().map(|part| part.plain()).collect::<Result<_>>()?;
                let step = Step::plan(&value, inside, parts, column)?;
                // The values of a dictionary may be NULL where no key is.
                (step.field.data_type().clone(), true, Work::Plain(Box::new(step)))
            }
            Rule::Nested(shape) => Step::nested(field, shape, parts, column)?,
        };
        let metadata = match &work {
            // Arrow has no dictionaries of an extension type, and some write them: their values are of it.
            Work::Plain(values) => values.field.metadata().clone(),
            _ => rule::metadata(field, column.destination),
        };
        // A copy also keeps whether a dictionary is ordered.
        let field = field.clone().with_data_type(data_type).with_nullable(nullable).with_metadata(metadata);
        Ok(Step { field: Arc::new(field), bounds, work })
    }

    fn nested(field: &Field, shape: Shape, parts: Vec<Part>, column: &Column) -> Result<(DataType, bool, Work)> {
        let fields = rule::children(field.data_type());
        let mut of_child: Vec<Vec<Part>> = fields.iter().map(|_| Vec::new()).collect();
        for part in parts {
            for (parts, child) in of_child.iter_mut().zip(Opened::new(&part)?.children) {
                parts.push(child);
            }
        }
        let steps = fields.iter().zip(of_child).map(|(child, parts)| Step::plan(child, true, parts, column));
        let steps = steps.collect::<Result<Vec<_>>>()?;
        let children: Vec<FieldRef> = steps.iter().map(|step| Arc::clone(&step.field)).collect();
        let data_type = shape.data_type(&children, field.data_type());
        Ok((data_type, field.is_nullable(), Work::Nested(steps)))
    }

    /// The field afterwards.
    pub(super) fn field(&self) -> &FieldRef {
        &self.field
    }

    /// Whether nothing is to be done to an array of this type, nor to be looked at.
    fn keeps(&self, data_type: &DataType) -> bool {
        let kept = match &self.work {
            Work::Keep => true,
            Work::Nested(steps) => {
                let children = rule::children(data_type);
                steps.iter().zip(&children).all(|(step, child)| step.keeps(child.data_type()))
            }
            // The zone's name may be right already.
            Work::Become(leaf) => matches!(leaf, Leaf::Instant(_)),
            Work::Plain(_) => false,
        };
        // What a reader calls the fields inside may differ from the schema.
        kept && self.bounds.is_none() && self.field.data_type() == data_type
    }

    /// The column afterwards. What is hidden under a NULL further out is not looked at.
    pub(super) fn apply(&self, part: Part, column: &Column) -> Result<ArrayRef> {
        if self.keeps(part.array.data_type()) {
            return Ok(part.array);
        }
        if let Some(bounds) = &self.bounds {
            bounds.check(&part.masked()?, column)?;
        }
        match &self.work {
            Work::Keep => Ok(part.array),
            Work::Become(Leaf::Instant(data_type)) if data_type == part.array.data_type() => Ok(part.array),
            Work::Become(leaf) => leaf.apply(&part.masked()?).map_err(|error| column.unconverted(&error)),
            Work::Plain(values) => values.apply(part.plain()?, column),
            Work::Nested(steps) => {
                let Opened { offsets, nulls, children, length } = Opened::new(&part)?;
                let arrays = children.into_iter().zip(steps).map(|(child, step)| step.apply(child, column));
                let arrays = arrays.collect::<Result<Vec<_>>>()?;
                Ok(built(self.field.data_type(), &part.array, (offsets, nulls, length), arrays)?)
            }
        }
    }
}

impl Shape {
    fn data_type(self, children: &[FieldRef], from: &DataType) -> DataType {
        let child =
            || children.first().map(Arc::clone).unwrap_or_else(|| Arc::new(Field::new("item", DataType::Null, true)));
        match self {
            Shape::List => DataType::List(child()),
            Shape::LargeList => DataType::LargeList(child()),
            Shape::FixedSizeList(length) => DataType::FixedSizeList(child(), length),
            Shape::Map(ordered) => DataType::Map(child(), ordered),
            Shape::Struct => DataType::Struct(children.iter().cloned().collect()),
            Shape::Union => match from {
                DataType::Union(fields, mode) => {
                    let ids = fields.iter().map(|(id, _)| id);
                    DataType::Union(ids.zip(children.iter().cloned()).collect(), *mode)
                }
                other => other.clone(),
            },
        }
    }
}
