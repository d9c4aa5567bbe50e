use std::collections::HashSet;

use super::*;
use crate::options::OptionValue;
use crate::rights::Rights;

const HOUR: Duration = Duration::from_secs(3_600);

fn identity(user: &str) -> Identity {
    Identity::new(user.into(), Arc::new(Rights::all()))
}

fn sessions(total: usize, per_user: usize) -> Sessions {
    Sessions::new(SessionLimits { total, per_user, idle: HOUR, lifetime: 24 * HOUR }).unwrap()
}

#[test]
fn a_bearer_opens_exactly_its_own_session() {
    let sessions = sessions(10, 10);
    let now = Now::read();
    let (one, first) = sessions.open(identity("ada"), now).unwrap();
    let (other, second) = sessions.open(identity("ada"), now).unwrap();
    assert_ne!(first.id(), second.id());
    assert_eq!(sessions.find(one.reveal(), now).unwrap().id(), first.id());
    assert_eq!(sessions.find(other.reveal(), now).unwrap().id(), second.id());
    first.options().set("catalog", Some(OptionValue::Bool(true))).unwrap();
    assert!(second.options().is_empty());
    assert_eq!(sessions.find(one.reveal(), now).unwrap().options().len(), 1);
}

#[test]
fn what_is_not_the_whole_bearer_opens_nothing() {
    let sessions = sessions(10, 10);
    let now = Now::read();
    let (token, _) = sessions.open(identity("ada"), now).unwrap();
    let token = token.reveal();
    for other in ["", &token[..42], &format!("{token}A"), &token.to_uppercase(), &format!(" {token}")] {
        assert_eq!(sessions.find(other, now).unwrap_err().kind(), RefusalKind::Unauthenticated);
        assert!(sessions.close(other).is_none());
    }
}

#[test]
fn only_the_hash_of_a_bearer_is_kept() {
    let sessions = sessions(10, 10);
    let (token, session) = sessions.open(identity("ada"), Now::read()).unwrap();
    assert!(sessions.table.lock().by_token.contains_key(&TokenHash::of(token.reveal())));
    let shown = format!("{sessions:?} {session:?} {token:?} {:?}", sessions.list());
    assert!(shown.contains("ada") && !shown.contains(token.reveal()));
}

#[test]
fn a_session_expires_when_nobody_used_it_for_so_long_and_not_earlier() {
    let sessions = sessions(10, 10);
    let start = Now::read();
    let (token, session) = sessions.open(identity("ada"), start).unwrap();
    let nearly = HOUR - Duration::from_nanos(1);
    sessions.find(token.reveal(), start.after(nearly)).unwrap();
    sessions.find(token.reveal(), start.after(2 * nearly)).unwrap();
    assert!(sessions.expire(start.after(2 * nearly + nearly)).is_empty());
    assert!(sessions.find(token.reveal(), start.after(2 * nearly + HOUR)).is_err());
    assert!(session.is_closed() && sessions.is_empty());
}

#[test]
fn a_session_expires_at_its_end_however_busy_it_is() {
    let sessions = sessions(10, 10);
    let start = Now::read();
    let (token, session) = sessions.open(identity("ada"), start).unwrap();
    for half in 1..48_u32 {
        session.touch(start.after(half * HOUR / 2));
    }
    sessions.find(token.reveal(), start.after(24 * HOUR - Duration::from_nanos(1))).unwrap();
    assert!(sessions.find(token.reveal(), start.after(24 * HOUR)).is_err());
}

#[test]
fn a_session_does_not_outlive_the_proof_of_its_user() {
    let sessions = sessions(10, 10);
    let start = Now::read();
    let until = start.wall + Duration::from_secs(60);
    let (token, _) = sessions.open(identity("ada").with_until(until), start).unwrap();
    sessions.find(token.reveal(), start.after(Duration::from_secs(59))).unwrap();
    assert!(sessions.find(token.reveal(), start.after(Duration::from_secs(60))).is_err());
}

#[test]
fn a_clock_that_was_read_earlier_does_no_harm() {
    let sessions = sessions(10, 10);
    let start = Now::read();
    let later = start.after(HOUR / 2);
    let (token, session) = sessions.open(identity("ada"), later).unwrap();
    sessions.find(token.reveal(), start).unwrap();
    assert_eq!(session.last_used(), later.monotonic);
}

#[test]
fn limits_beyond_all_clocks_do_no_harm() {
    let limits = SessionLimits { total: 1, per_user: 1, idle: Duration::MAX, lifetime: Duration::MAX };
    let sessions = Sessions::new(limits).unwrap();
    let now = Now::read();
    let (token, _) = sessions.open(identity("ada"), now).unwrap();
    sessions.find(token.reveal(), now.after(1_000_000 * HOUR)).unwrap();
    assert!(sessions.open(identity("ada"), now).unwrap_err().retry_after().is_some());
}

