use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::password::tests::{VERIFIED, cheap};
use crate::users::UserEntry;

fn peer() -> Option<IpAddr> {
    Some(IpAddr::from([10, 0, 0, 1]))
}

fn users() -> Users {
    let entry =
        |name: &str, password| UserEntry { name: name.into(), password_hash: Some(cheap(password)), rules: Vec::new() };
    Users::new(&[entry("ada", "secret"), entry("bob", "other")]).unwrap()
}

fn login() -> Login {
    Login::new(users(), None, LoginLimits::default()).unwrap()
}

#[test]
fn an_open_gateway_lets_every_login_in() {
    let login = Login::new(Users::none(), None, LoginLimits::default()).unwrap();
    let user = |header| login.check(header, peer(), Now::read()).unwrap().user().to_owned();
    assert!(login.is_open());
    assert_eq!(user(None), "anonymous");
    assert_eq!(user(Some("Basic YWRhOnNlY3JldA==")), "ada");
    assert_eq!(user(Some("Basic Og==")), "anonymous");
    assert_eq!(user(Some("Bearer what.ever")), "anonymous");
    assert!(login.check(Some("Basic !"), peer(), Now::read()).is_err());
}

#[test]
fn only_the_right_password_is_let_in() {
    let login = login();
    let now = Now::read();
    assert_eq!(login.check(Some("Basic YWRhOnNlY3JldA"), peer(), now).unwrap().user(), "ada");
    for (name, password) in [("ada", "other"), ("ada", ""), ("", "secret"), ("bob", "secret"), ("eve", "secret")] {
        let refusal = login.password(name, password, peer(), now).unwrap_err();
        assert_eq!(refusal.kind(), RefusalKind::Unauthenticated);
    }
    for header in [None, Some("Bearer abc"), Some("Bearer a.b.c")] {
        assert_eq!(login.check(header, peer(), now).unwrap_err().kind(), RefusalKind::Unauthenticated);
    }
}

/// What a client can see of a refusal.
fn seen(refusal: &Refusal) -> String {
    format!("{:?} {refusal} {:?}", refusal.kind(), refusal.retry_after())
}

#[test]
fn a_client_cannot_tell_whether_a_user_exists() {
    let login = login();
    let now = Now::read();
    for attempt in 0..30 {
        let known = login.password("ada", "wrong", None, now).unwrap_err();
        let unknown = login.password("eve", "wrong", None, now).unwrap_err();
        assert_eq!(seen(&known), seen(&unknown), "attempt {attempt}");
    }
}

#[test]
fn a_known_and_an_unknown_user_cost_one_verification_each_and_a_refused_attempt_none() {
    let login = login();
    let now = Now::read();
    let cost = |name: &str| {
        let before = VERIFIED.get();
        let _ = login.password(name, "wrong", None, now);
        VERIFIED.get() - before
    };
    for _ in 0..10 {
        assert_eq!((cost("ada"), cost("eve")), (1, 1));
    }
    assert_eq!((cost("ada"), cost("eve")), (0, 0));
}

#[test]
fn guessing_one_users_password_is_slowed_down_from_wherever_it_comes() {
    let login = login();
    let start = Now::read();
    let mut tried = 0;
    for second in 0..3_600_u32 {
        let now = start.after(Duration::from_secs(u64::from(second)));
        let from = Some(IpAddr::from(second.to_be_bytes()));
        match login.password("ada", "wrong", from, now) {
            Err(refusal) if refusal.kind() == RefusalKind::Unauthenticated => tried += 1,
            Err(refusal) => assert!((1..=30).contains(&refusal.retry_after_seconds().unwrap())),
            Ok(_) => panic!("a wrong password"),
        }
    }
    assert_eq!(tried, 10 + 3_599 / 30);
}

#[test]
fn guessing_many_users_passwords_from_one_place_is_slowed_down() {
    let login = login();
    let now = Now::read();
    let refusals = (0..500).map(|user| login.password(&format!("user{user}"), "secret", peer(), now).unwrap_err());
    let tried = refusals.filter(|refusal| refusal.kind() == RefusalKind::Unauthenticated).count();
    assert_eq!(tried, 100);
    let elsewhere = Some(IpAddr::from([10, 0, 0, 2]));
    login.password("ada", "secret", elsewhere, now).unwrap();
}

