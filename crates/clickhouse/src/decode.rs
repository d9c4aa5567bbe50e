//! Columns of Native blocks as Arrow arrays: one buffer grows over the blocks of a batch and becomes the array.

mod append;
mod enumeration;
mod finish;
mod low_cardinality;
mod number;
mod prefix;
mod text;

use arrow_buffer::MutableBuffer;
use arrow_schema::DataType;
use bowshot_core::{Error, ErrorKind, Result};

use crate::types::{Enumeration, Kind, Number, Type};

/// A column that grows.
pub(crate) struct Column {
    data_type: DataType,
    rows: usize,
    /// A byte a row, 1 for NULL; `None` where there is no NULL.
    nulls: Option<Vec<u8>>,
    body: Body,
}

/// The values.
enum Body {
    /// As they came.
    Plain {
        buffer: MutableBuffer,
        width: usize,
    },
    /// Two numbers of eight bytes each, the low byte first; in text, the high one comes first.
    Uuid(MutableBuffer),
    /// Widened on the way.
    Number {
        buffer: MutableBuffer,
        number: Number,
    },
    /// A byte a row.
    Bool(Vec<u8>),
    Text(Text, Layout),
    Enumeration {
        keys: Vec<i32>,
        enumeration: std::sync::Arc<Enumeration>,
    },
    /// So many bytes a row.
    Nothing(usize),
    List {
        ends: Vec<i32>,
        item: Box<Column>,
    },
    Struct(Vec<Column>),
    Map {
        ends: Vec<i32>,
        key: Box<Column>,
        value: Box<Column>,
    },
    /// The numbers of values among those of the batch; none for NULL.
    LowCardinality {
        keys: Vec<Option<u32>>,
        values: Box<Column>,
        nullable: bool,
    },
}

/// Values of any length, one after the other, and where each ends.
#[derive(Default)]
struct Text {
    values: Vec<u8>,
    ends: Vec<i32>,
}

/// How text comes.
#[derive(Clone, Copy)]
enum Layout {
    /// Its length before it.
    Varied,
    /// Always so many bytes; the zeros at the end are none of it.
    Padded(usize),
    /// Four bytes of an address.
    Ipv4,
    /// Sixteen bytes of an address.
    Ipv6,
}

impl Column {
    /// An empty column.
    pub(crate) fn new(of: &Type) -> Self {
        let inner = |kind: &Type| Box::new(Column::new(kind));
        let body = match &of.kind {
            Kind::Plain(_, width) => Body::Plain { buffer: MutableBuffer::new(0), width: *width },
            Kind::FixedBytes(width) => {
                Body::Plain { buffer: MutableBuffer::new(0), width: usize::try_from(*width).unwrap_or(0) }
            }
            Kind::Number(number, _) => Body::Number { buffer: MutableBuffer::new(0), number: *number },
            Kind::Uuid => Body::Uuid(MutableBuffer::new(0)),
            Kind::Bool => Body::Bool(Vec::new()),
            Kind::Text | Kind::Bytes => Body::Text(Text::default(), Layout::Varied),
            Kind::FixedText(width) => Body::Text(Text::default(), Layout::Padded(*width)),
            Kind::Ipv4 => Body::Text(Text::default(), Layout::Ipv4),
            Kind::Ipv6 => Body::Text(Text::default(), Layout::Ipv6),
            Kind::Enumeration(enumeration) => {
                Body::Enumeration { keys: Vec::new(), enumeration: std::sync::Arc::clone(enumeration) }
            }
            Kind::Nothing(width) => Body::Nothing(*width),
            Kind::List(item) => Body::List { ends: Vec::new(), item: inner(item) },
            Kind::Struct(members) => Body::Struct(members.iter().map(|(_, member)| Column::new(member)).collect()),
            Kind::Map(key, value) => Body::Map { ends: Vec::new(), key: inner(key), value: inner(value) },
            Kind::LowCardinality(values) => Body::LowCardinality {
                keys: Vec::new(),
                // Its NULL is a key, not a byte beside the values.
                values: Box::new(Column::new(&Type { kind: values.kind.clone(), nullable: false })),
                nullable: values.nullable,
            },
        };
        let may_be_null = of.nullable && !matches!(of.kind, Kind::LowCardinality(_) | Kind::Nothing(_));
        Column { data_type: of.arrow(), rows: 0, nulls: may_be_null.then(Vec::new), body }
    }

    /// The rows so far.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// About how many bytes the values take so far.
    pub(crate) fn bytes(&self) -> usize {
        let nulls = self.nulls.as_ref().map_or(0, |nulls| nulls.len() / 8);
        nulls
            + match &self.body {
                Body::Plain { buffer, .. } | Body::Number { buffer, .. } | Body::Uuid(buffer) => buffer.len(),
                Body::Bool(values) => values.len() / 8,
                Body::Text(text, _) => text.values.len() + 4 * text.ends.len(),
                Body::Enumeration { keys, .. } => 4 * keys.len(),
                Body::Nothing(_) => 0,
                Body::List { ends, item } => 4 * ends.len() + item.bytes(),
                Body::Struct(members) => members.iter().map(Column::bytes).sum(),
                Body::Map { ends, key, value } => 4 * ends.len() + key.bytes() + value.bytes(),
                Body::LowCardinality { keys, values, .. } => {
                    let each = values.bytes() / values.rows.max(1);
                    keys.len() * each.max(4)
                }
            }
    }
}

/// A batch that is larger than Arrow counts.
#[cold]
fn too_large() -> Error {
    Error::new(ErrorKind::Value, "a block has more than 2 GiB of text, or of list items, in one column")
        .with_hint("ask for smaller blocks: ?setting.max_block_size=1000 in the URI")
}

fn end(place: usize) -> Result<i32> {
    i32::try_from(place).map_err(|_| too_large())
}

#[cfg(test)]
mod tests;
