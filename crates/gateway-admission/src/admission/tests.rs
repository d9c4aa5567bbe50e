use std::sync::atomic::{AtomicUsize, Ordering};

use bowshot_core::ErrorKind;
use tokio::time::sleep;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn admission(running: usize, queued: usize, queued_for: Duration) -> Admission {
    Admission::new(AdmissionLimits { running, queued, queued_for, per_user_running: running }).unwrap()
}

fn counts(running: usize, queued: usize) -> Counts {
    Counts { running, queued }
}

/// Lets what was spawned go as far as it can.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_permit_is_a_place_until_it_is_dropped() {
    let admission = admission(2, 0, SECOND);
    let first = admission.enter("ann").await.unwrap();
    let _second = admission.enter("bob").await.unwrap();
    assert_eq!(admission.counts(), counts(2, 0));
    assert_eq!(admission.enter("ann").await.unwrap_err().reason(), BusyReason::LineFull);
    drop(first);
    assert_eq!(admission.counts(), counts(1, 0));
    assert_eq!(admission.enter("ann").await.unwrap().waited(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn who_waits_is_called_when_a_place_is_free_and_knows_how_long_it_waited() {
    let admission = admission(1, 1, 60 * SECOND);
    let running = admission.enter("ann").await.unwrap();
    let waiting = tokio::spawn({
        let admission = admission.clone();
        async move { admission.enter("bob").await }
    });
    settle().await;
    assert_eq!(admission.counts(), counts(1, 1));
    sleep(7 * SECOND).await;
    drop(running);
    let permit = waiting.await.unwrap().unwrap();
    assert_eq!(permit.waited().as_secs(), 7);
    assert_eq!(admission.counts(), counts(1, 0));
    drop(permit);
    assert_eq!(admission.counts(), counts(0, 0));
}

#[tokio::test(start_paused = true)]
async fn who_waits_too_long_is_refused_and_leaves_the_line() {
    let admission = admission(1, 1, 30 * SECOND);
    let started = Instant::now();
    let _running = admission.enter("ann").await.unwrap();
    let busy = admission.enter("bob").await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 30);
    assert_eq!(busy.reason(), BusyReason::WaitedTooLong);
    assert!(busy.to_string().starts_with("the statement waited 30 s for its turn"), "{busy}");
    assert_eq!(admission.counts(), counts(1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_says_when_to_come_back_by_how_long_statements_run() {
    let admission = admission(1, 0, SECOND);
    let running = admission.enter("ann").await.unwrap();
    sleep(9 * SECOND).await;
    drop(running);
    let _running = admission.enter("ann").await.unwrap();
    let busy = admission.enter("ann").await.unwrap_err();
    assert_eq!((busy.retry_after_seconds(), busy.retry_after().as_secs()), (9, 9));
    assert!(busy.to_string().ends_with("(try again in 9 s)"), "{busy}");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_leaves_the_line() {
    let admission = admission(1, 2, 60 * SECOND);
    let running = admission.enter("ann").await.unwrap();
    let enter = |user: &'static str| {
        let admission = admission.clone();
        tokio::spawn(async move { admission.enter(user).await })
    };
    let (given_up, waits) = (enter("bob"), enter("eve"));
    settle().await;
    assert_eq!(admission.counts(), counts(1, 2));
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    assert_eq!(admission.counts(), counts(1, 1));
    drop(running);
    assert!(waits.await.unwrap().is_ok());
    assert_eq!(admission.counts(), counts(0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_comes_to_one_who_has_just_given_up_goes_to_the_next() {
    let admission = admission(1, 2, 60 * SECOND);
    let running = admission.enter("ann").await.unwrap();
    let mut given_up = Box::pin(admission.enter("bob"));
    let mut next = Box::pin(admission.enter("eve"));
    tokio::select! {
        biased;
        _ = &mut given_up => panic!("there is no place"),
        _ = &mut next => panic!("there is no place"),
        () = settle() => {}
    }
    // Bob's permit is there, and he is gone before he has looked.
    drop(running);
    assert_eq!(admission.counts(), counts(1, 1));
    drop(given_up);
    assert_eq!(admission.counts(), counts(1, 0));
    assert!(next.await.is_ok());
    assert_eq!(admission.counts(), counts(0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_user_who_fills_the_line_gives_way_to_another() {
    let admission = admission(1, 3, 60 * SECOND);
    let running = admission.enter("flood").await.unwrap();
    let enter = |user: &'static str| {
        let admission = admission.clone();
        tokio::spawn(async move { admission.enter(user).await.map(drop) })
    };
    let flood: Vec<_> = (0..3).map(|_| enter("flood")).collect();
    settle().await;
    let ann = enter("ann");
    settle().await;
    drop(running);
    assert!(ann.await.unwrap().is_ok());
    let mut refused = Vec::new();
    for statement in flood {
        refused.extend(statement.await.unwrap().err().map(|busy| busy.reason()));
    }
    assert_eq!(refused, [BusyReason::GaveWay]);
}

#[test]
fn limits_under_which_nothing_runs_are_refused() {
    for limits in [
        AdmissionLimits { running: 0, ..AdmissionLimits::default() },
        AdmissionLimits { per_user_running: 0, ..AdmissionLimits::default() },
    ] {
        let error = Admission::new(limits).unwrap_err();
        assert!(error.kind() == ErrorKind::Config && error.hint().is_some(), "{error}");
    }
    assert!(Admission::new(AdmissionLimits::default()).is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn under_load_no_more_run_than_may_and_no_place_is_lost() {
    let admission =
        Admission::new(AdmissionLimits { running: 5, queued: 1000, queued_for: 60 * SECOND, per_user_running: 2 });
    let (admission, inside) = (admission.unwrap(), Arc::new(AtomicUsize::new(0)));
    let statements: Vec<_> = (0..600_u64)
        .map(|number| {
            let (admission, inside) = (admission.clone(), Arc::clone(&inside));
            tokio::spawn(async move {
                // Some give up soon.
                let limit = Duration::from_micros(if number % 5 == 0 { number } else { 60_000_000 });
                let user = ["a", "b", "c", "d"][usize::try_from(number % 4).unwrap()];
                let Ok(permit) = timeout(limit, admission.enter(user)).await else { return };
                let permit = permit.unwrap();
                assert!(inside.fetch_add(1, Ordering::SeqCst) < 5);
                sleep(Duration::from_micros(number % 7 * 50)).await;
                inside.fetch_sub(1, Ordering::SeqCst);
                drop(permit);
            })
        })
        .collect();
    for statement in statements {
        statement.await.unwrap();
    }
    assert_eq!(admission.counts(), counts(0, 0));
}
