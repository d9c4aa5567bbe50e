use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::rights::Rights;

fn key(first: u8) -> [u8; 32] {
    let mut key = [9; 32];
    key[0] = first;
    key
}

fn tickets() -> Tickets {
    Tickets::with_key(&key(1)).unwrap()
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

fn claim() -> Claim {
    Claim { query: [0xa5; 16], endpoint: 7, user: "ada".into(), expires: at(2_000) }
}

fn handle() -> Handle {
    Handle { statement: [0x5a; 16], user: "ada".into() }
}

#[test]
fn a_ticket_comes_back_as_it_was_in_another_process_too() {
    let sealed = tickets().seal(&claim());
    assert_eq!(tickets().open(&sealed, at(1_000)).unwrap(), claim());
    let sealed = tickets().seal_handle(&handle());
    assert_eq!(tickets().open_handle(&sealed).unwrap(), handle());
}

#[test]
fn the_bytes_are_those_that_are_written_down() {
    let sealed = tickets().seal(&claim());
    let mut expected = vec![1, b'T'];
    expected.extend([0xa5; 16]);
    expected.extend([0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0x07, 0xd0, b'a', b'd', b'a']);
    assert_eq!(sealed[..expected.len()], expected);
    assert_eq!(sealed.len(), expected.len() + 32);
    let other = ring::hmac::sign(&ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key(1)), &expected);
    assert_eq!(&sealed[expected.len()..], other.as_ref());
}

#[test]
fn every_ticket_with_one_bit_changed_is_refused() {
    let (ticket, handle) = (tickets().seal(&claim()), tickets().seal_handle(&handle()));
    for bit in 0..ticket.len() * 8 {
        let mut changed = ticket.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(tickets().open(&changed, at(1_000)).is_err(), "bit {bit}");
        assert!(tickets().open_handle(&changed).is_err(), "bit {bit}");
    }
    for bit in 0..handle.len() * 8 {
        let mut changed = handle.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(tickets().open_handle(&changed).is_err(), "bit {bit}");
        assert!(tickets().open(&changed, at(1_000)).is_err(), "bit {bit}");
    }
}

#[test]
fn every_ticket_that_is_cut_or_extended_is_refused() {
    for sealed in [tickets().seal(&claim()), tickets().seal_handle(&handle())] {
        for length in 0..sealed.len() {
            assert!(tickets().open(&sealed[..length], at(1_000)).is_err());
            assert!(tickets().open_handle(&sealed[..length]).is_err());
            assert!(tickets().open(&sealed[sealed.len() - length..], at(1_000)).is_err());
        }
        for byte in 0..=u8::MAX {
            for longer in [[&sealed[..], &[byte]].concat(), [&[byte], &sealed[..]].concat()] {
                assert!(tickets().open(&longer, at(1_000)).is_err());
                assert!(tickets().open_handle(&longer).is_err());
            }
        }
    }
    assert_eq!(tickets().open(&[], at(1_000)), Err(TicketError::Malformed));
    assert_eq!(tickets().open(&vec![1; 1 << 20], at(1_000)), Err(TicketError::Malformed));
}

#[test]
fn a_ticket_is_no_handle_and_a_handle_is_no_ticket() {
    let tickets = tickets();
    assert_eq!(tickets.open_handle(&tickets.seal(&claim())), Err(TicketError::Malformed));
    assert_eq!(tickets.open(&tickets.seal_handle(&handle()), at(1_000)), Err(TicketError::Malformed));
    // Nor by a handle's user that looks like the rest of a ticket.
    let sneaky =
        Handle { statement: [1; 16], user: "\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}ada".into() };
    assert!(tickets.open(&tickets.seal_handle(&sneaky), at(1_000)).is_err());
}

#[test]
fn a_ticket_of_another_key_is_forged() {
    let sealed = tickets().seal(&claim());
    for other in [Tickets::with_key(&key(2)).unwrap(), Tickets::random().unwrap()] {
        assert_eq!(other.open(&sealed, at(1_000)), Err(TicketError::Forged));
    }
    assert_ne!(Tickets::random().unwrap().seal(&claim()), Tickets::random().unwrap().seal(&claim()));
}