#[test]
fn every_session_that_expired_is_told_once_whoever_noticed_it() {
    let sessions = sessions(3, 3);
    let start = Now::read();
    let opened: Vec<_> = (0..3).map(|_| sessions.open(identity("ada"), start).unwrap()).collect();
    let later = start.after(HOUR);
    assert!(sessions.find(opened[0].0.reveal(), later).is_err());
    let (token, young) = sessions.open(identity("ada"), later).unwrap();
    sessions.open(identity("ada"), later).unwrap();
    sessions.open(identity("ada"), later).unwrap();
    let told: HashSet<_> = sessions.expire(later).iter().map(|session| session.id()).collect();
    assert_eq!(told, opened.iter().map(|(_, session)| session.id()).collect());
    assert!(sessions.expire(later).is_empty());
    assert_eq!(sessions.close(token.reveal()).unwrap().id(), young.id());
    assert!(sessions.expire(later).is_empty(), "who closes a session knows it");
}

#[test]
fn who_has_too_many_sessions_is_refused_until_one_is_over() {
    let sessions = sessions(3, 2);
    let start = Now::read();
    let (token, _) = sessions.open(identity("ada"), start).unwrap();
    sessions.open(identity("ada"), start.after(HOUR / 2)).unwrap();
    let refusal = sessions.open(identity("ada"), start.after(HOUR / 2)).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::ResourceExhausted);
    assert_eq!(refusal.retry_after(), Some(HOUR / 2));
    assert!(refusal.message().contains("user"));
    sessions.open(identity("bob"), start.after(HOUR / 2)).unwrap();
    let refusal = sessions.open(identity("eve"), start.after(HOUR / 2)).unwrap_err();
    assert!(refusal.message().contains("gateway"));
    sessions.close(token.reveal()).unwrap();
    sessions.open(identity("ada"), start.after(HOUR / 2)).unwrap();
    sessions.open(identity("eve"), start.after(2 * HOUR)).unwrap();
    assert_eq!(sessions.len(), 1);
}

#[test]
fn a_foreign_bearer_has_one_session() {
    let sessions = sessions(10, 10);
    let now = Now::read();
    let first = sessions.open_as("a.b.c", identity("ada"), now).unwrap();
    assert_eq!(sessions.open_as("a.b.c", identity("ada"), now).unwrap().id(), first.id());
    assert_ne!(sessions.open_as("a.b.d", identity("ada"), now).unwrap().id(), first.id());
    assert_eq!(sessions.len(), 2);
}

#[test]
fn a_killed_session_is_gone() {
    let sessions = sessions(10, 10);
    let now = Now::read();
    let (token, session) = sessions.open(identity("ada"), now).unwrap();
    assert_eq!(sessions.kill(session.id()).unwrap().id(), session.id());
    assert!(sessions.kill(session.id()).is_none());
    assert!(session.is_closed() && sessions.find(token.reveal(), now).is_err());
}

#[test]
fn a_limit_of_zero_is_a_mistake_of_configuration() {
    let good = SessionLimits::default();
    for limits in [
        SessionLimits { total: 0, ..good },
        SessionLimits { per_user: 0, ..good },
        SessionLimits { idle: Duration::ZERO, ..good },
        SessionLimits { lifetime: Duration::ZERO, ..good },
    ] {
        assert_eq!(Sessions::new(limits).unwrap_err().kind(), ErrorKind::Config);
    }
}

#[test]
fn many_threads_open_find_and_close_sessions_and_none_is_lost_or_mixed_up() {
    let sessions = sessions(1_000, 100);
    let now = Now::read();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let sessions = &sessions;
            scope.spawn(move || {
                let user = format!("user{thread}");
                let mut kept = Vec::new();
                for round in 0..400 {
                    let (token, session) = sessions.open(identity(&user), now).unwrap();
                    assert_eq!(sessions.find(token.reveal(), now).unwrap().id(), session.id());
                    assert_eq!(session.user(), user);
                    if round % 8 == 0 {
                        kept.push(token);
                    } else {
                        assert_eq!(sessions.close(token.reveal()).unwrap().id(), session.id());
                        assert!(sessions.close(token.reveal()).is_none());
                    }
                    assert!(sessions.expire(now).is_empty());
                }
                kept.iter().for_each(|token| drop(sessions.find(token.reveal(), now).unwrap()));
            });
        }
    });
    assert_eq!(sessions.len(), 8 * 50);
    assert_eq!(sessions.expire(now.after(24 * HOUR)).len(), 8 * 50);
    assert!(sessions.is_empty() && sessions.table.lock().per_user.is_empty());
}

#[test]
fn many_threads_together_open_no_more_than_there_may_be() {
    let sessions = sessions(50, 20);
    let now = Now::read();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let sessions = &sessions;
            let user = if thread % 2 == 0 { "even" } else { "odd" };
            scope.spawn(move || (0..50).filter_map(|_| sessions.open(identity(user), now).ok()).count());
        }
    });
    assert_eq!(sessions.len(), 40);
}
