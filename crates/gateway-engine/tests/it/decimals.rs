//! Sums and decimals keep their values or are errors.

use bowshot_core::ErrorKind;

use crate::common::{serve, text_file};

#[test]
fn a_sum_that_no_64_bits_hold_is_an_error_and_no_other_number() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", "n,k\n9223372036854775807,1\n1,1\n-5,2\n");
    let served = serve(&[("n", &csv, None)]);
    let error = served.error("SELECT sum(n) FROM n WHERE n > 0");
    assert_eq!(error.kind(), ErrorKind::Value, "{error}");
    assert_eq!(served.rows("SELECT sum(n) FROM n WHERE n < 5"), ["-4"]);
    // Partial sums may be too large as long as the whole is not.
    assert_eq!(served.rows("SELECT sum(n) FROM (SELECT n FROM n UNION ALL SELECT -100) q"), ["9223372036854775703"]);
    let grouped = "SELECT k, sum(n) AS s, count(*) FROM n WHERE n < 5 GROUP BY k HAVING sum(n) < 0 ORDER BY s";
    assert_eq!(served.rows(grouped), ["2|-5|1"]);
    assert_eq!(served.rows("SELECT sum(n) FILTER (WHERE k = 2) + 1 FROM n"), ["-4"]);
}

#[test]
fn decimals_are_added_and_compared_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", "n\n1\n2\n");
    let served = serve(&[("n", &csv, None)]);
    let sql = "SELECT sum(CAST(n AS DECIMAL(38, 2)) + 0.10::DECIMAL(3, 2)) FROM n WHERE n * 0.1::DECIMAL(2, 1) <= 0.2::DECIMAL(2, 1)";
    assert_eq!(served.rows(sql), ["3.20"]);
}
