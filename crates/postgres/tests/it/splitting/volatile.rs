//! What may say something else in every partition is read once.

use super::{splits, unsplit};

#[test]
fn volatile_functions_are_called_over_one_connection() {
    let sampled = unsplit("SELECT id FROM big WHERE random() < 0.5", "random may return something else");
    assert!((5_000..15_000).contains(&sampled.count()));
    unsplit("SELECT id, volatile_one() AS v FROM big", "volatile_one may return something else");
    unsplit("SELECT id, stable_one() AS s FROM big", "stable_one may return something else");
    unsplit("SELECT id, gen_random_uuid() AS u FROM big", "gen_random_uuid may return something else");
    unsplit("SELECT id, pg_backend_pid() AS p FROM big", "pg_backend_pid may differ between connections");
}

#[test]
fn the_time_is_one_time() {
    for sql in [
        "SELECT DISTINCT now() AS n FROM big",
        "SELECT id, now() AS n FROM big",
        "SELECT id, CURRENT_TIMESTAMP AS n FROM big",
        "SELECT id, current_date AS n FROM big",
        "SELECT id, localtime(0) AS n FROM big",
        "SELECT id, age(day) AS n FROM big",
        "SELECT id, pg_catalog.now() AS n FROM big",
        "SELECT id, \"now\"() AS n FROM big",
        "SELECT id FROM big WHERE day < 'today'::date",
        "SELECT id FROM big WHERE day < date ' TOMORROW '",
        "SELECT id, timestamptz 'now' AS n FROM big",
    ] {
        let read = super::read_by(&crate::reading::over(4), sql);
        assert_eq!(read.partitions, 1, "{sql}: {}", read.reason);
    }
    let read = unsplit("SELECT transaction_timestamp()::text AS t FROM big", "transaction_timestamp may differ");
    let times: std::collections::BTreeSet<String> = read.rows().into_iter().collect();
    assert_eq!(times.len(), 1);
}

#[test]
fn a_view_may_hide_the_time() {
    unsplit("SELECT id, at FROM big_view", "big_view is a view");
    unsplit("SELECT b.id, v.at FROM big b JOIN big_view v USING (id)", "the view big_view may hide");
}

#[test]
fn what_never_changes_splits() {
    splits("SELECT id, steady(id), round(price)::int8, to_char(day, 'YYYY-MM') FROM big");
    splits("SELECT id FROM big WHERE note <> 'then' AND date_part('year', day) = 2021");
}
