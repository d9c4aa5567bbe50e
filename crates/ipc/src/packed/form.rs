//! How a batch is packed, and the note that says it.

use std::sync::Arc;

use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};

use super::numbers;
use super::planes::Planes;

/// What a note begins with.
const MARK: &[u8] = b"bowshot: packed ";

/// How a batch is packed: for each column of its schema, in how many planes, and what was taken off.
#[derive(Clone, Debug)]
pub struct Form {
    /// The schema of the batch as it was.
    whole: SchemaRef,
    /// `None` of a column that is as it was.
    planes: Vec<Option<Planes>>,
    /// The schema of the packed batch.
    schema: SchemaRef,
    /// Where the columns of bytes begin.
    bytes_at: usize,
}

impl Form {
    pub(super) fn new(planes: Vec<Option<Planes>>, whole: &SchemaRef) -> Form {
        let plane: FieldRef = Arc::new(Field::new("", DataType::UInt8, true));
        let mut fields = Vec::new();
        let mut bytes: Vec<FieldRef> = Vec::new();
        for (field, planes) in whole.fields().iter().zip(&planes) {
            let Some(planes) = planes else {
                fields.push(Arc::clone(field));
                continue;
            };
            fields.extend(std::iter::repeat_n(&plane, planes.count).cloned());
            bytes.extend(kind_of_bytes(field.data_type()).map(|kind| Arc::new(Field::new("", kind, false))));
        }
        let bytes_at = fields.len();
        fields.extend(bytes);
        Form { whole: Arc::clone(whole), planes, schema: Arc::new(Schema::new(fields)), bytes_at }
    }

    /// Whether this is a note, and nothing that another server says beside its batches.
    pub fn is_note(bytes: &[u8]) -> bool {
        bytes.starts_with(MARK)
    }

    /// The form that a note tells of a batch of `whole`.
    ///
    /// # Errors
    /// It is not a note, or that of another batch.
    pub fn read(note: &[u8], whole: &SchemaRef) -> Result<Form, ArrowError> {
        let mut rest = note.strip_prefix(MARK).ok_or_else(|| refused("which does not say so"))?;
        let mut planes = Vec::with_capacity(whole.fields().len());
        for field in whole.fields() {
            let of = field.data_type();
            let Some((count, others)) = rest.split_first() else { return Err(refused("with less than its columns")) };
            let count = usize::from(*count);
            if count > width(of) {
                return Err(refused(&format!("of {count} planes of a column of {of}")));
            }
            rest = others;
            planes.push(if count > 0 { Some(Planes { count, base: number(&mut rest)? }) } else { None });
        }
        if rest.is_empty() { Ok(Form::new(planes, whole)) } else { Err(refused("with more than its columns")) }
    }

    /// The note that [`read`](Form::read) takes.
    pub fn note(&self) -> Vec<u8> {
        let mut note = MARK.to_vec();
        for planes in &self.planes {
            // A type has 16 bytes at most.
            note.push(planes.map_or(0, |planes| u8::try_from(planes.count).unwrap_or(u8::MAX)));
            if let Some(planes) = planes {
                write_number(planes.base, &mut note);
            }
        }
        note
    }

    /// The schema of the packed batch.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// How many bytes the columns that are packed take in a batch of so many rows, without those of texts.
    pub fn unpacked_bytes(&self, rows: usize) -> usize {
        let columns = self.whole.fields().iter().zip(&self.planes).filter(|(_, planes)| planes.is_some());
        columns.map(|(field, _)| width(field.data_type())).sum::<usize>().saturating_mul(rows)
    }

    pub(super) fn whole(&self) -> &SchemaRef {
        &self.whole
    }

    pub(super) fn planes(&self) -> &[Option<Planes>] {
        &self.planes
    }

    pub(super) fn bytes_at(&self) -> usize {
        self.bytes_at
    }
}

/// The type of the column with a column's bytes, if it has offsets.
pub(super) fn kind_of_bytes(of: &DataType) -> Option<DataType> {
    match of {
        DataType::Utf8 | DataType::Binary => Some(DataType::Binary),
        DataType::LargeUtf8 | DataType::LargeBinary => Some(DataType::LargeBinary),
        _ => None,
    }
}

/// How many bytes the numbers of a column have that are packed, or its lengths; 0 where neither are.
fn width(of: &DataType) -> usize {
    match kind_of_bytes(of) {
        Some(DataType::LargeBinary) => size_of::<i64>(),
        Some(_) => size_of::<i32>(),
        None => numbers::width(of).unwrap_or(0),
    }
}

/// Writes a number of either sign as seven bits a byte, the lowest first, as protocol buffers do (`sint64`).
fn write_number(number: i128, into: &mut Vec<u8>) {
    let mut left = (number << 1 ^ number >> 127).cast_unsigned();
    loop {
        let [low, ..] = left.to_le_bytes();
        left >>= 7;
        if left == 0 {
            return into.push(low & 0x7f);
        }
        into.push(low | 0x80);
    }
}

fn number(rest: &mut &[u8]) -> Result<i128, ArrowError> {
    let mut number = 0_u128;
    for shift in (0..u128::BITS).step_by(7) {
        let (byte, others) = rest.split_first().ok_or_else(|| refused("that ends in a number"))?;
        *rest = others;
        number |= u128::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
        }
    }
    Err(refused("with a number that has no end"))
}

fn refused(what: &str) -> ArrowError {
    ArrowError::IpcError(format!("a packed batch with a note {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_either_sign_come_back() {
        for wanted in [0, -1, 1, 63, 64, -64, -65, i128::from(i64::MIN), i128::MAX, i128::MIN] {
            let mut bytes = Vec::new();
            write_number(wanted, &mut bytes);
            let mut rest = &bytes[..];
            assert_eq!((number(&mut rest).unwrap(), rest), (wanted, &[][..]), "{bytes:?}");
        }
        assert!(number(&mut &[0x80; 40][..]).is_err());
        assert!(number(&mut &[0x80][..]).is_err());
    }
}
