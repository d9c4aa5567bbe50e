//! Arrays of every type with arbitrary values.

use std::sync::Arc;

use arrow_array::types::{BinaryViewType, StringViewType};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, GenericByteViewArray,
    LargeBinaryArray, LargeStringArray, ListArray, MapArray, NullArray, RecordBatch, RecordBatchOptions, StringArray,
    StructArray, UnionArray, make_array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_cast::cast;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields, IntervalUnit, Schema, TimeUnit, UnionFields, UnionMode};

/// A small generator of arbitrary numbers.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// From 0 to `below`.
    pub(crate) fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below.max(1)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| u8::try_from(self.below(256)).unwrap()).collect()
    }

    fn text(&mut self) -> String {
        let length = if self.below(10) == 0 { self.below(300) } else { self.below(20) };
        (0..length).map(|_| char::from(b'a' + u8::try_from(self.below(26)).unwrap())).collect()
    }

    /// Some columns hold no NULL, and some of these have a bitmap that says so.
    fn nulls(&mut self, rows: usize) -> Option<NullBuffer> {
        match self.below(4) {
            0 => None,
            1 => Some(NullBuffer::new_valid(rows)),
            _ => Some((0..rows).map(|_| self.below(4) > 0).collect()),
        }
    }
}

fn field(name: &str, of: DataType) -> Arc<Field> {
    Arc::new(Field::new(name, of, true))
}

/// Every type that is sent.
pub(crate) fn sendable() -> Vec<DataType> {
    use DataType::*;
    let list = |of| List(field("item", of));
    let entries = Struct(Fields::from(vec![Field::new("key", Utf8, false), Field::new("value", Utf8View, true)]));
    let members: UnionFields = [(2, field("n", Int64)), (5, field("s", Utf8View))].into_iter().collect();
    let mut types = vec![
        Null,
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Date32,
        Date64,
        Utf8,
        LargeUtf8,
        Binary,
        LargeBinary,
        Utf8View,
        BinaryView,
        FixedSizeBinary(3),
        Decimal32(9, 2),
        Decimal64(18, 2),
        Decimal128(38, 10),
        Decimal256(76, 20),
        Time32(TimeUnit::Second),
        Time64(TimeUnit::Nanosecond),
        Timestamp(TimeUnit::Microsecond, None),
        Timestamp(TimeUnit::Nanosecond, Some("Europe/Amsterdam".into())),
        Duration(TimeUnit::Millisecond),
        Interval(IntervalUnit::YearMonth),
        Interval(IntervalUnit::DayTime),
        Interval(IntervalUnit::MonthDayNano),
    ];
    types.extend([
        list(Int32),
        list(Utf8),
        list(Boolean),
        list(list(Utf8View)),
        LargeList(field("item", Decimal128(20, 2))),
        FixedSizeList(field("item", Utf8), 2),
        Struct(Fields::from(vec![Field::new("a", Int16, true), Field::new("b", list(BinaryView), true)])),
        Struct(Fields::empty()),
        Map(Arc::new(Field::new("entries", entries, false)), false),
        Union(members.clone(), UnionMode::Sparse),
        Union(members, UnionMode::Dense),
        ListView(field("item", Utf8)),
        LargeListView(field("item", list(Utf8View))),
    ]);
    types
}

