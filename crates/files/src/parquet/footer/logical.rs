//! What the values of a column mean.

use parquet::errors::ParquetError;

use super::super::thrift::{Input, Kind, Output};

/// A logical type that the crate reads too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Logical {
    /// One that is told by its number alone.
    Plain(i16),
    Decimal {
        scale: i32,
        precision: i32,
    },
    /// A time (7) or a timestamp (8), and the number of its unit.
    Moment {
        number: i16,
        utc: bool,
        unit: i16,
    },
    Integer {
        bits: u8,
        signed: bool,
    },
}

/// Text, enumerated values and JSON.
const TEXT: [i16; 3] = [1, 4, 12];
/// Values that are all NULL.
const NULL: i16 = 11;

impl Logical {
    pub(super) const NULLS: Logical = Logical::Plain(NULL);

    pub(super) fn is_text(self) -> bool {
        matches!(self, Logical::Plain(number) if TEXT.contains(&number))
    }

    /// The type that is written here; `None` where it, or a part of it, is not known.
    pub(super) fn read(input: &mut Input<'_>) -> Result<Option<Self>, ParquetError> {
        let mut found = None;
        input.fields(|input, number, kind| {
            if kind != Kind::Struct {
                return Ok(false);
            }
            found = match number {
                5 => decimal(input)?,
                7 | 8 => moment(input, number)?,
                10 => integer(input)?,
                // With the parameters of Variant, Geometry and Geography, which change nothing in their bytes.
                1..=4 | 6 | 11..=15 | 16..=18 => {
                    input.skip(kind)?;
                    Some(Logical::Plain(number))
                }
                _ => return Ok(false),
            };
            Ok(true)
        })?;
        Ok(found)
    }

    pub(super) fn write(self, output: &mut Output) {
        match self {
            Logical::Plain(number) => output.structure(number, |_| ()),
            Logical::Decimal { scale, precision } => output.structure(5, |output| {
                output.i32(1, scale);
                output.i32(2, precision);
            }),
            Logical::Moment { number, utc, unit } => output.structure(number, |output| {
                output.bool(1, utc);
                output.structure(2, |output| output.structure(unit, |_| ()));
            }),
            Logical::Integer { bits, signed } => output.structure(10, |output| {
                output.byte(1, bits);
                output.bool(2, signed);
            }),
        }
    }
}

fn decimal(input: &mut Input<'_>) -> Result<Option<Logical>, ParquetError> {
    let (mut scale, mut precision) = (None, None);
    input.fields(|input, number, kind| {
        match (number, kind) {
            (1, Kind::I32) => scale = Some(input.i32()?),
            (2, Kind::I32) => precision = Some(input.i32()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(scale.zip(precision).map(|(scale, precision)| Logical::Decimal { scale, precision }))
}

fn moment(input: &mut Input<'_>, of: i16) -> Result<Option<Logical>, ParquetError> {
    let (mut utc, mut found) = (None, None);
    input.fields(|input, number, kind| {
        match (number, kind) {
            (1, Kind::True | Kind::False) => utc = Some(kind == Kind::True),
            (2, Kind::Struct) => input.fields(|_, unit, _| {
                found = Some(unit);
                Ok(false)
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let unit = found.filter(|unit| (1..=3).contains(unit));
    Ok(utc.zip(unit).map(|(utc, unit)| Logical::Moment { number: of, utc, unit }))
}

fn integer(input: &mut Input<'_>) -> Result<Option<Logical>, ParquetError> {
    let (mut bits, mut signed) = (None, None);
    input.fields(|input, number, kind| {
        match (number, kind) {
            (1, Kind::Byte) => bits = Some(input.byte()?),
            (2, Kind::True | Kind::False) => signed = Some(kind == Kind::True),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let bits = bits.filter(|bits| [8, 16, 32, 64].contains(bits));
    Ok(bits.zip(signed).map(|(bits, signed)| Logical::Integer { bits, signed }))
}
