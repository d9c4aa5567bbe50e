//! One partition, unless the user allows more states than one.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bowshot_core::{ErrorKind, Options, Partitioning, Query, Request};

use crate::support::{batches, both, mariadb, plan, postgres, request};

fn table(name: &str) {
    if name == "postgres" {
        postgres().psql("CREATE TABLE IF NOT EXISTS keyed (k int, day date); TRUNCATE keyed; INSERT INTO keyed SELECT n, date '2000-01-01' + n FROM generate_series(1, 1000) AS n; INSERT INTO keyed VALUES (NULL, NULL), (-5, 'infinity')").unwrap();
    } else {
        mariadb().sql("CREATE OR REPLACE TABLE keyed (k int, day date); INSERT INTO keyed SELECT seq, '2000-01-01' + INTERVAL seq DAY FROM seq_1_to_1000; INSERT INTO keyed VALUES (NULL, NULL), (-5, '2000-01-01')").unwrap();
    }
}

fn by_column(one_snapshot: bool) -> Options {
    let partitioning = Partitioning::Column { column: "k".into(), count: 4, range: None };
    let infinity = bowshot_core::Impossible::Null;
    Options { partitioning, one_snapshot, infinity, connections: Some(2), ..Options::default() }
}

#[test]
fn one_state_is_one_partition_and_several_are_the_users_word() {
    for (name, uri, _) in both() {
        table(name);
        let sql = "SELECT k, day FROM keyed";
        let whole = plan(&uri, &request(sql, Options::default())).unwrap();
        assert_eq!(whole.partitions.len(), 1);
        assert!(whole.reason.contains("share no snapshot"), "{}", whole.reason);
        let kept = plan(&uri, &request(sql, by_column(true))).unwrap();
        assert_eq!(kept.partitions.len(), 1, "{}", kept.reason);
        let split = plan(&uri, &request(sql, by_column(false))).unwrap();
        assert_eq!(split.partitions.len(), 5, "{}", split.reason);
        let mut options = by_column(false);
        options.types.insert("k".into(), arrow_schema::DataType::Int64);
        let batches = batches(&uri, &request(sql, options)).unwrap();
        let mut keys: Vec<Option<i64>> =
            batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().iter()).collect();
        keys.sort_unstable();
        let wanted: Vec<Option<i64>> = [None, Some(-5)].into_iter().chain((1..=1000).map(Some)).collect();
        assert_eq!(keys, wanted, "{name}");
    }
}

#[test]
fn a_list_of_queries_is_read_over_one_connection() {
    for (name, uri, _) in both() {
        table(name);
        let queries = ["SELECT k FROM keyed WHERE k < 500", "SELECT k FROM keyed WHERE k >= 500"].map(Query::new);
        let options = Options { connections: Some(2), ..Options::default() };
        let rows: usize = batches(&uri, &Request { queries: queries.to_vec(), options: options.clone() })
            .unwrap()
            .iter()
            .map(arrow_array::RecordBatch::num_rows)
            .sum();
        assert_eq!(rows, 1001, "{name}");
        let queries = ["SELECT k FROM keyed", "SELECT day FROM keyed"].map(Query::new);
        let error = batches(&uri, &Request { queries: queries.to_vec(), options }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{error}");
    }
}