/// So many arbitrary values of a type.
pub(crate) fn array(of: &DataType, rows: usize, dice: &mut Dice) -> ArrayRef {
    let nulls = dice.nulls(rows);
    match of {
        DataType::Null => Arc::new(NullArray::new(rows)),
        DataType::Boolean => Arc::new(BooleanArray::new((0..rows).map(|_| dice.below(2) == 0).collect(), nulls)),
        DataType::Utf8 => Arc::new(StringArray::from_iter(texts(rows, nulls.as_ref(), dice))),
        DataType::LargeUtf8 => Arc::new(LargeStringArray::from_iter(texts(rows, nulls.as_ref(), dice))),
        DataType::Binary => Arc::new(BinaryArray::from_iter(texts(rows, nulls.as_ref(), dice))),
        DataType::LargeBinary => Arc::new(LargeBinaryArray::from_iter(texts(rows, nulls.as_ref(), dice))),
        DataType::Utf8View => {
            Arc::new(GenericByteViewArray::<StringViewType>::from_iter(texts(rows, nulls.as_ref(), dice)))
        }
        DataType::BinaryView => {
            let bytes = texts(rows, nulls.as_ref(), dice).into_iter().map(|text| text.map(String::into_bytes));
            Arc::new(GenericByteViewArray::<BinaryViewType>::from_iter(bytes))
        }
        DataType::FixedSizeBinary(width) => {
            let bytes = dice.bytes(rows * usize::try_from(*width).unwrap());
            Arc::new(FixedSizeBinaryArray::new(*width, bytes.into(), nulls))
        }
        DataType::List(item) => {
            let offsets = OffsetBuffer::<i32>::from_lengths((0..rows).map(|_| dice.below(4)));
            let values = array(item.data_type(), usize::try_from(*offsets.last().unwrap()).unwrap(), dice);
            Arc::new(ListArray::new(Arc::clone(item), offsets, values, nulls))
        }
        DataType::LargeList(item) | DataType::ListView(item) | DataType::LargeListView(item) => {
            cast(&array(&DataType::List(Arc::clone(item)), rows, dice), of).unwrap()
        }
        DataType::FixedSizeList(item, size) => {
            let values = array(item.data_type(), rows * usize::try_from(*size).unwrap(), dice);
            Arc::new(FixedSizeListArray::new(Arc::clone(item), *size, values, nulls))
        }
        DataType::Struct(fields) => {
            let columns = fields.iter().map(|field| required(field, rows, dice)).collect();
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, rows).unwrap())
        }
        DataType::Map(entries, sorted) => {
            let offsets = OffsetBuffer::<i32>::from_lengths((0..rows).map(|_| dice.below(3)));
            let count = usize::try_from(*offsets.last().unwrap()).unwrap();
            let DataType::Struct(fields) = entries.data_type() else { panic!("no map") };
            let columns = fields.iter().map(|field| required(field, count, dice)).collect();
            let pairs = StructArray::new(fields.clone(), columns, None);
            Arc::new(MapArray::new(Arc::clone(entries), offsets, pairs, nulls, *sorted))
        }
        DataType::Union(fields, mode) => union(fields, *mode, rows, dice),
        DataType::Float16 => cast(&array(&DataType::Int16, rows, dice), of).unwrap(),
        fixed => {
            let bytes = dice.bytes(rows * fixed.primitive_width().unwrap());
            let data = ArrayData::builder(fixed.clone()).len(rows).nulls(nulls).add_buffer(Buffer::from(bytes));
            make_array(data.align_buffers(true).build().unwrap())
        }
    }
}

fn union(fields: &UnionFields, mode: UnionMode, rows: usize, dice: &mut Dice) -> ArrayRef {
    let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
    let chosen: Vec<i8> = (0..rows).map(|_| ids[dice.below(ids.len())]).collect();
    let (mut offsets, mut children) = (vec![0_i32; rows], Vec::new());
    for (id, field) in fields.iter() {
        let mut count = 0;
        for (offset, _) in offsets.iter_mut().zip(&chosen).filter(|(_, of)| **of == id) {
            *offset = count;
            count += 1;
        }
        let length = if mode == UnionMode::Dense { usize::try_from(count).unwrap() } else { rows };
        children.push(array(field.data_type(), length, dice));
    }
    let offsets = (mode == UnionMode::Dense).then(|| offsets.into());
    Arc::new(UnionArray::try_new(fields.clone(), chosen.into(), offsets, children).unwrap())
}

/// Values without a NULL where the field allows none.
fn required(field: &Field, rows: usize, dice: &mut Dice) -> ArrayRef {
    let values = array(field.data_type(), rows, dice);
    if field.is_nullable() { values } else { make_array(values.to_data().into_builder().nulls(None).build().unwrap()) }
}

fn texts(rows: usize, nulls: Option<&NullBuffer>, dice: &mut Dice) -> Vec<Option<String>> {
    (0..rows).map(|row| nulls.is_none_or(|nulls| nulls.is_valid(row)).then(|| dice.text())).collect()
}

/// A batch of columns of these types.
pub(crate) fn batch(types: &[DataType], rows: usize, dice: &mut Dice) -> RecordBatch {
    let fields: Vec<Field> =
        types.iter().enumerate().map(|(place, of)| Field::new(format!("c{place}"), of.clone(), true)).collect();
    let columns = types.iter().map(|of| array(of, rows, dice)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options).unwrap()
}

/// One column named `c0`.
pub(crate) fn single(array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("c0", array, true)]).unwrap()
}
