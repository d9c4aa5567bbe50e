//! Text and bytes of any length.

use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr};

use bowshot_core::Result;

use super::{Text, end, too_large};
use crate::input::{Feed, Input};

/// Each value with its length before it.
pub(super) fn varied<F: Feed>(text: &mut Text, input: &mut Input<F>, rows: usize) -> Result<()> {
    let mut left = rows;
    while left > 0 {
        let arrived = input.arrived()?;
        let (taken, done) = whole_values(text, arrived, left)?;
        input.advance(taken);
        left -= done;
        if left > 0 {
            // A value that lies in two pieces, or is not all there yet.
            let length = usize::try_from(input.varint()?).map_err(|_| too_large())?;
            input.append(length, &mut text.values)?;
            text.ends.push(end(text.values.len())?);
            left -= 1;
        }
    }
    Ok(())
}

/// The values that have arrived whole, at most `rows`: how many bytes they took, and how many they are.
fn whole_values(text: &mut Text, arrived: &[u8], rows: usize) -> Result<(usize, usize)> {
    let mut rest = arrived;
    for done in 0..rows {
        let Some((length, after)) = length(rest) else { return Ok((arrived.len() - rest.len(), done)) };
        let Some((value, after)) = after.split_at_checked(length) else {
            return Ok((arrived.len() - rest.len(), done));
        };
        text.values.extend_from_slice(value);
        text.ends.push(end(text.values.len())?);
        rest = after;
    }
    Ok((arrived.len() - rest.len(), rows))
}

/// A length and what follows it; `None` where it has more bytes than are there, or than usual.
#[inline]
fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        return Some((usize::from(*first), rest));
    }
    let (second, rest) = rest.split_first()?;
    if *second < 0x80 {
        return Some((usize::from(*first & 0x7f) | usize::from(*second) << 7, rest));
    }
    let (third, rest) = rest.split_first()?;
    let low = usize::from(*first & 0x7f) | usize::from(*second & 0x7f) << 7;
    (*third < 0x80).then_some((low | usize::from(*third) << 14, rest))
}

/// Values of one length, without the zeros at their ends.
pub(super) fn padded<F: Feed>(text: &mut Text, input: &mut Input<F>, rows: usize, width: usize) -> Result<()> {
    for _ in 0..rows {
        let begin = text.values.len();
        input.append(width, &mut text.values)?;
        let value = text.values.get(begin..).unwrap_or_default();
        let zeros = value.iter().rev().take_while(|byte| **byte == 0).count();
        text.values.truncate(text.values.len() - zeros);
        text.ends.push(end(text.values.len())?);
    }
    Ok(())
}

/// Addresses as numbers of four bytes, the low one first.
pub(super) fn ipv4<F: Feed>(text: &mut Text, input: &mut Input<F>, rows: usize) -> Result<()> {
    addresses(text, input, rows, |bytes: [u8; 4], values| {
        // A vector never fails to be written to.
        let _ = write!(values, "{}", Ipv4Addr::from(u32::from_le_bytes(bytes)));
    })
}

/// Addresses of sixteen bytes, in the order of the network.
pub(super) fn ipv6<F: Feed>(text: &mut Text, input: &mut Input<F>, rows: usize) -> Result<()> {
    addresses(text, input, rows, |bytes: [u8; 16], values| {
        // A vector never fails to be written to.
        let _ = write!(values, "{}", Ipv6Addr::from(bytes));
    })
}

fn addresses<const N: usize, F: Feed>(
    text: &mut Text,
    input: &mut Input<F>,
    rows: usize,
    show: impl Fn([u8; N], &mut Vec<u8>),
) -> Result<()> {
    let mut large = false;
    let Text { values, ends } = text;
    input.values::<N>(rows, |bytes| {
        show(bytes, values);
        match end(values.len()) {
            Ok(place) => ends.push(place),
            Err(_) => large = true,
        }
    })?;
    if large { Err(too_large()) } else { Ok(()) }
}
