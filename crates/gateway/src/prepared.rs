//! Prepared statements: a text that a client runs again, and the plan that told it the columns.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_schema::SchemaRef;
use bowshot_core::{Params, Value};
use parking_lot::Mutex;

use crate::query::Planned;
use crate::results::Id;

/// How long the plan of preparing is kept for the statement's first run: clients run a statement right after they prepared
/// it, and its snapshot should not stay open for longer.
const PLAN_KEPT: Duration = Duration::from_secs(5);

/// How long a statement that nobody uses is kept: most clients forget to close theirs.
const KEPT: Duration = Duration::from_secs(3600);

/// How many statements a user may have at the same time.
const MOST: usize = 1_000;

/// The statements that clients have prepared.
#[derive(Default)]
pub(crate) struct Statements(Mutex<HashMap<Id, Statement>>);

struct Statement {
    user: String,
    sql: String,
    params: Params,
    /// The columns of its result.
    schema: SchemaRef,
    /// From preparing, for the first run.
    planned: Option<(Planned, Instant)>,
    used: Instant,
}

/// What a run of a statement needs.
pub(crate) struct Run {
    pub(crate) sql: String,
    pub(crate) params: Params,
    /// Without parameters, the first run soon after preparing has the plan already.
    pub(crate) planned: Option<Planned>,
}

impl Statements {
    /// Keeps a statement; false where the user has too many.
    pub(crate) fn add(
        &self,
        id: Id,
        user: &str,
        sql: String,
        schema: SchemaRef,
        planned: Option<Planned>,
        now: Instant,
    ) -> bool {
        let mut statements = self.0.lock();
        if statements.values().filter(|statement| statement.user == user).count() >= MOST {
            return false;
        }
        let planned = planned.map(|planned| (planned, now));
        let statement = Statement { user: user.to_owned(), sql, params: Params::None, schema, planned, used: now };
        statements.insert(id, statement);
        true
    }

    /// Sets the parameters of the runs to come; false where there is no such statement.
    pub(crate) fn bind(&self, id: Id, user: &str, values: Vec<Value>, now: Instant) -> bool {
        self.with(id, user, now, |statement| {
            statement.params = Params::Positional(values);
            statement.planned = None;
        })
        .is_some()
    }

    /// What a run needs; `None` where there is no such statement.
    pub(crate) fn run(&self, id: Id, user: &str, now: Instant) -> Option<Run> {
        self.with(id, user, now, |statement| Run {
            sql: statement.sql.clone(),
            params: statement.params.clone(),
            planned: statement.planned.take().map(|(planned, _)| planned),
        })
    }

    /// The columns of its result; `None` where there is no such statement.
    pub(crate) fn schema(&self, id: Id, user: &str, now: Instant) -> Option<SchemaRef> {
        self.with(id, user, now, |statement| Arc::clone(&statement.schema))
    }

    fn with<T>(&self, id: Id, user: &str, now: Instant, work: impl FnOnce(&mut Statement) -> T) -> Option<T> {
        let mut statements = self.0.lock();
        let statement = statements.get_mut(&id).filter(|statement| statement.user == user)?;
        statement.used = now;
        Some(work(statement))
    }

    /// Forgets a statement.
    pub(crate) fn close(&self, id: Id, user: &str) {
        let mut statements = self.0.lock();
        let closed =
            statements.get(&id).is_some_and(|statement| statement.user == user).then(|| statements.remove(&id));
        drop(statements);
        // Its plan's connection closes outside of the lock.
        drop(closed);
    }

    /// Lets go of plans that no run came for, and of statements that nobody uses.
    pub(crate) fn expire(&self, now: Instant) {
        let mut late = Vec::new();
        self.0.lock().retain(|_, statement| {
            if statement.planned.as_ref().is_some_and(|(_, since)| now.duration_since(*since) >= PLAN_KEPT) {
                late.extend(statement.planned.take());
            }
            now.duration_since(statement.used) < KEPT
        });
    }
}

#[cfg(test)]
mod tests {
    use bowshot_core::testing::Numbers;
    use bowshot_core::{Cancel, Options, Query, Request, Source};

    use super::*;

    const ID: Id = [1; 16];

    fn schema() -> SchemaRef {
        Arc::new(arrow_schema::Schema::empty())
    }

    fn planned() -> Option<Planned> {
        let request = Request::new(Query::new("numbers"), Options::default());
        let plan = Numbers { partitions: 1, rows: 1 }.plan(&request, &Cancel::new()).unwrap();
        Some(Planned { plan, cancel: Cancel::new(), is_ordered: false, work: None, origin: None })
    }

    #[test]
    fn the_first_run_has_the_plan_of_preparing() {
        let (statements, now) = (Statements::default(), Instant::now());
        assert!(statements.add(ID, "ann", "SELECT 1".into(), schema(), planned(), now));
        assert!(statements.run(ID, "bob", now).is_none(), "another user");
        assert!(statements.run(ID, "ann", now).unwrap().planned.is_some());
        let second = statements.run(ID, "ann", now).unwrap();
        assert!(second.planned.is_none() && second.sql == "SELECT 1" && second.params == Params::None);
        statements.close(ID, "bob");
        assert!(statements.run(ID, "ann", now).is_some());
        statements.close(ID, "ann");
        assert!(statements.run(ID, "ann", now).is_none());
    }

    #[test]
    fn a_plan_does_not_outlive_its_welcome_nor_its_parameters() {
        let (statements, now) = (Statements::default(), Instant::now());
        statements.add(ID, "ann", "SELECT 1".into(), schema(), planned(), now);
        statements.expire(now + PLAN_KEPT);
        assert!(statements.run(ID, "ann", now + PLAN_KEPT).unwrap().planned.is_none());
        statements.add(ID, "ann", "SELECT ?".into(), schema(), planned(), now);
        assert!(statements.bind(ID, "ann", vec![Value::Int(3)], now) && !statements.bind(ID, "bob", vec![], now));
        let run = statements.run(ID, "ann", now).unwrap();
        assert!(run.planned.is_none() && run.params == Params::Positional(vec![Value::Int(3)]));
        statements.expire(now + KEPT);
        assert!(statements.run(ID, "ann", now).is_none());
    }

    #[test]
    fn a_user_has_so_many_statements_and_no_more() {
        let (statements, now) = (Statements::default(), Instant::now());
        for number in 0..MOST {
            assert!(statements.add((number as u128).to_le_bytes(), "ann", String::new(), schema(), None, now));
        }
        assert!(!statements.add([255; 16], "ann", String::new(), schema(), None, now));
        assert!(statements.add([255; 16], "bob", String::new(), schema(), None, now));
    }
}