#[test]
fn the_right_password_is_refused_too_while_guessing_is_and_let_in_afterwards() {
    let login = login();
    let now = Now::read();
    for _ in 0..10 {
        login.password("ada", "wrong", peer(), now).unwrap_err();
    }
    let refusal = login.password("ada", "secret", peer(), now).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::ResourceExhausted);
    assert_eq!(refusal.retry_after(), Some(Duration::from_secs(30)));
    login.password("bob", "other", peer(), now).unwrap();
    login.password("ada", "secret", peer(), now.after(Duration::from_secs(30))).unwrap();
}

#[test]
fn a_user_who_knows_a_password_gains_no_guesses_by_it() {
    let login = login();
    let now = Now::read();
    let mut tried = 0;
    for user in 0..300 {
        let Ok(_) = login.password("bob", "other", peer(), now) else { break };
        let refusal = login.password(&format!("user{user}"), "guess", peer(), now).unwrap_err();
        tried += usize::from(refusal.kind() == RefusalKind::Unauthenticated);
    }
    assert_eq!(tried, 100);
}

#[test]
fn many_honest_logins_at_the_same_time_are_all_let_in() {
    let login = login();
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| login.password("ada", "secret", peer(), Now::read()).unwrap());
        }
    });
}

#[test]
fn guesses_made_at_the_same_time_are_no_more_than_those_made_one_by_one() {
    let login = login();
    let (now, tried) = (Now::read(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                let refusal = login.password("ada", "wrong", peer(), now).unwrap_err();
                tried.fetch_add(usize::from(refusal.kind() == RefusalKind::Unauthenticated), Ordering::SeqCst);
            });
        }
    });
    assert_eq!(tried.load(Ordering::SeqCst), 10);
}

#[test]
fn the_log_learns_who_tried_from_where_but_no_password() {
    let login = login();
    let refusal = login.password("eve", "hunter2", peer(), Now::read()).unwrap_err();
    assert_eq!(refusal.cause(), Some("login of \"eve\" from 10.0.0.1: there is no such user"));
    let refusal = login.password("ada", "hunter2", peer(), Now::read()).unwrap_err();
    assert_eq!(refusal.cause(), Some("login of \"ada\" from 10.0.0.1: the password is wrong"));
    let refusal = login.password("a\nb", "hunter2", peer(), Now::read()).unwrap_err();
    assert!(refusal.cause().unwrap().starts_with("login of \"a\\nb\" from"));
    assert!(!format!("{login:?} {refusal:?}").contains("hunter2"));
    assert!(!format!("{login:?}").contains("argon2"));
}

#[test]
fn who_gets_no_turn_is_told_when_to_come_back() {
    let limits = LoginLimits { at_once: 1, wait: Duration::from_millis(1), ..LoginLimits::default() };
    let login = Login::new(users(), None, limits).unwrap();
    let turn = login.turns.enter(Duration::ZERO);
    let refusal = login.password("ada", "secret", peer(), Now::read()).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::ResourceExhausted);
    assert_eq!(refusal.retry_after_seconds(), Some(1));
    drop(turn);
    login.password("ada", "secret", peer(), Now::read()).unwrap();
}

#[test]
fn limits_that_make_no_sense_are_mistakes_of_configuration() {
    let good = LoginLimits::default();
    let none = Rate { burst: 10, every: Duration::ZERO };
    let few = Rate { burst: 3, every: Duration::from_secs(1) };
    for limits in [
        LoginLimits { at_once: 0, ..good },
        LoginLimits { per_user: none, ..good },
        LoginLimits { per_peer: none, ..good },
        LoginLimits { per_user: few, ..good },
        LoginLimits { per_peer: few, ..good },
    ] {
        assert_eq!(Login::new(users(), None, limits).unwrap_err().kind(), ErrorKind::Config);
    }
}
