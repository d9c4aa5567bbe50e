//! Numbers of so many bits each, packed into bytes.

/// Packed numbers stand in groups of so many, each of as many bytes as a number has bits.
pub(super) const GROUP: usize = 8;

/// So many bytes hold a group of the widest numbers, and the word that begins in its last byte.
const REACH: usize = 40;

/// Unpacks the first `count` numbers of `width` bits, at most 32, to the beginning of `block`; what is missing is zeros.
pub(super) fn unpack(packed: &[u8], width: u32, count: usize, block: &mut [u32]) {
    type Unpack = fn(&[u8], &mut [[u32; GROUP]]);
    // A loop of its own for each width: all places and shifts in it are constants.
    const WIDTHS: [Unpack; 33] = [
        groups::<0>,
        groups::<1>,
        groups::<2>,
        groups::<3>,
        groups::<4>,
        groups::<5>,
        groups::<6>,
        groups::<7>,
        groups::<8>,
        groups::<9>,
        groups::<10>,
        groups::<11>,
        groups::<12>,
        groups::<13>,
        groups::<14>,
        groups::<15>,
        groups::<16>,
        groups::<17>,
        groups::<18>,
        groups::<19>,
        groups::<20>,
        groups::<21>,
        groups::<22>,
        groups::<23>,
        groups::<24>,
        groups::<25>,
        groups::<26>,
        groups::<27>,
        groups::<28>,
        groups::<29>,
        groups::<30>,
        groups::<31>,
        groups::<32>,
    ];
    let room = block.as_chunks_mut().0;
    let room = room.get_mut(..count.div_ceil(GROUP)).unwrap_or_default();
    if let Some(unpack) = WIDTHS.get(width as usize) {
        unpack(packed, room);
    }
}

fn groups<const WIDTH: usize>(packed: &[u8], room: &mut [[u32; GROUP]]) {
    let mut rest = packed;
    for room in room {
        match rest.first_chunk() {
            Some(bytes) => group::<WIDTH>(bytes, room),
            None => {
                let mut bytes = [0; REACH];
                bytes.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                group::<WIDTH>(&bytes, room);
            }
        }
        rest = rest.get(WIDTH..).unwrap_or_default();
    }
}

#[inline(always)]
fn group<const WIDTH: usize>(bytes: &[u8; REACH], room: &mut [u32; GROUP]) {
    let mask = (1_u64 << WIDTH) - 1;
    for (at, number) in room.iter_mut().enumerate() {
        let bit = at * WIDTH;
        let word = bytes.get(bit / 8..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        *number = low(u64::from_le_bytes(word) >> (bit % 8) & mask);
    }
}

#[inline(always)]
fn low(word: u64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the mask leaves at most 32 bits")]
    let low = word as u32;
    low
}
