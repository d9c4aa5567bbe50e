//! Queries that try to read what is denied, and what a database answers.

use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
use proptest::prelude::*;

/// What only the denied table holds.
pub(crate) const SECRET: &str = "S3CRET";

/// Everything that a query returns, as text.
pub(crate) fn answer(source: &dyn Source, sql: &str) -> bowshot_core::Result<String> {
    let options = Options { connections: Some(1), ..Options::default() };
    let plan = source.plan(&Request::new(Query::new(sql), options.clone()), &Cancel::new())?;
    let batches = Stream::start(plan, &options, Cancel::new());
    batches.map(|batch| batch.map(|batch| format!("{batch:?}"))).collect()
}

/// Queries over `orders`, `salaries` and names of their own, which hide each other in whatever way. Each table has the columns
/// `id` and `name`.
pub(crate) fn query(tables: &'static [&'static str]) -> BoxedStrategy<String> {
    let table = proptest::sample::select(tables);
    let own = || proptest::sample::select(vec!["orders", "salaries", "\"salaries\"", "Salaries", "a", "b"]);
    let leaf = prop_oneof![
        4 => table.prop_map(|table| format!("SELECT id, name FROM {table}")),
        1 => own().prop_map(|name| format!("SELECT id, name FROM {name}")),
        1 => Just("SELECT 1 AS id, 'x' AS name".to_owned()),
    ];
    let grow = move |inner: BoxedStrategy<String>| {
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            (own(), inner.clone(), inner.clone())
                .prop_map(|(name, with, then)| format!("SELECT id, name FROM (WITH {name} AS ({with}) {then}) w")),
            (own(), own(), inner.clone(), inner.clone(), inner.clone()).prop_map(
                |(one, other, first, second, then)| {
                    format!("SELECT id, name FROM (WITH {one} AS ({first}), {other} AS ({second}) {then}) w")
                }
            ),
            (own(), inner.clone(), inner.clone()).prop_map(|(name, with, then)| {
                format!("SELECT id, name FROM (WITH RECURSIVE {name} AS ({with}) {then}) w")
            }),
            two().prop_map(|(one, other)| format!(
                "SELECT id, name FROM ({one}) l UNION ALL SELECT id, name FROM ({other}) r"
            )),
            two().prop_map(|(one, other)| format!("SELECT l.id, r.name FROM ({one}) l, ({other}) AS r")),
            two().prop_map(|(one, other)| format!(
                "SELECT id, (SELECT max(name) FROM ({one}) s) AS name FROM ({other}) t"
            )),
            two().prop_map(|(one, other)| format!(
                "SELECT id, name FROM ({one}) s WHERE EXISTS ({other}) OR id IN (SELECT id FROM ({other}) i)"
            )),
            (inner.clone(), own())
                .prop_map(|(one, name)| format!("SELECT {name}.id, {name}.name FROM ({one}) AS {name}")),
            inner.clone().prop_map(|one| format!("SELECT/**/id, name FROM(\n{one}) /* salaries */ x -- orders\n")),
            inner.prop_map(|one| format!("SELECT * FROM ({one}) x ORDER BY (SELECT count(*) FROM ({one}) o) LIMIT 9")),
        ]
        .boxed()
    };
    leaf.boxed().prop_recursive(4, 12, 3, grow).boxed()
}
