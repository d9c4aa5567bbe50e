//! Every connection is set up alike.

use bowshot_core::Options;

use super::{DATA, LONG_SPLIT, narrow};
use crate::leftovers::{connections, leaves_nothing};
use crate::reading::{SERVER, by, eventually, over, read, start};

#[test]
fn statements_before_the_query_run_on_every_connection() {
    leaves_nothing(&SERVER, |name| {
        let options = Options { before: vec![format!("SET application_name = '{name}'")], ..narrow(4) };
        let mut stream = start(&DATA.uri(), LONG_SPLIT, &options).unwrap();
        assert!(stream.next().unwrap().is_ok());
        // At most as many as there are ranges.
        assert!(eventually(|| connections(&SERVER, name) >= 3), "{}", connections(&SERVER, name));
    });
    let options = Options { before: vec!["SET bowshot.test = 'seven'".into()], ..by("id", 4, None) };
    let sql = "SELECT id, current_setting('bowshot.test') AS s FROM big WHERE id <= 40";
    let rows = read(&DATA.uri(), sql, &options).unwrap().rows();
    assert_eq!(rows.len(), 40);
    assert!(rows.iter().all(|row| row.ends_with("|seven")));
}

#[test]
fn the_users_lock_timeout_is_kept() {
    let options = Options { before: vec!["SET lock_timeout = '77s'".into()], ..by("id", 4, None) };
    let sql = "SELECT id, current_setting('lock_timeout') AS s FROM big WHERE id <= 40";
    let rows = read(&DATA.uri(), sql, &options).unwrap().rows();
    assert!(rows.len() == 40 && rows.iter().all(|row| row.ends_with("|77s")), "{rows:?}");
}

#[test]
fn settings_of_the_server_change_no_value() {
    let before = "SET datestyle = 'German'; SET intervalstyle = 'iso_8601'; SET bytea_output = 'escape'; \
                  SET extra_float_digits = -5; SET synchronize_seqscans = on; SET standard_conforming_strings = on";
    let sql = "SELECT id, '2024-03-01'::date + id AS d, '\\x00ff'::bytea AS b, 1.0::float8 / id AS f, \
               (id || ' days 3 hours')::interval::text AS i FROM big";
    let plain = read(&DATA.uri(), sql, &over(1)).unwrap();
    let set = read(&DATA.uri(), sql, &Options { before: vec![before.into()], ..over(4) }).unwrap();
    assert!(set.partitions > 1, "{}", set.reason);
    assert!(plain.rows() == set.rows());
}
