use proptest::prelude::*;

use super::*;

fn line(running: usize, waiting: usize, of_one: usize) -> Line<&'static str> {
    Line::new(running, waiting, of_one)
}

fn arrive(line: &mut Line<&'static str>, user: &str, call: &'static str) -> Arrival<&'static str> {
    line.arrive(&user.into(), call)
}

/// Ends a statement of each user named, and says who is called for it.
fn called(line: &mut Line<&'static str>, users: &[&str]) -> Vec<&'static str> {
    let mut called = Vec::new();
    for user in users {
        line.leave(&(*user).into());
        called.extend(std::iter::from_fn(|| line.call()).map(|(_, call)| call));
    }
    called
}

#[test]
fn one_user_is_served_first_come_first_served() {
    let mut line = line(1, 9, 1);
    assert!(matches!(arrive(&mut line, "ann", "0"), Arrival::Runs));
    for call in ["1", "2", "3"] {
        assert!(matches!(arrive(&mut line, "ann", call), Arrival::Waits(_, None)));
    }
    assert_eq!((line.running(), line.waiting()), (1, 3));
    assert_eq!(called(&mut line, &["ann"; 5]), ["1", "2", "3"]);
    assert!(line.users.is_empty() && line.turns.is_empty(), "nothing is left of who has gone");
}

#[test]
fn users_take_turns_so_that_a_flood_delays_another_by_one() {
    let mut line = line(1, 9, 1);
    arrive(&mut line, "flood", "f0");
    for call in ["f1", "f2", "f3", "f4"] {
        arrive(&mut line, "flood", call);
    }
    arrive(&mut line, "ann", "a1");
    arrive(&mut line, "bob", "b1");
    arrive(&mut line, "ann", "a2");
    let order = called(&mut line, &["flood", "flood", "ann", "bob", "flood", "ann", "flood"]);
    assert_eq!(order, ["f1", "a1", "b1", "f2", "a2", "f3", "f4"]);
}

#[test]
fn a_user_who_runs_as_many_as_he_may_is_passed_over() {
    let mut line = line(3, 9, 2);
    for call in ["1", "2", "3", "4"] {
        arrive(&mut line, "flood", call);
    }
    assert_eq!((line.running(), line.waiting()), (2, 2));
    assert!(matches!(arrive(&mut line, "ann", "a1"), Arrival::Runs), "there is a place that the flood may not have");
    arrive(&mut line, "bob", "b1");
    assert_eq!(called(&mut line, &["ann"]), ["b1"], "the flood waits for one of its own to end");
    assert_eq!(called(&mut line, &["flood"]), ["3"]);
}

#[test]
fn who_fills_the_line_makes_way_for_others() {
    let mut line = line(1, 4, 1);
    arrive(&mut line, "flood", "f0");
    for call in ["f1", "f2", "f3", "f4"] {
        arrive(&mut line, "flood", call);
    }
    assert!(matches!(arrive(&mut line, "flood", "f5"), Arrival::Refused));
    assert!(matches!(arrive(&mut line, "ann", "a1"), Arrival::Waits(_, Some("f4"))));
    assert!(matches!(arrive(&mut line, "ann", "a2"), Arrival::Waits(_, Some("f3"))));
    assert!(matches!(arrive(&mut line, "ann", "a3"), Arrival::Refused), "both have two");
    assert_eq!(line.waiting(), 4);
}

#[test]
fn who_gives_up_is_not_called() {
    let mut line = line(1, 9, 1);
    arrive(&mut line, "ann", "0");
    let Arrival::Waits(number, _) = arrive(&mut line, "ann", "1") else { panic!("there is one place") };
    arrive(&mut line, "bob", "2");
    line.give_up(&"ann".into(), number);
    line.give_up(&"ann".into(), number);
    line.give_up(&"nobody".into(), number);
    assert_eq!(line.waiting(), 1);
    assert_eq!(called(&mut line, &["ann", "bob"]), ["2"]);
}

#[derive(Clone, Debug)]
enum Step {
    Arrive(usize),
    Leave(usize),
    GiveUp(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0_usize..4).prop_map(Step::Arrive),
        2 => any::<usize>().prop_map(Step::Leave),
        1 => any::<usize>().prop_map(Step::GiveUp),
    ];
    prop::collection::vec(step, 0..200)
}

proptest! {
    #[test]
    fn limits_hold_nobody_is_forgotten_and_no_place_stays_free(
        steps in steps(),
        most in 1_usize..5,
        most_waiting in 0_usize..8,
        of_one in 1_usize..5,
    ) {
        let users: Vec<Arc<str>> = ["a", "b", "c", "d"].map(Arc::from).into();
        let mut line = Line::new(most, most_waiting, of_one);
        // Each statement has a number of its own; it runs, or waits under the line's number.
        let mut running: Vec<(usize, usize)> = Vec::new();
        let mut waiting: Vec<(usize, usize, u64)> = Vec::new();
        for (statement, step) in steps.into_iter().enumerate() {
            match step {
                Step::Arrive(user) => match line.arrive(&users[user], statement) {
                    Arrival::Runs => running.push((user, statement)),
                    Arrival::Waits(number, gave_way) => {
                        waiting.retain(|(_, other, _)| Some(*other) != gave_way);
                        waiting.push((user, statement, number));
                    }
                    Arrival::Refused => prop_assert_eq!(waiting.len(), most_waiting),
                },
                Step::Leave(index) if !running.is_empty() => {
                    let (user, _) = running.remove(index % running.len());
                    line.leave(&users[user]);
                    while let Some((user, statement)) = line.call() {
                        let index = waiting.iter().position(|(_, other, _)| *other == statement);
                        let (owner, _, _) = waiting.remove(index.expect("only who waits is called"));
                        prop_assert_eq!(&users[owner], &user);
                        prop_assert!(waiting.iter().all(|(other, later, _)| *other != owner || *later > statement), "in order");
                        running.push((owner, statement));
                    }
                }
                Step::GiveUp(index) if !waiting.is_empty() => {
                    let (user, _, number) = waiting.remove(index % waiting.len());
                    line.give_up(&users[user], number);
                }
                Step::Leave(_) | Step::GiveUp(_) => {}
            }
            let count = |user: usize| running.iter().filter(|(other, _)| *other == user).count();
            prop_assert_eq!((line.running(), line.waiting()), (running.len(), waiting.len()));
            prop_assert!(running.len() <= most && waiting.len() <= most_waiting);
            prop_assert!((0..4).all(|user| count(user) <= of_one));
            prop_assert!(running.len() == most || waiting.iter().all(|(user, _, _)| count(*user) == of_one), "a free place");
            prop_assert_eq!(line.turns.len(), line.users.values().filter(|user| !user.waiting.is_empty()).count());
            prop_assert!(line.users.values().all(|user| user.running > 0 || !user.waiting.is_empty()));
        }
    }
}
