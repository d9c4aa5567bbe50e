//! What DataFusion must not do with a column, since the column's own database would answer otherwise.

use std::sync::Arc;

use arrow_schema::DataType;

/// Why some work on a column is the database's alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// `shop.public.people.name`
    pub(crate) column: String,
    /// As the end of a sentence that begins with the column: `has the collation …, for which …`.
    pub(crate) why: String,
    /// Whether equal bytes are what the database calls equal.
    pub(crate) equality: bool,
    /// Whether the order of bytes is the database's order.
    pub(crate) order: bool,
    /// Whether quotients and averages have the database's digits.
    pub(crate) division: bool,
}

/// The doubt of a column or a value, if there is one.
pub(crate) type Doubts = Option<Arc<Doubt>>;

/// What a step of a query does with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Passes it on, or changes it character by character.
    Nothing,
    /// Tells equal values from others: `=`, IN, LIKE, GROUP BY, DISTINCT, joins.
    Equality,
    /// Tells which of two comes first: `<`, ORDER BY, min, max.
    Order,
    /// Divides: `/`, `%`, avg, and their kin.
    Division,
}

impl Doubt {
    /// Whether DataFusion's answer is the database's.
    pub(crate) fn allows(&self, need: Need) -> bool {
        match need {
            Need::Nothing => true,
            Need::Equality => self.equality,
            Need::Order => self.order,
            Need::Division => self.division,
        }
    }
}

/// The doubt of what two values become together.
pub(crate) fn both(one: Doubts, other: Doubts) -> Doubts {
    let (one, other) = match (one, other) {
        (Some(one), Some(other)) => (one, other),
        (one, other) => return one.or(other),
    };
    let worse = if one.equality && !other.equality { &other } else { &one };
    Some(Arc::new(Doubt {
        column: worse.column.clone(),
        why: worse.why.clone(),
        equality: one.equality && other.equality,
        order: one.order && other.order,
        division: one.division && other.division,
    }))
}

/// Whether values of this type can be the subject of a doubt: text and decimals, also inside lists and structs.
pub(crate) fn is_doubtful(data_type: &DataType) -> bool {
    is_text(data_type) || is_decimal(data_type)
}

/// Text, or something that holds text.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        other => inner(other).iter().any(|inner| is_text(inner)),
    }
}

/// A decimal, or something that holds one.
pub(crate) fn is_decimal(data_type: &DataType) -> bool {
    data_type.is_decimal() || inner(data_type).iter().any(|inner| is_decimal(inner))
}

fn inner(data_type: &DataType) -> Vec<&DataType> {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => vec![field.data_type()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::Dictionary(_, value) => vec![value.as_ref()],
        DataType::RunEndEncoded(_, values) => vec![values.data_type()],
        _ => Vec::new(),
    }
}
