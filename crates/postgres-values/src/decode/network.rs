//! Network addresses, written as PostgreSQL writes them (`inet_send`, `macaddr_send`).

use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr};

// The address families of PostgreSQL's inet.h: its own numbers, the same on every platform.
const INET4: u8 = 2;
const INET6: u8 = 3;

/// `inet` and `cidr`: family, prefix length, whether it is a cidr, count of address bytes, the address.
pub(crate) fn address(value: &[u8], text: &mut String) -> Option<()> {
    let (&[family, prefix, is_cidr, count], address) = value.split_first_chunk::<4>()?;
    if address.len() != usize::from(count) {
        return None;
    }
    let whole = match family {
        INET4 => {
            let address: [u8; 4] = address.try_into().ok()?;
            write!(text, "{}", Ipv4Addr::from(address)).ok()?;
            32
        }
        INET6 => {
            let address: [u8; 16] = address.try_into().ok()?;
            version6(Ipv6Addr::from(address), text)?;
            128
        }
        _ => return None,
    };
    if is_cidr != 0 || prefix != whole {
        write!(text, "/{prefix}").ok()?;
    }
    Some(())
}

/// An IPv6 address. PostgreSQL shows the last four bytes of the old "IPv4-compatible" block with dots, Rust does not.
fn version6(address: Ipv6Addr, text: &mut String) -> Option<()> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            write!(text, "::{a}.{b}.{c}.{d}").ok()
        }
        _ => write!(text, "{address}").ok(),
    }
}

/// `macaddr` and `macaddr8`.
pub(crate) fn hardware_address(value: &[u8], text: &mut String) -> Option<()> {
    if value.len() != 6 && value.len() != 8 {
        return None;
    }
    for (place, byte) in value.iter().enumerate() {
        let separator = if place == 0 { "" } else { ":" };
        write!(text, "{separator}{byte:02x}").ok()?;
    }
    Some(())
}