#[test]
fn a_ticket_holds_until_the_second_at_which_it_expires() {
    let sealed = tickets().seal(&claim());
    let open = |now| tickets().open(&sealed, now).map(|_| ());
    assert_eq!(open(at(0)), Ok(()));
    assert_eq!(open(at(2_000) - Duration::from_nanos(1)), Ok(()));
    assert_eq!(open(at(2_000)), Err(TicketError::Expired));
    assert_eq!(open(at(9_000)), Err(TicketError::Expired));
    assert_eq!(open(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), Ok(()));
    let endless = Claim { expires: at(u64::from(u32::MAX) * 2), ..claim() };
    assert_eq!(tickets().open(&tickets().seal(&endless), at(1_000)).unwrap(), endless);
    let dead = Claim { expires: SystemTime::UNIX_EPOCH - Duration::from_secs(1), ..claim() };
    assert_eq!(tickets().open(&tickets().seal(&dead), at(0)), Err(TicketError::Expired));
}

#[test]
fn a_forged_ticket_is_forged_whether_it_has_expired_or_not() {
    let mut sealed = tickets().seal(&claim());
    *sealed.last_mut().unwrap() ^= 1;
    assert_eq!(tickets().open(&sealed, at(1_000)), Err(TicketError::Forged));
    assert_eq!(tickets().open(&sealed, at(9_000)), Err(TicketError::Forged));
}

#[test]
fn every_endpoint_has_a_ticket_of_its_own() {
    let sealed: std::collections::HashSet<_> =
        (0..1_000).map(|endpoint| tickets().seal(&Claim { endpoint, ..claim() })).collect();
    assert_eq!(sealed.len(), 1_000);
}

#[test]
fn a_ticket_of_another_user_is_not_found() {
    let identity = |user: &str| Identity::new(user.into(), Arc::new(Rights::all()));
    admit("ada", &identity("ada")).unwrap();
    for other in ["", "Ada", "ad", "adaa", "bob"] {
        let refusal = admit("ada", &identity(other)).unwrap_err();
        assert_eq!(refusal.kind(), RefusalKind::NotFound);
        assert!(!refusal.to_string().contains("ada"));
    }
}

#[test]
fn each_refusal_has_its_kind() {
    let kind = |error: TicketError| Refusal::from(error).kind();
    assert_eq!(kind(TicketError::Malformed), RefusalKind::InvalidArgument);
    assert_eq!(kind(TicketError::Forged), RefusalKind::PermissionDenied);
    assert_eq!(kind(TicketError::Expired), RefusalKind::NotFound);
}

#[test]
fn keys_that_are_no_keys_are_mistakes_of_configuration() {
    for key in [&b""[..], &[7; 32], &[0; 32], &key(1)[..31], &[&key(1)[..], &[1]].concat()] {
        assert_eq!(Tickets::with_key(key).unwrap_err().kind(), ErrorKind::Config);
    }
    let secret = *b"0123456789abcdef0123456789abcdef";
    assert_eq!(format!("{:?}", Tickets::with_key(&secret).unwrap()), "Tickets(…)");
    assert!(!format!("{:?}", Tickets::with_key(&secret[1..]).unwrap_err()).contains("123"));
}

proptest! {
    #[test]
    fn no_bytes_open_or_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(tickets().open(&bytes, at(1_000)).is_err());
        prop_assert!(tickets().open_handle(&bytes).is_err());
    }

    #[test]
    fn what_is_signed_but_makes_no_sense_is_malformed(body in proptest::collection::vec(any::<u8>(), 0..60)) {
        let tickets = tickets();
        let sealed = tickets.sign([&[VERSION, TICKET], &body[..]].concat());
        if let Ok(claim) = tickets.open(&sealed, at(1_000)) {
            prop_assert_eq!(tickets.seal(&claim), sealed);
        }
        let sealed = tickets.sign([&[VERSION, HANDLE], &body[..]].concat());
        if let Ok(handle) = tickets.open_handle(&sealed) {
            prop_assert_eq!(tickets.seal_handle(&handle), sealed);
        }
    }

    #[test]
    fn every_claim_comes_back(
        query in any::<[u8; 16]>(), endpoint in any::<u32>(), user in "[^\\p{Cc}]{1,60}", seconds in 1..u64::from(u32::MAX)
    ) {
        let claim = Claim { query, endpoint, user: user.clone(), expires: at(seconds) };
        prop_assert_eq!(tickets().open(&tickets().seal(&claim), at(seconds - 1)).unwrap(), claim);
        let handle = Handle { statement: query, user };
        prop_assert_eq!(tickets().open_handle(&tickets().seal_handle(&handle)).unwrap(), handle);
    }
}
